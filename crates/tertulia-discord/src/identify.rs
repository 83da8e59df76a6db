//! How often a session may be begun: Discord takes a thousand in a day, and then resets the token.

use std::time::Duration;

use crate::fields::Fields;

/// What a day and an hour hold by our own rule, in milliseconds.
const DAY: i64 = 24 * HOUR;
const HOUR: i64 = 3_600_000;
/// The most in a day and in an hour: what is left is for whoever runs the bot by hand.
const MOST_IN_A_DAY: usize = 900;
const MOST_IN_AN_HOUR: usize = 40;
/// The shortest time between two, in milliseconds.
const BETWEEN: i64 = 5000;
/// So many of what Discord says is left are not used.
const RESERVE: u64 = 20;

/// What Discord tells of sessions, by `GET /gateway/bot`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    /// Where the gateway is.
    pub url: String,
    /// How many shards it wants.
    pub shards: u64,
    /// How many sessions may still be begun.
    pub remaining: u64,
    /// After which time it counts anew.
    pub reset_after: Duration,
}

impl Told {
    /// Reads the answer; none if it names no gateway.
    #[must_use]
    pub fn read(json: &str) -> Option<Self> {
        let fields = Fields::read(json)?;
        let limit = fields.object("session_start_limit");
        Some(Self {
            url: fields.word("url")?,
            shards: fields.number("shards").unwrap_or(1),
            remaining: limit.number("remaining").unwrap_or(u64::MAX),
            reset_after: Duration::from_millis(limit.number("reset_after").unwrap_or(0)),
        })
    }
}

/// The sessions that were begun within a day. Times are in milliseconds since 1970.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Budget {
    /// In their order.
    begun: Vec<i64>,
}

impl Budget {
    /// Reads the stored form; what is odd in it counts as nothing.
    #[must_use]
    pub fn read(stored: &[u8]) -> Self {
        let text = String::from_utf8_lossy(stored);
        let seconds = text.split(' ').filter_map(|second| second.parse::<i64>().ok());
        let mut begun: Vec<i64> = seconds.map(|second| second.saturating_mul(1000)).collect();
        begun.sort_unstable();
        let extra = begun.len().saturating_sub(MOST_IN_A_DAY);
        begun.drain(..extra);
        Self { begun }
    }

    /// The stored form.
    #[must_use]
    pub fn stored(&self) -> Vec<u8> {
        // rounded up, so that nothing is allowed earlier than before
        let seconds = self
            .begun
            .iter()
            .map(|millis| (millis.saturating_add(999) / 1000).to_string());
        seconds.collect::<Vec<String>>().join(" ").into_bytes()
    }

    /// When the next session may be begun, with what Discord has told at this moment; not before `now`.
    #[must_use]
    pub fn next(&self, now: i64, told: Option<&Told>) -> i64 {
        let since = |span: i64| {
            self.begun
                .iter()
                .map(|at| (*at).min(now))
                .filter(move |at| *at > now.saturating_sub(span))
        };
        // the time at which so many lie further back
        let room = |span: i64, most: usize| {
            let count = since(span).count();
            let oldest = count.checked_sub(most).and_then(|extra| since(span).nth(extra));
            oldest.map_or(now, |at| at.saturating_add(span))
        };
        let between = since(BETWEEN).next_back().map_or(now, |at| at.saturating_add(BETWEEN));
        let told = told.filter(|told| told.remaining <= RESERVE).map_or(now, |told| {
            let millis = i64::try_from(told.reset_after.as_millis()).unwrap_or(DAY);
            now.saturating_add(millis.clamp(BETWEEN, DAY))
        });
        [room(DAY, MOST_IN_A_DAY), room(HOUR, MOST_IN_AN_HOUR), between, told]
            .into_iter()
            .fold(now, i64::max)
    }

    /// A session is about to be begun. Store it before that is done.
    pub fn note(&mut self, now: i64) {
        // a clock that was set back must not keep us out for longer than by the rule
        self.begun.iter_mut().for_each(|at| *at = (*at).min(now));
        self.begun.retain(|at| *at > now.saturating_sub(DAY));
        self.begun.push(now);
        let extra = self.begun.len().saturating_sub(MOST_IN_A_DAY);
        self.begun.drain(..extra);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NOW: i64 = 1_800_000_000_000;

    fn told(remaining: u64, seconds: u64) -> Told {
        let json = format!(
            r#"{{"url":"wss://g","shards":1,"session_start_limit":{{"total":1000,"remaining":{remaining},"reset_after":{}}}}}"#,
            seconds * 1000
        );
        Told::read(&json).unwrap()
    }

    #[test]
    fn a_few_are_always_allowed() {
        let mut budget = Budget::default();
        assert_eq!(budget.next(NOW, None), NOW);
        budget.note(NOW);
        assert_eq!(budget.next(NOW + 1000, None), NOW + 5000);
        assert_eq!(budget.next(NOW + 5000, None), NOW + 5000);
    }

    #[test]
    fn an_hour_holds_so_many() {
        let mut budget = Budget::default();
        (0..40).for_each(|nth| budget.note(NOW + nth * 5000));
        assert_eq!(budget.next(NOW + 200_000, None), NOW + HOUR);
    }

    #[test]
    fn what_discord_tells_counts() {
        let budget = Budget::default();
        assert_eq!(budget.next(NOW, Some(&told(21, 60))), NOW);
        assert_eq!(budget.next(NOW, Some(&told(20, 60))), NOW + 60_000);
        assert_eq!(budget.next(NOW, Some(&told(0, 0))), NOW + 5000);
        assert!(Told::read("{}").is_none());
        assert_eq!(Told::read(r#"{"url":"x"}"#).unwrap().remaining, u64::MAX);
    }

    #[test]
    fn a_clock_that_jumps_does_no_harm() {
        let mut budget = Budget::default();
        budget.note(NOW);
        let year = 365 * DAY;
        assert_eq!(budget.next(NOW - year, None), NOW - year + BETWEEN);
        assert_eq!(budget.next(NOW + year, None), NOW + year);
        budget.note(NOW - year);
        assert_eq!(budget.next(NOW - year, None), NOW - year + BETWEEN);
    }

    #[test]
    fn the_stored_form_is_frozen() {
        let mut budget = Budget::default();
        budget.note(NOW);
        budget.note(NOW + 5001);
        assert_eq!(budget.stored(), b"1800000000 1800000006");
        assert_eq!(
            Budget::read(b"1800000000 x 1800000006 ").next(NOW + 6000, None),
            NOW + 11_000
        );
        assert_eq!(Budget::read(b"\xff"), Budget::default());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(12))]

        #[test]
        fn no_day_ever_holds_too_many(pauses in prop::collection::vec(0i64..90_000, 1000..2000), restarts in 2usize..50) {
            let (mut budget, mut now, mut begun) = (Budget::default(), NOW, Vec::new());
            for (nth, pause) in pauses.iter().enumerate() {
                now = budget.next(now + pause, None);
                begun.push(now);
                budget.note(now);
                if nth % restarts == 0 {
                    budget = Budget::read(&budget.stored());
                }
            }
            for (nth, at) in begun.iter().enumerate() {
                let within = begun[..nth].iter().rev().take_while(|before| **before > at - DAY).count();
                prop_assert!(within < 1000);
            }
        }
    }
}
