//! A plan of what goes wrong, and at which call.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use super::refusal::Scope;

/// One thing that goes wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// 429: nothing is done, and calls of this kind into the channel, or all calls, are forbidden for so long.
    Wait(Duration, Scope),
    /// 429 with a page of HTML and no word on how long, as whoever stands before the server sends it.
    Banned,
    /// 500 with a JSON body.
    Internal {
        /// Whether the call is done all the same.
        done: bool,
    },
    /// 502 with a page of HTML, as whoever stands before the server sends it.
    BadGateway {
        /// Whether the call is done all the same.
        done: bool,
    },
    /// The connection is cut, and nothing is done.
    CutBefore,
    /// The call is done, and the connection is cut instead of an answer.
    CutAfter,
    /// The call is done, and answered after this time.
    Slow(Duration),
    /// The call is done, and the answer is half of one.
    InvalidJson,
    /// The server refuses, with this status, JSON code and words.
    Refuse(u16, u32, String),
}

impl Fault {
    /// True if the call is not done.
    pub(super) fn prevents(&self) -> bool {
        match self {
            Self::Internal { done } | Self::BadGateway { done } => !done,
            Self::Wait(..) | Self::Banned | Self::CutBefore | Self::Refuse(..) => true,
            Self::CutAfter | Self::Slow(_) | Self::InvalidJson => false,
        }
    }
}

/// One call, as a plan of faults sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// What is called, `create_message` for example; see [`crate::discord_double::Accepted::name`].
    pub name: &'static str,
    /// The channel, if it is about one.
    pub channel: Option<u64>,
    /// The how-manieth call of this name it is, from 1.
    pub nth: u64,
    /// The content, if any.
    pub content: String,
}

type Predicate = Box<dyn FnMut(&Call) -> bool + Send>;

struct Planned {
    hits: Predicate,
    times: usize,
    fault: Fault,
}

/// A plan of faults; for each call the first one that fits strikes.
#[derive(Default)]
pub struct Faults {
    planned: Vec<Planned>,
}

impl Faults {
    /// Nothing goes wrong.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// Strikes once, at the `nth` call of a name, counted from 1 and from the start of the server.
    #[must_use]
    pub fn nth(self, name: &'static str, nth: u64, fault: Fault) -> Self {
        self.when(1, move |call| call.name == name && call.nth == nth, fault)
    }

    /// Strikes once, at the next call of a name that no earlier fault strikes.
    #[must_use]
    pub fn next(self, name: &'static str, fault: Fault) -> Self {
        self.when(1, move |call| call.name == name, fault)
    }

    /// Strikes at every call that fits, at most so many times.
    #[must_use]
    pub fn when(mut self, times: usize, hits: impl FnMut(&Call) -> bool + Send + 'static, fault: Fault) -> Self {
        self.planned.push(Planned {
            hits: Box::new(hits),
            times,
            fault,
        });
        self
    }

    /// The fault that strikes this call, if any.
    fn strike(&mut self, call: &Call) -> Option<Fault> {
        self.planned.iter_mut().find_map(|planned| {
            let strikes = planned.times > 0 && (planned.hits)(call);
            planned.times -= usize::from(strikes);
            strikes.then(|| planned.fault.clone())
        })
    }
}

impl fmt::Debug for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.planned.iter().map(|planned| (&planned.fault, planned.times)))
            .finish()
    }
}

/// The plan, and how often each name was called.
#[derive(Debug, Default)]
pub(super) struct Plan {
    pub(super) faults: Faults,
    calls: BTreeMap<&'static str, u64>,
}

impl Plan {
    /// Counts a call and gives what strikes it.
    pub(super) fn count(&mut self, mut call: Call) -> Option<Fault> {
        let count = self.calls.entry(call.name).or_default();
        *count += 1;
        call.nth = *count;
        self.faults.strike(&call)
    }

    pub(super) fn calls(&self, name: &str) -> u64 {
        self.calls.get(name).copied().unwrap_or_default()
    }
}
