//! Whether a provider that seems to be down is asked at all: a circuit breaker.

use std::time::Duration;

use crate::now::Mono;
use crate::provider::ProviderFault;

/// So many questions in a row find the provider down before it is left alone. Tries of one question count as one: what makes a
/// server stumble may be the question.
const QUESTIONS: u32 = 3;
/// How long it is left alone at first; twice as long after every trial in vain.
const FIRST_REST: Duration = Duration::from_secs(5);
/// How long it is left alone at most.
const LONGEST_REST: Duration = Duration::from_mins(1);
/// How long a trial keeps all others out; then there is another one.
const TRIAL: Duration = Duration::from_secs(30);
/// What whoever comes during a trial is told to wait.
const DURING_TRIAL: Duration = Duration::from_secs(1);

/// What is known about one provider's health.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Breaker(State);

#[derive(Debug, Clone, PartialEq, Eq)]
enum State {
    /// It is asked.
    Closed {
        /// Questions in a row that found it down.
        failures: u32,
        /// The last one of them.
        last: Option<u64>,
    },
    /// It is left alone.
    Open { until: Mono, rest: Duration },
    /// One question is let through.
    Trying { until: Mono, rest: Duration },
}

/// How a question is let through; handed back with [`Breaker::abandoned`] where nothing was learnt by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admission {
    /// As every other one.
    Usual,
    /// Alone, to see whether the provider is back; or although it rests.
    Trial,
}

/// What a failure says about the provider's health.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Health {
    /// It answers, if not as one would like.
    Up,
    /// It does not work at all.
    Down,
    /// Nothing.
    Unknown,
}

impl Default for Breaker {
    fn default() -> Self {
        Self(State::Closed {
            failures: 0,
            last: None,
        })
    }
}

impl Breaker {
    /// True if the last question found the provider down.
    #[must_use]
    pub fn is_worried(&self) -> bool {
        !matches!(self.0, State::Closed { failures: 0, .. })
    }

    /// How much longer the provider is left alone; `None` if it may be asked.
    #[must_use]
    pub fn rests(&self, now: Mono) -> Option<Duration> {
        match self.0 {
            State::Closed { .. } => None,
            State::Open { until, .. } => until.checked_sub(now).filter(|left| !left.is_zero()),
            State::Trying { until, .. } => (now < until).then_some(DURING_TRIAL),
        }
    }

    /// Lets a question through, or says how much longer to wait.
    ///
    /// # Errors
    /// The wait, where the provider rests.
    pub fn admit(&mut self, now: Mono) -> Result<Admission, Duration> {
        if let Some(left) = self.rests(now) {
            return Err(left);
        }
        Ok(self.insist(now))
    }

    /// Lets a question through in any case.
    pub fn insist(&mut self, now: Mono) -> Admission {
        match self.0 {
            State::Closed { .. } => Admission::Usual,
            State::Open { rest, .. } | State::Trying { rest, .. } => {
                let until = now.saturating_add(TRIAL);
                self.0 = State::Trying { until, rest };
                Admission::Trial
            }
        }
    }

    /// The provider has answered something.
    pub fn answered(&mut self) {
        *self = Self::default();
    }

    /// A question, known by this number, found the provider down.
    pub fn failed(&mut self, question: u64, now: Mono) {
        self.0 = match self.0 {
            State::Closed { last, .. } if last == Some(question) => return,
            State::Closed { failures, .. } if failures + 1 < QUESTIONS => State::Closed {
                failures: failures + 1,
                last: Some(question),
            },
            State::Closed { .. } => State::Open {
                until: now.saturating_add(FIRST_REST),
                rest: FIRST_REST,
            },
            // a question from before it was left alone
            State::Open { .. } => return,
            State::Trying { rest, .. } => {
                let rest = rest.saturating_mul(2).min(LONGEST_REST);
                let until = now.saturating_add(rest);
                State::Open { until, rest }
            }
        };
    }

    /// Nothing was learnt by a question that was let through.
    pub fn abandoned(&mut self, admission: Admission, now: Mono) {
        if let (Admission::Trial, State::Trying { rest, .. }) = (admission, &self.0) {
            self.0 = State::Open {
                until: now,
                rest: *rest,
            };
        }
    }
}

/// What a failure says about the provider's health.
#[must_use]
pub fn health(fault: ProviderFault) -> Health {
    match fault {
        ProviderFault::Unavailable { .. } | ProviderFault::Unreachable => Health::Down,
        ProviderFault::RateLimited { .. }
        | ProviderFault::Unauthorized
        | ProviderFault::Billing
        | ProviderFault::NoSuchModel
        | ProviderFault::ContextTooLong
        | ProviderFault::Rejected => Health::Up,
        ProviderFault::Broken | ProviderFault::NotConfigured => Health::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Mono {
        Duration::from_secs(seconds)
    }

    fn wait(seconds: u64) -> Result<Admission, Duration> {
        Err(Duration::from_secs(seconds))
    }

    /// One that has just opened, at ten seconds.
    fn open() -> Breaker {
        let mut breaker = Breaker::default();
        for question in 0..3 {
            breaker.failed(question, at(10));
        }
        breaker
    }

    #[test]
    fn it_opens_after_some_questions_in_a_row() {
        let mut breaker = Breaker::default();
        breaker.failed(1, at(0));
        breaker.failed(2, at(0));
        assert_eq!(breaker.admit(at(0)), Ok(Admission::Usual));
        breaker.answered();
        breaker.failed(3, at(0));
        breaker.failed(4, at(0));
        assert_eq!(breaker.admit(at(0)), Ok(Admission::Usual));
        breaker.failed(5, at(1));
        assert_eq!(breaker.admit(at(2)), wait(4));
    }

    #[test]
    fn one_question_alone_does_not_open_it() {
        let mut breaker = Breaker::default();
        for _ in 0..100 {
            breaker.failed(1, at(0));
        }
        assert_eq!(breaker.admit(at(0)), Ok(Admission::Usual));
        assert!(breaker.is_worried());
    }

    #[test]
    fn one_question_tries_it_and_decides() {
        let mut breaker = open();
        assert_eq!(breaker.admit(at(14)), wait(1));
        assert_eq!(breaker.admit(at(15)), Ok(Admission::Trial));
        assert_eq!(breaker.admit(at(15)), wait(1));
        breaker.answered();
        assert_eq!(breaker, Breaker::default());
    }

    #[test]
    fn its_rests_grow_up_to_a_bound() {
        let mut breaker = open();
        let mut now = at(15);
        let mut rests = Vec::new();
        for _ in 0..6 {
            assert_eq!(breaker.admit(now), Ok(Admission::Trial));
            breaker.failed(9, now);
            let rest = breaker.rests(now).unwrap();
            rests.push(rest.as_secs());
            now += rest;
        }
        assert_eq!(rests, [10, 20, 40, 60, 60, 60]);
        breaker.answered();
        for question in 0..3 {
            breaker.failed(question, now);
        }
        assert_eq!(breaker.rests(now), Some(FIRST_REST));
    }

    #[test]
    fn a_trial_that_nobody_waits_for_makes_room_for_another() {
        let mut breaker = open();
        assert_eq!(breaker.admit(at(15)), Ok(Admission::Trial));
        breaker.abandoned(Admission::Usual, at(16));
        assert_eq!(breaker.admit(at(16)), wait(1));
        breaker.abandoned(Admission::Trial, at(16));
        assert_eq!(breaker.admit(at(16)), Ok(Admission::Trial));
        // and one that hangs does not keep others out for ever
        assert_eq!(breaker.admit(at(46)), Ok(Admission::Trial));
    }

    #[test]
    fn late_failures_do_not_prolong_a_rest() {
        let mut breaker = open();
        breaker.failed(7, at(14));
        assert_eq!(breaker.admit(at(15)), Ok(Admission::Trial));
    }

    #[test]
    fn whoever_insists_is_let_through() {
        let mut breaker = open();
        assert_eq!(breaker.insist(at(11)), Admission::Trial);
        breaker.answered();
        assert_eq!(breaker.insist(at(11)), Admission::Usual);
    }
}
