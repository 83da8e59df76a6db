//! Time and chance as arguments.

use std::time::Duration;

/// The moment at which an event is handled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Now {
    /// Time since the process started, by a clock that never jumps: for deadlines.
    pub mono: Mono,
    /// Milliseconds since 1970, by a clock that may jump: for what is stored or shown.
    pub wall: i64,
    /// A random number, for jitter.
    pub dice: u32,
}

/// A point on the clock that never jumps: the time since the process started.
pub type Mono = Duration;

impl Now {
    /// A moment by the wall clock alone (milliseconds since 1970), for where nothing has a deadline.
    #[must_use]
    pub const fn by_wall(wall: i64) -> Self {
        Self {
            mono: Mono::ZERO,
            wall,
            dice: 0,
        }
    }

    /// A duration spread by up to a quarter either way, by `dice`.
    #[must_use]
    pub fn jitter(&self, around: Duration) -> Duration {
        let quarter = around / 4;
        let spread = quarter
            .saturating_mul(2)
            .mul_f64(f64::from(self.dice) / f64::from(u32::MAX));
        around.saturating_sub(quarter).saturating_add(spread)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jitter_stays_within_a_quarter() {
        let at = |dice| {
            Now {
                mono: Duration::ZERO,
                wall: 0,
                dice,
            }
            .jitter(Duration::from_secs(4))
        };
        assert_eq!(at(0), Duration::from_secs(3));
        assert_eq!(at(u32::MAX), Duration::from_secs(5));
    }
}
