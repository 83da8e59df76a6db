//! What others may ask of the engine while it runs.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use tertulia_core::transaction::Transaction;
use tertulia_ports::StoreError;
use tokio::time::timeout;

use crate::error::with_cause;
use crate::hub::Shared;
use crate::listen::InterfaceState;
use crate::pulse::Pulse;
use crate::reload;

/// What others may ask of the engine while it runs.
#[derive(Clone)]
pub struct Handle {
    shared: Arc<Shared>,
}

impl Handle {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        Self { shared }
    }

    /// Makes sure that all that a restart would mend still answers, each within `patience`: the event loop, the store's writer,
    /// and the task of every interface.
    ///
    /// Waiting is not hanging: a full disk, or a platform that cannot be reached, is no reason for a restart. While the engine
    /// stops, its interfaces are no longer asked.
    ///
    /// # Errors
    /// Names the part that did not answer. So it is as well before [`Engine::run`](crate::Engine::run), and after it.
    pub async fn is_alive(&self, patience: Duration) -> Result<(), String> {
        let hub = feel("the event loop", &self.shared.hub_pulse, patience);
        let (hub, writer, interfaces) = tokio::join!(hub, self.writer(patience), self.listeners(patience));
        hub.and(writer).and(interfaces)
    }

    /// How every interface is, by configured name.
    #[must_use]
    pub fn interfaces(&self) -> Vec<(String, InterfaceState)> {
        self.shared.listeners.states()
    }

    /// Reads the configuration again, as `/reload` does, and lets it hold from now on; what runs goes on as it began. One at a
    /// time: who comes second waits. Gives what only a restart can bring about, in sentences.
    ///
    /// # Errors
    /// One sentence for the operator: why nothing was changed.
    pub async fn reload(&self) -> Result<Vec<String>, String> {
        reload::reload(&self.shared).await
    }

    /// Makes a new code with which whoever sends `/claim` and the code in a direct message becomes the first admin; the one
    /// before is good no more. It lasts 15 minutes and five guesses, and is to be shown to the operator alone.
    ///
    /// `None` if there is an admin already, if no interface lets strangers in, or before
    /// [`Engine::prepare`](crate::Engine::prepare) has read who is admin.
    #[must_use]
    pub fn open_claim(&self) -> Option<String> {
        let shared = &self.shared;
        let now = shared.clock.now();
        let is_needed = shared.claimable
            && shared.prepared.initialized()
            && !shared.governed.access(|access| access.has_admin(now.wall));
        is_needed.then(|| shared.claims.open(now))
    }

    /// When the engine began to work, in milliseconds since 1970; `None` before it does.
    #[must_use]
    pub fn started(&self) -> Option<i64> {
        self.shared.started()
    }

    /// How long the engine has been there, by a clock that never jumps.
    #[must_use]
    pub fn uptime(&self) -> Duration {
        self.shared.clock.now().mono
    }

    /// Whether the store's writer answers; that it cannot write at the moment is an answer. Nothing is written.
    async fn writer(&self, patience: Duration) -> Result<(), String> {
        let nothing = Transaction::Notice { slots: Vec::new() };
        match timeout(patience, self.shared.store.commit(nothing)).await {
            Ok(Err(error @ StoreError::Broken(_))) => Err(with_cause(&error)),
            Ok(_) => Ok(()),
            Err(_) => Err("the store's writer does not answer".to_owned()),
        }
    }

    async fn listeners(&self, patience: Duration) -> Result<(), String> {
        if self.shared.is_stopping() {
            return Ok(());
        }
        let all = self.shared.listeners.pulses().map(|(name, pulse)| async move {
            let what = format!("the interface {name}");
            feel(&what, pulse, patience).await
        });
        let answers = join_all(all).await;
        // a stop may have ended them while they were asked
        let wrong = answers
            .into_iter()
            .find(|answer| !self.shared.is_stopping() && answer.is_err());
        wrong.unwrap_or(Ok(()))
    }
}

async fn feel(what: &str, pulse: &Pulse, patience: Duration) -> Result<(), String> {
    match timeout(patience, pulse.feel()).await {
        Ok(true) => Ok(()),
        Ok(false) => Err(format!("{what} has ended")),
        Err(_) => Err(format!("{what} does not answer")),
    }
}
