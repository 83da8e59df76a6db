//! How often a server lets us edit: learnt from its refusals, since none of them says so beforehand.

use std::time::Duration;

/// The slowest pace: an answer in the making is still seen to grow.
const SLOWEST: Duration = Duration::from_secs(30);
/// How long a pace holds before a faster one is tried.
const HOLDS: Duration = Duration::from_mins(10);

/// The pace of an account. Times are since any fixed moment, such as the start of the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Learnt {
    every: Duration,
    since: Duration,
}

impl Learnt {
    /// The shortest time between two edits; zero if the server has never refused one.
    #[must_use]
    pub(crate) fn every(&self) -> Duration {
        self.every
    }

    /// The server has refused something, and takes it `after` this time.
    ///
    /// A server that counts one message in five seconds says so by the time: it is the pace. If it refuses at that pace as
    /// well, others of ours send too.
    pub(crate) fn refused(&mut self, after: Duration, now: Duration) {
        let slower = if after > self.every {
            after
        } else {
            self.every.saturating_mul(3) / 2
        };
        self.every = slower.min(SLOWEST);
        self.since = now;
    }

    /// The server has taken something: after a while a faster pace is tried.
    pub(crate) fn taken(&mut self, now: Duration) {
        if !self.every.is_zero() && now.saturating_sub(self.since) >= HOLDS {
            self.every = self.every.saturating_mul(2) / 3;
            self.since = now;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn refusals_make_it_slower_and_time_makes_it_faster() {
        let mut pace = Learnt::default();
        pace.taken(seconds(5000));
        assert_eq!(pace.every(), Duration::ZERO);
        pace.refused(seconds(4), seconds(5000));
        assert_eq!(pace.every(), seconds(4));
        pace.refused(seconds(1), seconds(5010));
        assert_eq!(pace.every(), seconds(6));
        pace.taken(seconds(5609));
        assert_eq!(pace.every(), seconds(6));
        pace.taken(seconds(5610));
        pace.taken(seconds(5611));
        assert_eq!(pace.every(), seconds(4));
    }

    #[test]
    fn it_never_comes_to_rest() {
        let mut pace = Learnt::default();
        pace.refused(seconds(333), seconds(0));
        assert_eq!(pace.every(), SLOWEST);
        for _ in 0..100 {
            pace.refused(seconds(1), seconds(1));
        }
        assert_eq!(pace.every(), SLOWEST);
        pace.taken(seconds(0));
        assert_eq!(pace.every(), SLOWEST);
    }

    #[test]
    fn a_server_with_one_in_five_seconds_is_learnt() {
        // ten at once, then one in five seconds, as a server counts by default
        let (mut pace, mut left, mut refused) = (Learnt::default(), 10.0_f64, 0);
        let (mut now, mut last) = (Duration::ZERO, Duration::ZERO);
        while now < seconds(3600) {
            left = (left + now.saturating_sub(last).as_secs_f64() / 5.0).min(10.0);
            last = now;
            if left >= 1.0 {
                left -= 1.0;
                pace.taken(now);
                now += pace.every().max(seconds(1));
            } else {
                refused += 1;
                let after = Duration::from_secs_f64((1.0 - left) * 5.0);
                pace.refused(after, now);
                now += after.max(Duration::from_millis(1));
            }
        }
        assert!(refused <= 30, "{refused} refusals in an hour");
    }
}
