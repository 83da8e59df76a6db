//! The commands that wait for their answers, by id: where signals meet readers.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tertulia_message::path::InterfacePath;
use tertulia_message::{Ending, Finish, Kind, Message, Signal};
use tokio::sync::oneshot;

/// The longest answer, in bytes; what comes beyond is left out.
const LONGEST: usize = 4 << 20;

/// How a command was answered; an error is a refusal or a failure, in words for whoever asked.
pub(super) type Outcome = Result<String, String>;

/// The open commands. There are no more of them than connections, and what each collects is bounded.
#[derive(Default)]
pub(super) struct Answers(Mutex<HashMap<String, Open>>);

struct Open {
    path: InterfacePath,
    text: String,
    /// Messages whose text came in pieces.
    streamed: HashSet<String>,
    refused: bool,
    tell: oneshot::Sender<Outcome>,
}

/// The reader of one answer. Signals are dropped when it is.
pub(super) struct Reader {
    answers: Arc<Answers>,
    id: String,
    told: oneshot::Receiver<Outcome>,
}

impl Answers {
    /// Opens a command. Signals may come from now on.
    pub(super) fn open(self: &Arc<Self>, id: String, path: InterfacePath) -> Reader {
        let (tell, told) = oneshot::channel();
        let open = Open {
            path,
            text: String::new(),
            streamed: HashSet::new(),
            refused: false,
            tell,
        };
        self.lock().insert(id.clone(), open);
        Reader {
            answers: Arc::clone(self),
            id,
            told,
        }
    }

    /// Takes in a signal for the command `re`. What nobody waits for is dropped.
    pub(super) fn signal(&self, path: &InterfacePath, re: &str, signal: Signal) {
        let mut open = self.lock();
        match signal {
            Signal::Emit(message) => {
                if let Some(open) = open.get_mut(re).filter(|open| open.path == *path) {
                    open.take(&message);
                }
            }
            Signal::Close(ending) => {
                if let Some(open) = open.remove(re) {
                    open.close(ending);
                }
            }
            Signal::Typing
            | Signal::Idle
            | Signal::Seen
            | Signal::React(_)
            | Signal::Preview { .. }
            | Signal::Pressed(_) => {}
        }
    }

    /// What the lock guards stays sound when its holder panics: every change is one step.
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Open>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Open {
    fn take(&mut self, message: &Message) {
        match message.builtin() {
            Some(Kind::Text) => self.take_text(message),
            // the end says whether it was refused; that is no message of its own
            Some(Kind::Event) => self.refused |= is_refusal(message),
            _ => {}
        }
    }

    /// A whole message repeats what has come in pieces.
    fn take_text(&mut self, message: &Message) {
        if message.delta {
            self.streamed.insert(message.id.clone());
        } else if self.streamed.contains(&message.id) {
            return;
        }
        let content = message.props.get("content").and_then(|content| content.as_str());
        let content = content.unwrap_or_default();
        let room = LONGEST.saturating_sub(self.text.len());
        self.text
            .push_str(content.get(..content.floor_char_boundary(room)).unwrap_or_default());
    }

    fn close(self, ending: Ending) {
        let outcome = match ending.finish {
            Finish::Failed { text, .. } => Err(text),
            _ if self.refused => Err(self.text),
            _ => Ok(self.text),
        };
        // whoever asked may have gone
        let _ = self.tell.send(outcome);
    }
}

fn is_refusal(message: &Message) -> bool {
    let data = message.props.get("data").and_then(|data| data.get("refused"));
    data.and_then(serde_json::Value::as_bool) == Some(true)
}

impl Reader {
    /// Waits for the whole answer; none comes if the daemon forgot the command.
    pub(super) async fn outcome(mut self) -> Option<Outcome> {
        (&mut self.told).await.ok()
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.answers.lock().remove(&self.id);
    }
}

#[cfg(test)]
mod tests;
