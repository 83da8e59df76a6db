//! How close we are to being kept out: ten thousand refusals of our own making within ten minutes from one address.

use std::time::Duration;

/// Discord's window, in slices of a minute.
const SLICES: usize = 10;
const SLICE: Duration = Duration::from_mins(1);
/// A tenth of what Discord bears: others may share the address.
const MOST: u32 = 1000;

/// Refusals of the last ten minutes. Times are since any fixed moment, such as the start of the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Invalid {
    slices: [u32; SLICES],
    /// The number of the newest slice.
    newest: u64,
}

impl Invalid {
    /// Counts one; see [`crate::refusal::Answer::is_invalid`].
    pub fn count(&mut self, now: Duration) {
        self.forget(now);
        let at = self.at(self.newest);
        if let Some(slice) = self.slices.get_mut(at) {
            *slice = slice.saturating_add(1);
        }
    }

    /// How long nothing may be asked; none if we may go on.
    #[must_use]
    pub fn rest(&self, now: Duration) -> Option<Duration> {
        let mut kept = *self;
        kept.forget(now);
        let mut left: u32 = kept.slices.iter().fold(0, |sum, slice| sum.saturating_add(*slice));
        if left < MOST {
            return None;
        }
        // until so many of the oldest are forgotten that we may go on
        let width = SLICES as u64;
        for ahead in 1..=width {
            let oldest = kept.newest + ahead;
            let forgotten = kept.slices.get(kept.at(oldest)).copied().unwrap_or(0);
            left = left.saturating_sub(forgotten);
            if left < MOST {
                let end = SLICE.saturating_mul(u32::try_from(oldest).unwrap_or(u32::MAX));
                return Some(end.saturating_sub(now).max(Duration::from_secs(1)));
            }
        }
        Some(SLICE)
    }

    fn forget(&mut self, now: Duration) {
        let current = now.as_secs() / SLICE.as_secs();
        while self.newest < current {
            // of a long time one round is enough
            self.newest = (self.newest + 1).max(current.saturating_sub(SLICES as u64));
            let at = self.at(self.newest);
            if let Some(slice) = self.slices.get_mut(at) {
                *slice = 0;
            }
        }
    }

    fn at(&self, slice: u64) -> usize {
        usize::try_from(slice % self.slices.len() as u64).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn minutes(minutes: u64) -> Duration {
        Duration::from_secs(60 * minutes)
    }

    fn counted(invalid: &mut Invalid, number: u32, now: Duration) {
        for _ in 0..number {
            invalid.count(now);
        }
    }

    #[test]
    fn we_rest_before_discord_keeps_us_out() {
        let mut invalid = Invalid::default();
        counted(&mut invalid, MOST - 1, minutes(5));
        assert_eq!(invalid.rest(minutes(5)), None);
        invalid.count(minutes(6));
        assert_eq!(invalid.rest(minutes(6)), Some(minutes(9)));
        assert_eq!(invalid.rest(minutes(14)), Some(minutes(1)));
        assert_eq!(invalid.rest(minutes(15)), None);
        assert_eq!(invalid.rest(minutes(10_000)), None);
    }

    #[test]
    fn few_of_them_never_add_up() {
        let mut invalid = Invalid::default();
        for minute in 0..10_000 {
            counted(&mut invalid, MOST / 11, minutes(minute));
            assert_eq!(invalid.rest(minutes(minute)), None);
        }
    }
}
