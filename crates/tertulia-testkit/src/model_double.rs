//! A strict double of an OpenAI-compatible server on loopback.
//!
//! It enforces the documented rules ([`refusal`]): a request that the real server would refuse gets its 400, 401 or 404
//! here too. Every accepted request is kept as it came ([`ModelDouble::requests`]), together with what became of its
//! answer ([`ModelDouble::calls`]): that is the ground truth of a test.
//!
//! Answers are scripted by a queue; when it is empty, every request gets [`ModelDouble::DEFAULT_ANSWER`].
//!
//! ```no_run
//! # async fn example() -> std::io::Result<()> {
//! use tertulia_testkit::model_double::{ModelDouble, Script};
//!
//! let double = ModelDouble::start().await?;
//! double.push(Script::rate_limited(2));
//! double.push(Script::text("Hello"));
//! // point a provider at double.base_url() with the model ModelDouble::MODEL, ask twice, then:
//! assert_eq!(double.requests().len(), 2);
//! assert!(double.refusals().is_empty());
//! # Ok(())
//! # }
//! ```
//!
//! Dropping the double closes its door; streams that are under way live on until their client or the runtime ends.

mod answer;
mod door;
mod habits;
mod log;
mod messages;
mod rules;
mod script;

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::serve::ListenerExt as _;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;

pub use habits::Habits;
pub use log::{Call, Ending};
pub use rules::{Refusal, refusal, refusal_by};
pub(crate) use rules::{demand, is_function_name, known};
pub use script::{Cost, Script, ScriptedCall, Speech};

use log::Log;

/// How long [`ModelDouble::until`] waits before it gives up.
const PATIENCE: Duration = Duration::from_secs(20);

/// The double. See the module's description.
#[derive(Debug)]
pub struct ModelDouble {
    address: SocketAddr,
    shared: Arc<Shared>,
    _door: JoinSet<()>,
}

/// What the double insists on.
#[derive(Debug, Clone, Default)]
pub struct Strictness {
    /// The key that every request must carry as its bearer token; without one, any request is let in.
    pub key: Option<String>,
    /// The models there are, beside [`ModelDouble::MODEL`].
    pub models: Vec<String>,
}

#[derive(Debug)]
pub(crate) struct Shared {
    strictness: Strictness,
    habits: Habits,
    scripts: Mutex<VecDeque<Script>>,
    log: watch::Sender<Log>,
}

impl ModelDouble {
    /// The model that is always there.
    pub const MODEL: &str = "double-1";
    /// The answer to a request for which nothing was scripted.
    pub const DEFAULT_ANSWER: &str = "This is the double speaking.";

    /// Opens the door on a free port of loopback, without a key.
    ///
    /// # Errors
    /// When no port can be had.
    pub async fn start() -> std::io::Result<Self> {
        Self::start_strict(Strictness::default()).await
    }

    /// Opens the door on a free port of loopback.
    ///
    /// # Errors
    /// When no port can be had.
    pub async fn start_strict(strictness: Strictness) -> std::io::Result<Self> {
        Self::start_as(Habits::OpenAi, strictness).await
    }

    /// Opens the door on a free port of loopback, with the ways of another server of the shape.
    ///
    /// # Errors
    /// When no port can be had.
    pub async fn start_as(habits: Habits, strictness: Strictness) -> std::io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        // else each answer waits for the reader's delayed acknowledgement; where it fails, answers are only slow
        let listener = listener.tap_io(|connection| drop(connection.set_nodelay(true)));
        let shared = Arc::new(Shared {
            strictness,
            habits,
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

    /// What to configure as a provider's base address, e.g. `http://127.0.0.1:4711/v1`.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Scripts the answer to the next request that nothing is scripted for yet. Refused requests take no script.
    pub fn push(&self, script: Script) {
        self.shared.scripts().push_back(script);
    }

    /// How many scripts were not used yet.
    #[must_use]
    pub fn scripts_left(&self) -> usize {
        self.shared.scripts().len()
    }

    /// The bodies of all accepted requests, in order of arrival.
    #[must_use]
    pub fn requests(&self) -> Vec<Value> {
        self.calls().into_iter().map(|call| call.request).collect()
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

impl Shared {
    fn scripts(&self) -> std::sync::MutexGuard<'_, VecDeque<Script>> {
        self.scripts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn knows(&self, model: &str) -> bool {
        model == ModelDouble::MODEL || self.strictness.models.iter().any(|known| known == model)
    }
}

#[cfg(test)]
mod tests;
