//! The running daemon without its configuration: interfaces, hub, sessions, couriers.

use std::collections::{BTreeMap, HashMap};
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
use crate::handle::Handle;
use crate::hub::{Ask, Hub, Links, Shared};
use crate::listen::{InterfaceState, Keeper, Listeners};
use crate::parts::Parts;
use crate::pulse::{Heart, pulse};

/// How many asks may wait for the hub.
const ASKS: usize = 4096;

/// How long listeners may take to end when everything else has.
const LISTENERS_END: Duration = Duration::from_secs(3);

/// The running daemon without its configuration.
pub struct Engine {
    shared: Arc<Shared>,
    asks: mpsc::Receiver<Ask>,
    interfaces: BTreeMap<String, Arc<dyn Interface>>,
    hub_heart: Heart,
    hearts: BTreeMap<String, Heart>,
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
        parts.live.check()?;
        let (hub, asks) = mpsc::channel(ASKS);
        let (hub_pulse, hub_heart) = pulse();
        let (listeners, hearts) = Listeners::new(parts.interfaces.keys());
        let interfaces = parts.interfaces.clone();
        let boot = Uuid::new_v4().simple().to_string();
        let links = Links {
            hub,
            hub_pulse,
            listeners,
        };
        Ok(Self {
            shared: Arc::new(Shared::new(parts, Clock::new(wall), boot, links)),
            asks,
            interfaces,
            hub_heart,
            hearts,
        })
    }

    /// What others may ask of it, also while it runs.
    #[must_use]
    pub fn handle(&self) -> Handle {
        Handle::new(Arc::clone(&self.shared))
    }

    /// Reads what was permitted and set by command, once: from then on it is known whether there is an admin. Waits for as long
    /// as the store is busy. [`Engine::run`] does it if nobody did.
    ///
    /// # Errors
    /// The store is broken.
    pub async fn prepare(&self) -> Result<(), EngineError> {
        let shared = &self.shared;
        let reading = || async {
            let stored = backing::patiently(|| shared.store.governed()).await?;
            shared.governed.restore(stored);
            Ok::<(), EngineError>(())
        };
        shared.prepared.get_or_try_init(reading).await?;
        Ok(())
    }

    /// Takes up what the process before left, listens, and works until `stop` fires; then winds up within 19 seconds.
    ///
    /// # Errors
    /// The store broke, or a task that everything depends on died.
    pub async fn run(mut self, stop: CancellationToken) -> Result<(), EngineError> {
        // nobody is let in, or kept out, by what is not yet known
        self.prepare().await?;
        self.shared.stopped_by(&stop);
        let shared = Arc::clone(&self.shared);
        let mut names = HashMap::new();
        let mut listeners = JoinSet::new();
        for keeper in self.keepers(&stop) {
            let name = keeper.name.clone();
            names.insert(listeners.spawn(keeper.run()).id(), name);
        }
        let mut hub = JoinSet::new();
        hub.spawn(Hub::new(self.shared, self.asks, stop.clone()).run(self.hub_heart));
        loop {
            tokio::select! {
                Some(ended) = hub.join_next() => {
                    stop.cancel();
                    let _ = timeout(LISTENERS_END, async { while listeners.join_next().await.is_some() {} }).await;
                    listeners.shutdown().await;
                    return ended.unwrap_or(Err(EngineError::TaskDied("hub")));
                }
                Some(ended) = listeners.join_next() => if let Err(error) = ended {
                    let name = names.remove(&error.id()).unwrap_or_default();
                    tracing::error!(interface = name, %error, "a listener died; its interface is down, the others go on");
                    shared.listeners.note(&name, InterfaceState::Down("it died".to_owned()));
                }
            }
        }
    }

    fn keepers(&mut self, stop: &CancellationToken) -> Vec<Keeper> {
        let inlet = Inlet::new(Arc::new(Gate::new(Arc::clone(&self.shared))));
        let hearts = std::mem::take(&mut self.hearts).into_iter();
        let keeper = |(name, heart): (String, Heart)| {
            Some(Keeper {
                interface: self.interfaces.remove(&name)?,
                shared: Arc::clone(&self.shared),
                name,
                inlet: inlet.clone(),
                heart,
                stop: stop.clone(),
            })
        };
        hearts.filter_map(keeper).collect()
    }
}
