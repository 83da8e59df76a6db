//! How often a server lets us send: learnt from its refusals, since none of them says so beforehand.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tertulia_message::{Act, DeliverError, RateScope};
use tokio::time::Instant;

/// The slowest pace: an answer in the making is still seen to grow.
pub(crate) const SLOWEST: Duration = Duration::from_secs(30);
/// How long a pace holds before a faster one is tried.
const HOLDS: Duration = Duration::from_mins(10);

/// Calls that are less than this apart are not kept apart.
const CLOSEST: Duration = Duration::from_millis(200);

/// What is learnt of one account's server.
#[derive(Debug)]
pub(crate) struct Paces {
    state: Mutex<State>,
    began: Instant,
}

#[derive(Debug, Default)]
struct State {
    edits: Learnt,
    stile: Turnstile,
}

impl Paces {
    pub(crate) fn new() -> Self {
        Self {
            state: Mutex::default(),
            began: Instant::now(),
        }
    }

    /// The shortest time between two edits; zero if the server has never refused one.
    pub(crate) fn every(&self) -> Duration {
        self.change(|state, _| state.edits.every())
    }

    /// Lets a message through, or says how long it has to wait.
    ///
    /// # Errors
    /// The server would refuse it.
    pub(crate) fn admit(&self) -> Result<(), DeliverError> {
        let admitted = self.change(|state, now| state.stile.admit(now));
        admitted.map_err(|after| DeliverError::RateLimited {
            after,
            scope: RateScope::Account,
        })
    }

    /// Lets something through that nobody misses: not while the server counts.
    pub(crate) fn admit_light(&self) -> bool {
        self.change(|state, now| state.stile.is_open(now))
    }

    /// The server has refused something, and takes it `after` this time.
    pub(crate) fn refused(&self, after: Duration) {
        self.change(|state, now| state.stile.refused(after, now));
    }

    /// Learns from how a delivery ended. Only edits can be fewer: the rest has to be sent.
    pub(crate) fn learn(&self, act: &Act, done: &Result<String, DeliverError>) {
        let is_edit = matches!(act, Act::Edit { .. });
        self.change(|state, now| match done {
            Err(DeliverError::RateLimited { after, .. }) => {
                state.stile.refused(*after, now);
                if is_edit {
                    state.edits.refused(*after, now);
                }
            }
            Ok(_) => state.edits.taken(now),
            Err(_) => {}
        });
    }

    fn change<T>(&self, change: impl FnOnce(&mut State, Duration) -> T) -> T {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut state, self.began.elapsed())
    }
}

/// Keeps an account's calls apart once the server has refused one, so that they do not all come at the moment at which it takes
/// one. How far apart is tried out: nearer with each that goes through, farther with each that is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Turnstile {
    until: Duration,
    apart: Duration,
}

impl Turnstile {
    fn admit(&mut self, now: Duration) -> Result<(), Duration> {
        if now < self.until {
            return Err(self.until.saturating_sub(now));
        }
        self.until = now.saturating_add(self.apart);
        self.apart = self.apart.saturating_mul(4) / 5;
        if self.apart < CLOSEST {
            self.apart = Duration::ZERO;
        }
        Ok(())
    }

    fn is_open(&self, now: Duration) -> bool {
        now >= self.until && self.apart.is_zero()
    }

    fn refused(&mut self, after: Duration, now: Duration) {
        let farther = self.apart.saturating_mul(3) / 2;
        self.apart = after.max(farther).min(SLOWEST);
        self.until = self.until.max(now.saturating_add(after));
    }
}

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

    #[test]
    fn one_goes_through_at_a_time_once_one_was_refused() {
        let mut stile = Turnstile::default();
        assert!((0..100).all(|_| stile.admit(seconds(1)).is_ok() && stile.is_open(seconds(1))));
        stile.refused(seconds(5), seconds(10));
        assert_eq!(stile.admit(seconds(11)), Err(seconds(4)));
        assert_eq!(stile.admit(seconds(15)), Ok(()));
        assert_eq!(stile.admit(seconds(15)), Err(seconds(5)));
        assert_eq!(stile.admit(seconds(20)), Ok(()));
        assert_eq!(stile.admit(seconds(20)), Err(seconds(4)));
        assert!(!stile.is_open(seconds(30)));
    }

    #[test]
    fn a_backlog_goes_as_fast_as_the_server_takes_it() {
        // ten at once, then one in five seconds
        let (mut stile, mut left) = (Turnstile::default(), 10.0_f64);
        let (mut now, mut last) = (Duration::ZERO, Duration::ZERO);
        let (mut sent, mut refused) = (0, 0);
        while sent < 300 {
            left = (left + now.saturating_sub(last).as_secs_f64() / 5.0).min(10.0);
            last = now;
            match stile.admit(now) {
                Err(wait) => now += wait,
                Ok(()) if left >= 1.0 => {
                    left -= 1.0;
                    sent += 1;
                }
                Ok(()) => {
                    refused += 1;
                    // whole seconds, rounded up
                    let after = Duration::from_secs_f64(((1.0 - left) * 5.0).ceil());
                    stile.refused(after, now);
                }
            }
        }
        assert!(now < seconds(300 * 6), "{now:?}");
        assert!(refused < 300, "{refused} refused");
    }

    #[test]
    fn a_fast_server_is_fast_again_after_a_refusal() {
        let mut stile = Turnstile::default();
        stile.refused(seconds(1), seconds(0));
        let mut now = Duration::ZERO;
        for _ in 0..20 {
            while let Err(wait) = stile.admit(now) {
                now += wait;
            }
        }
        assert!(now < seconds(6) && stile.is_open(now), "{now:?}");
    }

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
