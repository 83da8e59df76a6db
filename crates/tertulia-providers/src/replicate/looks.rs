//! Looks at a prediction again and again: a look is not a question, it costs nothing and changes nothing.

use std::time::Duration;

use tertulia_core::provider::{ProviderError, ProviderFault};
use tokio::time::{sleep, timeout};

use super::api::Running;
use super::prediction::Prediction;

/// While nothing happens, the wait between two looks grows by half, up to so many times the first.
const LONGEST_WAIT: u32 = 10;
/// How long one look may take.
const PATIENCE: Duration = Duration::from_secs(20);
/// So many in a row may fail for reasons that pass.
const FAILURES: u32 = 5;

/// The looks at one prediction.
#[derive(Debug)]
pub(crate) struct Looks {
    poll: Duration,
    wait: Duration,
    failures: u32,
}

/// The prediction as it is now.
pub(crate) async fn look(running: &Running) -> Result<Prediction, ProviderError> {
    let looking = running.api.look(&running.places.get);
    let late = "the prediction could not be looked at in time";
    let looked = timeout(PATIENCE, looking).await;
    looked.unwrap_or_else(|_| Err(ProviderError::new(ProviderFault::Unreachable, late)))
}

impl Looks {
    /// With the wait before the first.
    pub(crate) fn every(poll: Duration) -> Self {
        Self {
            poll,
            wait: poll,
            failures: 0,
        }
    }

    /// Waits, and looks.
    pub(crate) async fn next(&mut self, running: &Running) -> Result<Prediction, ProviderError> {
        loop {
            sleep(self.wait).await;
            self.wait = (self.wait * 3 / 2).min(self.poll * LONGEST_WAIT);
            match look(running).await {
                Ok(seen) => {
                    self.failures = 0;
                    return Ok(seen);
                }
                Err(error) => match pause(error.kind).filter(|_| self.failures < FAILURES) {
                    Some(pause) => {
                        self.failures += 1;
                        self.wait = self.wait.max(pause);
                    }
                    None => return Err(error),
                },
            }
        }
    }

    /// Something happened: the next look comes soon.
    pub(crate) fn soon(&mut self) {
        self.wait = self.poll;
    }
}

/// How long to wait at least after a failure that passes; `None` for one that does not, or not soon.
fn pause(kind: ProviderFault) -> Option<Duration> {
    match kind {
        ProviderFault::RateLimited { after } | ProviderFault::Unavailable { after } => {
            Some(after.unwrap_or_default()).filter(|after| *after <= Duration::from_mins(1))
        }
        ProviderFault::Unreachable => Some(Duration::ZERO),
        _ => None,
    }
}
