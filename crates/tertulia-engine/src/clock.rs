//! The one place that reads time and chance.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use tertulia_core::now::{Mono, Now};
use tokio::time::Instant;
use uuid::Uuid;

/// Gives the wall clock, in milliseconds since 1970.
pub type WallClock = Arc<dyn Fn() -> i64 + Send + Sync>;

/// Time and chance for everybody.
pub(crate) struct Clock {
    start: Instant,
    wall: WallClock,
    dice: AtomicU64,
}

impl Clock {
    pub(crate) fn new(wall: WallClock) -> Self {
        Self {
            start: Instant::now(),
            wall,
            dice: AtomicU64::new(Uuid::new_v4().as_u64_pair().0 | 1),
        }
    }

    pub(crate) fn now(&self) -> Now {
        Now {
            mono: self.start.elapsed(),
            wall: (self.wall)(),
            dice: self.roll(),
        }
    }

    pub(crate) fn at(&self, mono: Mono) -> Instant {
        self.start
            .checked_add(mono)
            .unwrap_or_else(|| self.start + Mono::from_hours(30 * 365 * 24))
    }

    /// An xorshift: jitter needs nothing better.
    fn roll(&self) -> u32 {
        let mut x = self.dice.load(Ordering::Relaxed);
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        self.dice.store(x, Ordering::Relaxed);
        u32::try_from(x >> 32).unwrap_or(0)
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "this is the one place that reads the wall clock"
)]
pub(crate) fn wall() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
