//! Growing, jittered pauses between tries.

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

const FIRST: Duration = Duration::from_millis(20);
const LONGEST: Duration = Duration::from_secs(2);

/// The state of a series of tries.
#[derive(Debug, Default)]
pub(crate) struct Backoff {
    failures: u32,
}

impl Backoff {
    /// A try failed: waits.
    pub(crate) async fn wait(&mut self) {
        // every RandomState has keys of its own, which is chance enough to keep clients apart
        let dice = RandomState::new().hash_one(self.failures);
        tokio::time::sleep(pause(self.failures, dice)).await;
        self.failures = self.failures.saturating_add(1);
    }
}

/// The pause after so many failures: between half and the whole of a doubling time, at most two seconds.
fn pause(failures: u32, dice: u64) -> Duration {
    let whole = LONGEST.min(FIRST.saturating_mul(2_u32.saturating_pow(failures)));
    let half = whole / 2;
    let spread = u64::try_from(half.as_millis()).unwrap_or(u64::MAX).max(1);
    half + Duration::from_millis(dice % spread)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_up_to_a_bound() {
        for dice in [0, 1, 7, u64::MAX] {
            assert!(pause(0, dice) >= FIRST / 2 && pause(0, dice) <= FIRST);
            assert!(pause(3, dice) > pause(1, dice));
            assert!(pause(1_000, dice) >= LONGEST / 2 && pause(1_000, dice) <= LONGEST);
        }
        assert_ne!(pause(9, 1), pause(9, 2));
    }
}
