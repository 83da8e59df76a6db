//! What is wrong between bot and platform at the moment.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::watch;

/// The state of the line.
pub(crate) struct Weather {
    partitioned: watch::Sender<bool>,
    locked_out: AtomicBool,
    late: Mutex<Late>,
}

#[derive(Default)]
struct Late {
    calls: usize,
    by: Duration,
}

impl Default for Weather {
    fn default() -> Self {
        Self {
            partitioned: watch::Sender::new(false),
            locked_out: AtomicBool::new(false),
            late: Mutex::default(),
        }
    }
}

impl Weather {
    pub(crate) fn partition(&self, on: bool) {
        self.partitioned.send_replace(on);
    }

    /// Waits until a partition is over; true if there was one.
    pub(crate) async fn outlast_partition(&self) -> bool {
        let mut partitioned = self.partitioned.subscribe();
        let there_is_one = *partitioned.borrow();
        if there_is_one {
            // the sender lives as long as `self`
            drop(partitioned.wait_for(|partitioned| !partitioned).await);
        }
        there_is_one
    }

    /// Waits until a partition begins.
    pub(crate) async fn partition_begins(&self) {
        drop(self.partitioned.subscribe().wait_for(|partitioned| *partitioned).await);
    }

    pub(crate) fn lock_out(&self, out: bool) {
        self.locked_out.store(out, Ordering::SeqCst);
    }

    pub(crate) fn is_locked_out(&self) -> bool {
        self.locked_out.load(Ordering::SeqCst)
    }

    pub(crate) fn delay(&self, calls: usize, by: Duration) {
        *self.late.lock().unwrap_or_else(PoisonError::into_inner) = Late { calls, by };
    }

    /// How late the next call is answered.
    pub(crate) fn next_delay(&self) -> Duration {
        let mut late = self.late.lock().unwrap_or_else(PoisonError::into_inner);
        if late.calls == 0 {
            return Duration::ZERO;
        }
        late.calls -= 1;
        late.by
    }
}
