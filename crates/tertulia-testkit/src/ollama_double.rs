//! A strict double of an Ollama server on loopback.
//!
//! It enforces the documented rules ([`refusal`]): a request that the real server would refuse, or misunderstand, gets an
//! error here too. It counts tokens by its own simple measure and treats what is too long as the real one does: by its
//! version it either refuses, or cuts in silence and notes in [`Call::cut`] what nobody is told.
//!
//! Dropping the double closes its door; streams that are under way live on until their client or the runtime ends.

mod answer;
mod door;
mod messages;
mod rules;
mod script;
mod window;

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
pub use script::OllamaScript;

/// How long [`OllamaDouble::until`] waits before it gives up.
const PATIENCE: Duration = Duration::from_secs(20);

/// The double. See the module's description.
#[derive(Debug)]
pub struct OllamaDouble {
    address: SocketAddr,
    shared: Arc<Shared>,
    _door: JoinSet<()>,
}

/// A model of the double.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OllamaModel {
    /// Its name.
    pub name: String,
    /// What it can, e.g. `completion`, `tools`, `vision`, `thinking`.
    pub capabilities: Vec<&'static str>,
    /// The longest window it was made for, in tokens.
    pub context_length: u64,
    /// The `num_ctx` written into it.
    pub num_ctx: Option<u64>,
}

/// What the double is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OllamaServer {
    /// The key that every request must carry as its bearer token; without one, any request is let in.
    pub key: Option<String>,
    /// What `/api/version` says; `None`: there is no such route.
    pub version: Option<&'static str>,
    /// It refuses what is too long when told to; else it cuts in silence, whatever it is told.
    pub refuses: bool,
    /// `/api/show` lists what a model can.
    pub lists_capabilities: bool,
    /// The models.
    pub models: Vec<OllamaModel>,
}

/// One accepted request for an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// `/api/chat` or `/api/generate`.
    pub route: &'static str,
    /// The body as it came.
    pub request: Value,
    /// How many tokens of the question the model never saw.
    pub cut: u64,
    /// What became of the answer.
    pub ending: Ending,
}

#[derive(Debug)]
struct Shared {
    server: Mutex<OllamaServer>,
    scripts: Mutex<VecDeque<OllamaScript>>,
    log: watch::Sender<Log>,
}

#[derive(Debug, Default)]
struct Log {
    calls: Vec<Call>,
    refusals: Vec<String>,
    shows: usize,
}

impl Default for OllamaServer {
    /// A new server with the one model [`OllamaDouble::MODEL`], which can everything.
    fn default() -> Self {
        Self {
            key: None,
            version: Some("0.30.9"),
            refuses: true,
            lists_capabilities: true,
            models: vec![OllamaModel {
                name: OllamaDouble::MODEL.to_owned(),
                capabilities: vec!["completion", "tools", "vision", "thinking"],
                context_length: 40_960,
                num_ctx: None,
            }],
        }
    }
}

impl OllamaServer {
    /// A server from before it could refuse.
    #[must_use]
    pub fn old() -> Self {
        Self {
            version: Some("0.11.4"),
            refuses: false,
            ..Self::default()
        }
    }

    /// The same with one model that can this.
    #[must_use]
    pub fn with_model(mut self, capabilities: &[&'static str]) -> Self {
        for model in &mut self.models {
            model.capabilities = capabilities.to_vec();
        }
        self
    }
}

impl OllamaDouble {
    /// The model of the default server.
    pub const MODEL: &str = "double:1b";
    /// The answer to a request for which nothing was scripted.
    pub const DEFAULT_ANSWER: &str = "This is the double speaking.";

    /// Opens the door on a free port of loopback.
    ///
    /// # Errors
    /// When no port can be had.
    pub async fn start(server: OllamaServer) -> std::io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        // else each answer waits for the reader's delayed acknowledgement; where it fails, answers are only slow
        let listener = listener.tap_io(|connection| drop(connection.set_nodelay(true)));
        let shared = Arc::new(Shared {
            server: Mutex::new(server),
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

    /// What to configure as a provider's base address, e.g. `http://127.0.0.1:4711`.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// From now on it is another server.
    pub fn become_server(&self, server: OllamaServer) {
        *self.shared.server.lock().unwrap_or_else(PoisonError::into_inner) = server;
    }

    /// Scripts the answer to the next request that nothing is scripted for yet. Refused requests take no script.
    pub fn push(&self, script: OllamaScript) {
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

    /// How often `/api/show` was asked.
    #[must_use]
    pub fn shows(&self) -> usize {
        self.shared.log.borrow().shows
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
    fn server(&self) -> OllamaServer {
        self.server.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn scripts(&self) -> std::sync::MutexGuard<'_, VecDeque<OllamaScript>> {
        self.scripts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn refused(&self, why: String) {
        self.log.send_modify(|log| log.refusals.push(why));
    }
}

#[cfg(test)]
mod tests;
