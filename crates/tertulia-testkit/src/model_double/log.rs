//! What the double saw: the ground truth of a test.

use std::sync::Arc;

use serde_json::Value;

use super::Shared;

/// One accepted request.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// The body as it came.
    pub request: Value,
    /// What became of the answer.
    pub ending: Ending,
}

/// What became of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// It is under way.
    Open,
    /// The double said all it had to say, which may be a scripted failure.
    Said,
    /// The client went away before that.
    Disconnected,
}

/// Everything seen so far.
#[derive(Debug, Default)]
pub(crate) struct Log {
    pub(crate) calls: Vec<Call>,
    pub(crate) refusals: Vec<String>,
}

/// Notes the end of one call: a disconnect if it is dropped before [`CallNote::said`].
#[derive(Debug)]
pub(crate) struct CallNote {
    shared: Arc<Shared>,
    place: usize,
}

impl CallNote {
    /// Logs an accepted request.
    pub(crate) fn open(shared: &Arc<Shared>, request: Value) -> Self {
        let mut place = 0;
        shared.log.send_modify(|log| {
            place = log.calls.len();
            log.calls.push(Call {
                request,
                ending: Ending::Open,
            });
        });
        Self {
            shared: Arc::clone(shared),
            place,
        }
    }

    /// The request, as logged.
    pub(crate) fn request<'a>(&self, log: &'a Log) -> Option<&'a Value> {
        log.calls.get(self.place).map(|call| &call.request)
    }

    /// Everything was said.
    pub(crate) fn said(&self) {
        self.note(Ending::Said);
    }

    fn note(&self, ending: Ending) {
        self.shared.log.send_modify(|log| {
            if let Some(call) = log.calls.get_mut(self.place)
                && call.ending == Ending::Open
            {
                call.ending = ending;
            }
        });
    }
}

impl Drop for CallNote {
    fn drop(&mut self) {
        self.note(Ending::Disconnected);
    }
}

/// Logs a refused request.
pub(crate) fn refused(shared: &Shared, why: String) {
    shared.log.send_modify(|log| log.refusals.push(why));
}
