//! The signals: those that end the daemon, softly at the first, at once at the second; and the one after which it reads its
//! configuration again.

use std::future::{Future, pending};
use std::pin::Pin;

use tertulia_engine::{Engine, Handle};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

use super::supervisor;
use crate::failure::{Failure, chain};

type Reloading<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// The signals that we listen to.
pub(super) struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hang_up: Signal,
}

impl Signals {
    pub(super) fn new() -> Result<Self, Failure> {
        let listen = |kind| signal(kind).map_err(|error| Failure::broken(format!("signals cannot be heard: {error}")));
        Ok(Self {
            terminate: listen(SignalKind::terminate())?,
            interrupt: listen(SignalKind::interrupt())?,
            hang_up: listen(SignalKind::hangup())?,
        })
    }

    /// Runs the engine until it ends, which a signal asks it to.
    pub(super) async fn run(mut self, engine: Engine) -> Result<(), Failure> {
        let handle = engine.handle();
        let stop = CancellationToken::new();
        let mut reloading: Option<Reloading<'_>> = None;
        let mut running = std::pin::pin!(engine.run(stop.clone()));
        loop {
            let name = tokio::select! {
                ended = &mut running => return ended.map_err(|error| Failure::broken(chain(&error))),
                _ = self.terminate.recv() => "SIGTERM",
                _ = self.interrupt.recv() => "SIGINT",
                // several that come meanwhile are one
                _ = self.hang_up.recv(), if reloading.is_none() && !stop.is_cancelled() => {
                    reloading = Some(Box::pin(reload(&handle)));
                    continue;
                }
                () = done(reloading.as_mut()) => {
                    reloading = None;
                    continue;
                }
            };
            if stop.is_cancelled() {
                tracing::warn!(signal = name, "ending at once; the next start finishes what was begun");
                std::process::exit(1);
            }
            tracing::info!(signal = name, "stopping; another signal ends at once");
            supervisor::stopping();
            stop.cancel();
        }
    }
}

/// The log is told by the engine, whoever asks it.
async fn reload(handle: &Handle) {
    supervisor::reloading();
    let done = handle.reload().await;
    supervisor::reloaded(done.err().as_deref());
}

async fn done(reloading: Option<&mut Reloading<'_>>) {
    match reloading {
        Some(reloading) => reloading.await,
        None => pending().await,
    }
}
