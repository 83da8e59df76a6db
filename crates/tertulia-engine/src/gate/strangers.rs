//! Strangers: told once a day that the bot is private, and noted in the log once an hour.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};

use tertulia_message::PersonId;

/// In milliseconds.
const HOUR: u64 = 60 * 60 * 1000;
const DAY: u64 = 24 * HOUR;
/// The most people who are remembered; the oldest are forgotten.
const PEOPLE: usize = 10_000;

/// Who was told, and who was noted.
pub(crate) struct Strangers {
    told: Mutex<Lately>,
    noted: Mutex<Lately>,
}

impl Strangers {
    /// Takes in who was told before this start, and when.
    pub(crate) fn restore(&self, mut told: Vec<(PersonId, i64)>) {
        told.sort_by_key(|(_, at)| *at);
        let mut lately = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        for (person, at) in told {
            lately.is_first(&person, at);
        }
    }

    /// True if she has to be told; then she counts as told. `now` is the wall clock, in milliseconds since 1970.
    pub(crate) fn to_tell(&self, person: &PersonId, now: i64) -> bool {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.is_first(person, now)
    }

    /// True if the log has to hear of her: a flood must not fill it.
    pub(crate) fn to_note(&self, person: &PersonId, now: i64) -> bool {
        let mut noted = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
        noted.is_first(person, now)
    }
}

impl Default for Strangers {
    fn default() -> Self {
        Self {
            told: Mutex::new(Lately::new(DAY, PEOPLE)),
            noted: Mutex::new(Lately::new(HOUR, PEOPLE)),
        }
    }
}

/// Whom something happened to within a span.
struct Lately {
    /// In milliseconds.
    span: u64,
    most: usize,
    known: HashMap<PersonId, i64>,
    /// Everybody who is known, once, the oldest first.
    order: VecDeque<PersonId>,
}

impl Lately {
    fn new(span: u64, most: usize) -> Self {
        Self {
            span,
            most,
            known: HashMap::new(),
            order: VecDeque::new(),
        }
    }

    /// True if she is not known; then she is. A clock that went back by more than the span has made everything old.
    fn is_first(&mut self, person: &PersonId, now: i64) -> bool {
        while let Some(oldest) = self.order.front()
            && self.known.get(oldest).is_none_or(|at| at.abs_diff(now) >= self.span)
        {
            self.forget_oldest();
        }
        if self.known.contains_key(person) {
            return false;
        }
        while self.order.len() >= self.most {
            self.forget_oldest();
        }
        self.known.insert(person.clone(), now);
        self.order.push_back(person.clone());
        true
    }

    fn forget_oldest(&mut self) {
        if let Some(oldest) = self.order.pop_front() {
            self.known.remove(&oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn person(nth: usize) -> PersonId {
        PersonId::new("chat", format!("{nth}"))
    }

    #[test]
    fn once_within_the_span() {
        let mut lately = Lately::new(DAY, 10);
        assert!(lately.is_first(&person(1), 0));
        assert!(!lately.is_first(&person(1), 86_399_999));
        assert!(lately.is_first(&person(2), 86_399_999));
        assert!(lately.is_first(&person(1), 86_400_000));
        assert!(!lately.is_first(&person(2), 86_400_000));
        assert!(
            lately.is_first(&person(1), -1_000),
            "the clock went back by more than a day"
        );
        assert!(!lately.is_first(&person(1), 1_000));
        assert_eq!((lately.known.len(), lately.order.len()), (1, 1));
    }

    #[test]
    fn the_oldest_is_forgotten() {
        let mut lately = Lately::new(DAY, 3);
        for nth in 0..1_000 {
            assert!(lately.is_first(&person(nth), 5));
            assert!(lately.known.len() <= 3 && lately.order.len() <= 3);
        }
        assert!(!lately.is_first(&person(998), 6));
        assert!(lately.is_first(&person(1), 6));
    }

    #[test]
    fn what_was_before_the_start_counts() {
        let strangers = Strangers::default();
        strangers.restore(vec![(person(2), 50_000_000), (person(1), 1_000)]);
        assert!(!strangers.to_tell(&person(2), 86_401_000));
        assert!(strangers.to_tell(&person(1), 86_401_000));
        assert!(strangers.to_note(&person(2), 86_401_000));
    }
}
