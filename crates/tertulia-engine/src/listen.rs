//! Keeps the interfaces listening, and knows how each of them is.

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::FutureExt as _;
use tertulia_interface::{Inlet, Interface, ListenError};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::hub::Shared;
use crate::pulse::{Heart, Pulse, pulse};

/// The first pause before a new try; doubles up to the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_mins(1);
/// A new try that has lasted so long has succeeded.
const SETTLED: Duration = Duration::from_secs(5);

/// How an interface is. The words are for everybody: they hold nothing of what the platform said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InterfaceState {
    /// It listens, and has not said that its platform is away.
    Listening,
    /// It is starting, it broke, or its platform is not reached; it is tried again: why.
    Trying(String),
    /// It listens no more until the next start: why.
    Down(String),
}

/// Every interface with how it is.
pub(crate) struct Listeners(BTreeMap<String, Listener>);

struct Listener {
    state: Mutex<InterfaceState>,
    /// What the interface itself says of its platform.
    is_reached: AtomicBool,
    pulse: Pulse,
}

impl Listeners {
    /// With the hearts of the tasks that are to keep them.
    pub(crate) fn new<'a>(names: impl Iterator<Item = &'a String>) -> (Self, BTreeMap<String, Heart>) {
        let mut listeners = BTreeMap::new();
        let mut hearts = BTreeMap::new();
        for name in names {
            let (pulse, heart) = pulse();
            let state = Mutex::new(trying("it is starting"));
            let is_reached = AtomicBool::new(true);
            let listener = Listener {
                state,
                is_reached,
                pulse,
            };
            listeners.insert(name.clone(), listener);
            hearts.insert(name.clone(), heart);
        }
        (Self(listeners), hearts)
    }

    pub(crate) fn states(&self) -> Vec<(String, InterfaceState)> {
        let states = self.0.iter();
        states
            .map(|(name, listener)| (name.clone(), listener.state()))
            .collect()
    }

    pub(crate) fn note(&self, name: &str, state: InterfaceState) {
        if let Some(listener) = self.0.get(name) {
            *listener.state.lock().unwrap_or_else(PoisonError::into_inner) = state;
        }
    }

    pub(crate) fn reached(&self, name: &str, is_reached: bool) {
        if let Some(listener) = self.0.get(name) {
            listener.is_reached.store(is_reached, Ordering::Relaxed);
        }
    }

    /// The task of every interface, by name.
    pub(crate) fn pulses(&self) -> impl Iterator<Item = (&str, &Pulse)> {
        self.0.iter().map(|(name, listener)| (name.as_str(), &listener.pulse))
    }
}

impl Listener {
    fn state(&self) -> InterfaceState {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if state == InterfaceState::Listening && !self.is_reached.load(Ordering::Relaxed) {
            return trying("nothing comes from its platform; the log says why");
        }
        state
    }
}

fn trying(why: &str) -> InterfaceState {
    InterfaceState::Trying(why.to_owned())
}

/// Keeps one interface listening.
pub(crate) struct Keeper {
    pub(crate) shared: Arc<Shared>,
    pub(crate) name: String,
    pub(crate) interface: Arc<dyn Interface>,
    pub(crate) inlet: Inlet,
    pub(crate) heart: Heart,
    pub(crate) stop: CancellationToken,
}

impl Keeper {
    /// Listens until `stop`; what is refused for good stays down, but its task still answers.
    pub(crate) async fn run(mut self) {
        let mut pause = FIRST_PAUSE;
        self.note(InterfaceState::Listening);
        while !self.stop.is_cancelled() {
            let begun = Instant::now();
            let ended = self.listen().await;
            if self.stop.is_cancelled() && ended.is_ok() {
                return;
            }
            let is_down = matches!(ended, Err(ListenError::Refused(_)));
            self.tell(ended);
            if is_down {
                return self.heart.beat_beside(self.stop.cancelled()).await;
            }
            if begun.elapsed() > LONGEST_PAUSE {
                pause = FIRST_PAUSE;
            }
            let wait = self.shared.clock.now().jitter(pause);
            pause = pause.saturating_mul(2).min(LONGEST_PAUSE);
            let waiting = self.stop.run_until_cancelled(sleep(wait));
            let _ = self.heart.beat_beside(waiting).await;
        }
    }

    fn tell(&self, ended: Result<(), ListenError>) {
        let name = &self.name;
        match ended {
            Ok(()) => {
                tracing::warn!(interface = name, "an interface ended by itself; it starts again");
                self.note(trying("it ended by itself"));
            }
            Err(error @ ListenError::Refused(_)) => {
                tracing::error!(interface = name, %error, "an interface is down; the others go on");
                self.note(InterfaceState::Down("its platform refuses us".to_owned()));
            }
            Err(error @ ListenError::Broken(_)) => {
                tracing::warn!(interface = name, %error, "an interface broke; it starts again");
                self.note(trying("it broke"));
            }
        }
    }

    fn note(&self, state: InterfaceState) {
        self.shared.listeners.note(&self.name, state);
    }

    /// Listens; a panic is one more way to break.
    async fn listen(&mut self) -> Result<(), ListenError> {
        let listening = self.interface.listen(self.inlet.clone(), self.stop.clone());
        let listening = AssertUnwindSafe(listening).catch_unwind();
        tokio::pin!(listening);
        let (listeners, name) = (&self.shared.listeners, &self.name);
        let watched = async {
            tokio::select! {
                ended = &mut listening => return ended,
                () = sleep(SETTLED) => listeners.note(name, InterfaceState::Listening),
            }
            listening.await
        };
        let ended = self.heart.beat_beside(watched).await;
        ended.unwrap_or_else(|_| Err(ListenError::Broken("it panicked".to_owned())))
    }
}
