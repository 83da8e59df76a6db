//! The running daemon without its configuration: interfaces, hub, sessions, couriers.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tertulia_interface::{Inlet, Interface};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::backing;
use crate::clock::{self, Clock, WallClock};
use crate::error::EngineError;
use crate::gate::Gate;
use crate::hub::{Ask, Hub, Shared};
use crate::listen;
use crate::parts::Parts;

/// How many asks may wait for the hub.
const ASKS: usize = 4096;

/// How long listeners may take to end when everything else has.
const LISTENERS_END: Duration = Duration::from_secs(3);

/// The running daemon without its configuration.
pub struct Engine {
    shared: Arc<Shared>,
    asks: mpsc::Receiver<Ask>,
    interfaces: BTreeMap<String, Arc<dyn Interface>>,
}

impl Engine {
    /// Assembles an engine; nothing runs yet.
    ///
    /// # Errors
    /// The settings name a provider that is not there.
    pub fn new(parts: Parts) -> Result<Self, EngineError> {
        Self::with_wall_clock(parts, Arc::new(clock::wall))
    }

    /// As [`Engine::new`], with a wall clock of the caller's.
    ///
    /// # Errors
    /// As [`Engine::new`].
    pub fn with_wall_clock(parts: Parts, wall: WallClock) -> Result<Self, EngineError> {
        let provider = parts.live.base.provider.clone().unwrap_or_default();
        if !parts.live.providers.contains_key(&provider) {
            return Err(EngineError::NoProvider(provider));
        }
        let (hub, asks) = mpsc::channel(ASKS);
        let interfaces = parts.interfaces.clone();
        let boot = Uuid::new_v4().simple().to_string();
        Ok(Self {
            shared: Arc::new(Shared::new(parts, Clock::new(wall), boot, hub)),
            asks,
            interfaces,
        })
    }

    /// Takes up what the process before left, listens, and works until `stop` fires; then winds up within 19 seconds.
    ///
    /// # Errors
    /// The store broke, or a task that everything depends on died.
    pub async fn run(self, stop: CancellationToken) -> Result<(), EngineError> {
        // nobody is let in, or kept out, by what is not yet known
        let stored = backing::patiently(|| self.shared.store.governed()).await?;
        self.shared.governed.restore(stored);
        let inlet = Inlet::new(Arc::new(Gate::new(Arc::clone(&self.shared))));
        let mut listeners = JoinSet::new();
        for (name, interface) in self.interfaces {
            let listening = listen::keep(Arc::clone(&self.shared), name, interface, inlet.clone(), stop.clone());
            listeners.spawn(listening);
        }
        let mut hub = JoinSet::new();
        hub.spawn(Hub::new(self.shared, self.asks, stop.clone()).run());
        loop {
            tokio::select! {
                Some(ended) = hub.join_next() => {
                    stop.cancel();
                    let _ = timeout(LISTENERS_END, async { while listeners.join_next().await.is_some() {} }).await;
                    listeners.shutdown().await;
                    return ended.unwrap_or(Err(EngineError::TaskDied("hub")));
                }
                Some(ended) = listeners.join_next() => if let Err(error) = ended {
                    tracing::error!(%error, "a listener died; its interface is down, the others go on");
                },
            }
        }
    }
}
