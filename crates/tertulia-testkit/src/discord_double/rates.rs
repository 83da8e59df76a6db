//! Buckets, waits that were told, and who comes back too early.

use std::collections::BTreeMap;
use std::time::Duration;

use super::refusal::Scope;
use super::settings::RateLimits;

/// A kind of call at one channel, guild or webhook.
pub(super) type Bucket = (&'static str, u64);

/// What the headers say about a bucket.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Standing {
    pub(super) limit: u32,
    pub(super) remaining: u32,
    pub(super) reset_after: Duration,
}

/// A call that is refused.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Wait {
    pub(super) left: Duration,
    pub(super) scope: Scope,
    /// True if the bot had been told.
    pub(super) is_early: bool,
}

#[derive(Debug, Clone, Copy)]
struct Window {
    since: Duration,
    taken: u32,
}

#[derive(Debug, Clone, Copy)]
struct Told {
    at: Duration,
    until: Duration,
    scope: Scope,
}

/// Every bucket, and the waits.
#[derive(Debug, Default)]
pub(super) struct Rates {
    windows: BTreeMap<Bucket, Window>,
    all: Option<Window>,
    told: BTreeMap<Bucket, Told>,
    told_all: Option<Told>,
}

impl Rates {
    /// The wait that the bot was told and does not keep, if it does not.
    pub(super) fn waiting(&self, at: Duration, bucket: Bucket, is_exempt: bool, grace: Duration) -> Option<Wait> {
        let global = self.told_all.as_ref().filter(|_| !is_exempt);
        let told = [global, self.told.get(&bucket)];
        // clocks of two machines never agree to the millisecond
        let told = told.into_iter().flatten().find(|told| at + SKEW < told.until)?;
        Some(Wait {
            left: told.until.saturating_sub(at),
            scope: told.scope,
            is_early: at.saturating_sub(told.at) > grace,
        })
    }

    /// The bot is told to wait.
    pub(super) fn tell(&mut self, at: Duration, bucket: Bucket, wait: Duration, scope: Scope) {
        let told = Told {
            at,
            until: at + wait,
            scope,
        };
        if scope == Scope::Global {
            self.told_all = Some(told);
        } else {
            self.told.insert(bucket, told);
        }
    }

    /// The bot was started anew, and does not know what it was told.
    pub(super) fn forgive(&mut self, at: Duration) {
        let told = self.told.values_mut().chain(&mut self.told_all);
        told.for_each(|told| told.at = at);
    }

    /// Takes a call; what its bucket looks like then, or how long to wait and for what.
    pub(super) fn take(
        &mut self,
        at: Duration,
        bucket: Bucket,
        is_exempt: bool,
        limits: &RateLimits,
    ) -> Result<Standing, (Duration, Scope)> {
        if !is_exempt {
            let all = renewed(self.all, at, SECOND);
            if all.taken >= limits.global {
                return Err(((all.since + SECOND).saturating_sub(at), Scope::Global));
            }
            self.all = Some(all.one_more());
        }
        let window = renewed(self.windows.get(&bucket).copied(), at, limits.per);
        let reset_after = (window.since + limits.per).saturating_sub(at);
        if window.taken >= limits.limit {
            return Err((reset_after, Scope::User));
        }
        self.windows.insert(bucket, window.one_more());
        Ok(Standing {
            limit: limits.limit,
            remaining: limits.limit - window.taken - 1,
            reset_after,
        })
    }
}

const SECOND: Duration = Duration::from_secs(1);
const SKEW: Duration = Duration::from_millis(5);

impl Window {
    fn one_more(self) -> Self {
        Self {
            taken: self.taken + 1,
            ..self
        }
    }
}

fn renewed(window: Option<Window>, at: Duration, per: Duration) -> Window {
    window
        .filter(|window| at < window.since + per)
        .unwrap_or(Window { since: at, taken: 0 })
}

/// The name of a bucket, as headers give it: it says nothing.
pub(super) fn name(bucket: &str) -> String {
    let mixed = bucket.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{mixed:016x}{:016x}", mixed.rotate_left(17))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUCKET: Bucket = ("create_message", 1);
    const LIMITS: RateLimits = RateLimits {
        limit: 2,
        per: Duration::from_secs(5),
        global: 3,
    };

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn a_bucket_is_empty_until_it_is_renewed() {
        let mut rates = Rates::default();
        let standing = rates.take(ms(0), BUCKET, false, &LIMITS).unwrap();
        assert_eq!((standing.remaining, standing.reset_after), (1, ms(5000)));
        assert_eq!(rates.take(ms(2000), BUCKET, false, &LIMITS).unwrap().remaining, 0);
        let wait = rates.take(ms(4000), BUCKET, false, &LIMITS).unwrap_err();
        assert_eq!(wait, (ms(1000), Scope::User));
        assert!(rates.take(ms(4000), ("create_message", 2), false, &LIMITS).is_ok());
        assert_eq!(rates.take(ms(5000), BUCKET, false, &LIMITS).unwrap().remaining, 1);
    }

    #[test]
    fn the_whole_bot_has_a_limit_that_interactions_do_not_know() {
        let mut rates = Rates::default();
        for channel in 0..3 {
            assert!(rates.take(ms(0), ("create_message", channel), false, &LIMITS).is_ok());
        }
        let wait = rates.take(ms(400), ("create_message", 9), false, &LIMITS).unwrap_err();
        assert_eq!(wait, (ms(600), Scope::Global));
        assert!(rates.take(ms(400), ("interaction_callback", 9), true, &LIMITS).is_ok());
    }

    #[test]
    fn who_was_told_and_comes_early_is_seen() {
        let mut rates = Rates::default();
        rates.tell(ms(0), BUCKET, ms(1000), Scope::User);
        assert!(!rates.waiting(ms(50), BUCKET, false, ms(100)).unwrap().is_early);
        assert!(rates.waiting(ms(500), BUCKET, false, ms(100)).unwrap().is_early);
        assert!(rates.waiting(ms(500), ("typing", 1), false, ms(100)).is_none());
        rates.forgive(ms(480));
        assert!(!rates.waiting(ms(500), BUCKET, false, ms(100)).unwrap().is_early);
        assert!(rates.waiting(ms(1000), BUCKET, false, ms(100)).is_none());
    }
}
