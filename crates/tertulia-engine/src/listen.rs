//! Keeps one interface listening.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use tertulia_interface::{Inlet, Interface, ListenError};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::hub::Shared;

/// The first pause before a new try; doubles up to the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_mins(1);

/// Listens until `stop`, or until the interface is refused for good.
pub(crate) async fn keep(
    shared: Arc<Shared>,
    name: String,
    interface: Arc<dyn Interface>,
    inlet: Inlet,
    stop: CancellationToken,
) {
    let mut pause = FIRST_PAUSE;
    while !stop.is_cancelled() {
        let begun = Instant::now();
        match listen(&*interface, inlet.clone(), stop.clone()).await {
            Ok(()) if stop.is_cancelled() => return,
            Ok(()) => tracing::warn!(interface = name, "an interface ended by itself; it starts again"),
            Err(error @ ListenError::Refused(_)) => {
                tracing::error!(interface = name, %error, "an interface is down; the others go on");
                return;
            }
            Err(error) => tracing::warn!(interface = name, %error, "an interface broke; it starts again"),
        }
        if begun.elapsed() > LONGEST_PAUSE {
            pause = FIRST_PAUSE;
        }
        let wait = shared.clock.now().jitter(pause);
        pause = pause.saturating_mul(2).min(LONGEST_PAUSE);
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(wait) => {}
        }
    }
}

/// Listens; a panic is one more way to break.
async fn listen(interface: &dyn Interface, inlet: Inlet, stop: CancellationToken) -> Result<(), ListenError> {
    let listening = AssertUnwindSafe(interface.listen(inlet, stop)).catch_unwind();
    listening
        .await
        .unwrap_or_else(|_| Err(ListenError::Broken("it panicked".to_owned())))
}
