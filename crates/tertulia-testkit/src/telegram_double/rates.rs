//! How often the bot may call, and for how long it has to wait.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use super::settings::RateLimits;

const MINUTE: Duration = Duration::from_mins(1);

/// The calls of late, and the waits that hold.
#[derive(Debug, Default)]
pub(super) struct Rates {
    chats: BTreeMap<i64, Budget>,
}

#[derive(Debug)]
struct Budget {
    tokens: f64,
    counted: Duration,
    calls: VecDeque<Duration>,
    wait: Option<Wait>,
}

#[derive(Debug)]
struct Wait {
    told: Duration,
    until: Duration,
    known: bool,
}

/// A call that came too early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TooEarly {
    pub(super) seconds: u64,
    /// True if the bot knew.
    pub(super) violation: bool,
}

impl Rates {
    /// Whether a call into a chat comes too early because of a wait that was told.
    pub(super) fn waiting(&mut self, at: Duration, chat: i64, grace: Duration) -> Option<TooEarly> {
        let budget = self.chats.get_mut(&chat)?;
        budget.wait.take_if(|wait| wait.until <= at);
        let wait = budget.wait.as_mut()?;
        let violation = wait.known && at > wait.told + grace;
        if !wait.known {
            wait.known = true;
            wait.told = at;
        }
        Some(TooEarly {
            seconds: whole_seconds(wait.until.saturating_sub(at)),
            violation,
        })
    }

    /// Counts a call, or tells the bot to wait.
    pub(super) fn count(&mut self, at: Duration, chat: i64, is_group: bool, limits: &RateLimits) -> Option<u64> {
        let budget = self.chats.entry(chat).or_insert_with(|| Budget::full(at, limits.burst));
        budget.refill(at, limits);
        let short = (1.0 - budget.tokens).max(0.0);
        let mut wait = limits.every.mul_f64(short);
        if is_group && budget.calls.len() >= limits.per_minute {
            let oldest = budget.calls.front().copied().unwrap_or(at);
            wait = wait.max((oldest + MINUTE).saturating_sub(at));
        }
        if wait.is_zero() {
            budget.tokens -= 1.0;
            budget.calls.push_back(at);
            return None;
        }
        let seconds = whole_seconds(wait).max(limits.shortest_wait);
        self.tell(at, chat, seconds);
        Some(seconds)
    }

    /// Forbids calls into a chat for so many seconds.
    pub(super) fn tell(&mut self, at: Duration, chat: i64, seconds: u64) {
        let budget = self.chats.entry(chat).or_insert_with(|| Budget::full(at, 1));
        budget.wait = Some(Wait {
            told: at,
            until: at + Duration::from_secs(seconds),
            known: true,
        });
    }

    /// The bot has forgotten what it was told.
    pub(super) fn forgive(&mut self) {
        for wait in self.chats.values_mut().filter_map(|budget| budget.wait.as_mut()) {
            wait.known = false;
        }
    }
}

impl Budget {
    fn full(at: Duration, burst: u32) -> Self {
        Self {
            tokens: f64::from(burst),
            counted: at,
            calls: VecDeque::new(),
            wait: None,
        }
    }

    fn refill(&mut self, at: Duration, limits: &RateLimits) {
        let passed = at.saturating_sub(self.counted);
        self.counted = at;
        let gained = passed.as_secs_f64() / limits.every.as_secs_f64().max(0.001);
        self.tokens = (self.tokens + gained).min(f64::from(limits.burst));
        self.calls.retain(|call| at.saturating_sub(*call) < MINUTE);
    }
}

fn whole_seconds(wait: Duration) -> u64 {
    wait.as_secs() + u64::from(wait.subsec_nanos() > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn secs(n: u64) -> Duration {
        Duration::from_secs(n)
    }

    #[test]
    fn a_burst_is_taken_and_then_one_a_second() {
        let (mut rates, limits) = (Rates::default(), RateLimits::default());
        for _ in 0..5 {
            assert_eq!(rates.count(secs(0), 1, false, &limits), None);
        }
        assert_eq!(rates.count(secs(0), 1, false, &limits), Some(1));
        assert_eq!(rates.count(secs(0), 2, false, &limits), None, "another chat");
        assert!(rates.waiting(secs(1), 1, Duration::ZERO).is_none());
        assert_eq!(rates.count(secs(1), 1, false, &limits), None);
    }

    #[test]
    fn a_group_takes_twenty_a_minute() {
        let (mut rates, limits) = (Rates::default(), RateLimits::default());
        for second in 0..20 {
            assert_eq!(rates.count(secs(second), -1, true, &limits), None, "{second}");
        }
        assert_eq!(rates.count(secs(20), -1, true, &limits), Some(40));
    }

    #[test]
    fn a_call_into_a_wait_that_was_told_is_a_violation() {
        let mut rates = Rates::default();
        rates.tell(secs(0), 1, 7);
        let early = |rates: &mut Rates, at| rates.waiting(at, 1, Duration::from_millis(100));
        let under_way = early(&mut rates, Duration::from_millis(50)).unwrap();
        assert_eq!((under_way.seconds, under_way.violation), (7, false));
        assert!(early(&mut rates, secs(1)).unwrap().violation);
        rates.forgive();
        assert!(!early(&mut rates, secs(2)).unwrap().violation);
        assert!(early(&mut rates, secs(3)).unwrap().violation);
        assert!(early(&mut rates, secs(7)).is_none());
    }
}
