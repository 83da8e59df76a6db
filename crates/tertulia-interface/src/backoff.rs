//! Growing, jittered pauses between tries, for interfaces that reconnect by themselves.

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

const FIRST: Duration = Duration::from_millis(250);

/// The state of a series of tries.
#[derive(Debug)]
pub struct Backoff {
    failures: u32,
    longest: Duration,
}

impl Backoff {
    /// A series whose pauses grow up to `longest`.
    #[must_use]
    pub fn up_to(longest: Duration) -> Self {
        Self { failures: 0, longest }
    }

    /// A try failed: waits.
    pub async fn wait(&mut self) {
        let whole = doubled(self.failures).min(self.longest);
        self.failures = self.failures.saturating_add(1);
        about(whole).await;
    }

    /// A try succeeded.
    pub fn reset(&mut self) {
        self.failures = 0;
    }
}

/// Waits between half of a time and the whole of it.
pub async fn about(whole: Duration) {
    tokio::time::sleep(upper_half(whole, dice())).await;
}

/// Every `RandomState` has keys of its own, which is chance enough to keep clients apart.
#[must_use]
pub fn dice() -> u64 {
    RandomState::new().hash_one(0)
}

fn doubled(times: u32) -> Duration {
    FIRST.saturating_mul(2_u32.saturating_pow(times))
}

fn upper_half(whole: Duration, dice: u64) -> Duration {
    let half = whole / 2;
    let spread = u64::try_from(half.as_millis()).unwrap_or(u64::MAX).max(1);
    half + Duration::from_millis(dice % spread)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_and_are_never_short() {
        assert_eq!((doubled(0), doubled(3)), (FIRST, FIRST * 8));
        assert!(doubled(1_000) > Duration::from_mins(1));
        for dice in [0, 1, 7, u64::MAX] {
            let pause = upper_half(FIRST, dice);
            assert!(pause >= FIRST / 2 && pause <= FIRST, "{pause:?}");
        }
        assert_ne!(upper_half(FIRST, 1), upper_half(FIRST, 2));
    }
}
