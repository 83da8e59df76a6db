//! The signals that end the daemon: softly at the first, at once at the second.

use tertulia_engine::Engine;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

use super::supervisor;
use crate::failure::{Failure, chain};

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
        let stop = CancellationToken::new();
        let mut running = std::pin::pin!(engine.run(stop.clone()));
        loop {
            let name = tokio::select! {
                ended = &mut running => return ended.map_err(|error| Failure::broken(chain(&error))),
                _ = self.terminate.recv() => "SIGTERM",
                _ = self.interrupt.recv() => "SIGINT",
                _ = self.hang_up.recv() => {
                    tracing::info!("SIGHUP does nothing yet; restart to read the configuration again");
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
