//! A strict double of Gemini on loopback.
//!
//! It enforces the documented rules ([`refusal`]): a request that the real server would refuse, or misunderstand, gets an
//! error here too. It takes the key in its header alone.
//!
//! Dropping the double closes its door; streams that are under way live on until their client or the runtime ends.

mod contents;
mod door;
mod rules;

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::serve::ListenerExt as _;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::model_double::Ending;

pub use rules::refusal;

/// How long [`GeminiDouble::until`] waits before it gives up.
const PATIENCE: Duration = Duration::from_secs(20);

/// The double. See the module's description.
#[derive(Debug)]
pub struct GeminiDouble {
    address: SocketAddr,
    shared: Arc<Shared>,
    _door: JoinSet<()>,
}

/// One scripted behaviour.
#[derive(Debug, Clone, PartialEq)]
pub enum GeminiScript {
    /// These lists of parts, one event each with the wait before it, then the reason of the end.
    Say {
        /// The parts of each event.
        parts: Vec<Value>,
        /// The wait before each event.
        pause: Duration,
        /// `finishReason`.
        reason: &'static str,
    },
    /// An event every so often, for ever.
    Endless(Duration),
    /// An error of this status with this body.
    Fail(u16, Value),
}

/// One accepted request.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// The model of the address.
    pub model: String,
    /// The body as it came.
    pub request: Value,
    /// What became of the answer.
    pub ending: Ending,
}

#[derive(Debug)]
struct Shared {
    key: Option<String>,
    scripts: Mutex<VecDeque<GeminiScript>>,
    log: watch::Sender<Log>,
}

#[derive(Debug, Default)]
struct Log {
    calls: Vec<Call>,
    refusals: Vec<String>,
}

impl GeminiDouble {
    /// The model it has.
    pub const MODEL: &str = "gemini-3-flash-preview";
    /// Its window, in tokens.
    pub const WINDOW: u64 = 65_536;
    /// The answer to a request for which nothing was scripted.
    pub const DEFAULT_ANSWER: &str = "This is the double speaking.";

    /// Opens the door on a free port of loopback; without a key it takes any.
    ///
    /// # Errors
    /// When no port can be had.
    pub async fn start(key: Option<&str>) -> std::io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        // else each answer waits for the reader's delayed acknowledgement; where it fails, answers are only slow
        let listener = listener.tap_io(|connection| drop(connection.set_nodelay(true)));
        let shared = Arc::new(Shared {
            key: key.map(str::to_owned),
            scripts: Mutex::default(),
            log: watch::Sender::default(),
        });
        let mut door = JoinSet::new();
        let router = door::router(Arc::clone(&shared));
        door.spawn(async move {
            // Only ends with an error of the listener; tests then see refused connections.
            drop(axum::serve(listener, router).await);
        });
        Ok(Self {
            address,
            shared,
            _door: door,
        })
    }

    /// What to configure as a provider's base address, e.g. `http://127.0.0.1:4711/v1beta`.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("http://{}/v1beta", self.address)
    }

    /// Scripts the answer to the next request that nothing is scripted for yet. Refused requests take no script.
    pub fn push(&self, script: GeminiScript) {
        self.shared.scripts().push_back(script);
    }

    /// All accepted requests with what became of their answers, in order of arrival.
    #[must_use]
    pub fn calls(&self) -> Vec<Call> {
        self.shared.log.borrow().calls.clone()
    }

    /// Why requests were refused, in order: a well-behaved client leaves this empty.
    #[must_use]
    pub fn refusals(&self) -> Vec<String> {
        self.shared.log.borrow().refusals.clone()
    }

    /// Waits until the calls are as wanted; `false` when that did not happen within 20 seconds.
    pub async fn until(&self, mut wanted: impl FnMut(&[Call]) -> bool) -> bool {
        let mut changes = self.shared.log.subscribe();
        let seen = changes.wait_for(|log| wanted(&log.calls));
        tokio::time::timeout(PATIENCE, seen)
            .await
            .is_ok_and(|outcome| outcome.is_ok())
    }
}

impl GeminiScript {
    /// A text in pieces with a wait before each.
    #[must_use]
    pub fn text(pieces: &[&str], pause: Duration) -> Self {
        Self::Say {
            parts: pieces
                .iter()
                .map(|piece| serde_json::json!([{"text": piece}]))
                .collect(),
            pause,
            reason: "STOP",
        }
    }
}

impl Shared {
    fn scripts(&self) -> std::sync::MutexGuard<'_, VecDeque<GeminiScript>> {
        self.scripts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn refused(&self, why: String) {
        self.log.send_modify(|log| log.refusals.push(why));
    }
}

#[cfg(test)]
mod tests;
