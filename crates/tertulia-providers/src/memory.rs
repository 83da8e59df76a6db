//! Remembers what was learnt of each model, for a while, and lets one question answer all who wait for it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tertulia_core::provider::{ProviderError, ProviderFault};

/// How long what was learnt is believed: a model may be replaced by another of its name.
const BELIEVED: Duration = Duration::from_mins(10);
/// How long a failure is not tried again: long enough for a crowd, short enough for a server that has just come up.
const AVOIDED: Duration = Duration::from_secs(2);
/// A failure that was long in coming is not tried again for so many times as long, and twice that after every further one:
/// whoever asks waits for it in vain.
const AVOIDED_FACTOR: u32 = 10;
/// How long a failure is not tried again at most.
const LONGEST_AVOIDED: Duration = Duration::from_mins(5);
/// The same where a turn is much worse for what was not learnt.
const LONGEST_AVOIDED_EAGERLY: Duration = Duration::from_secs(10);
/// How many models are remembered.
const MODELS: usize = 64;

/// All models, by name in lower case.
#[derive(Debug)]
pub(crate) struct Memory<T> {
    models: Mutex<HashMap<String, Arc<Place<T>>>>,
    terms: Terms,
}

/// How long things hold.
#[derive(Debug, Clone, Copy)]
struct Terms {
    believed: Duration,
    /// At most.
    avoided: Duration,
}

/// What is remembered of one model.
#[derive(Debug)]
pub(crate) struct Place<T> {
    /// Held by whoever asks.
    asking: tokio::sync::Mutex<()>,
    state: Mutex<State<T>>,
}

#[derive(Debug)]
struct State<T> {
    /// Also after it is no longer believed: until something newer is learnt it is the best there is.
    learnt: Option<T>,
    outcome: Option<(Instant, Result<(), ProviderError>)>,
    /// How long that holds.
    holds: Duration,
    /// In a row.
    failures: u32,
}

/// A question under way. Where nobody waits for its answer any more, it has failed.
struct Asking<'a, T> {
    place: &'a Place<T>,
    begin: Instant,
    terms: Terms,
    is_answered: bool,
}

impl<T> Default for Memory<T> {
    fn default() -> Self {
        Self::believing_for(BELIEVED)
    }
}

impl<T> Default for Place<T> {
    fn default() -> Self {
        let state = State {
            learnt: None,
            outcome: None,
            holds: Duration::ZERO,
            failures: 0,
        };
        Self {
            asking: tokio::sync::Mutex::default(),
            state: Mutex::new(state),
        }
    }
}

impl<T> Memory<T> {
    /// What was learnt is believed for so long.
    pub(crate) fn believing_for(believed: Duration) -> Self {
        Self {
            models: Mutex::default(),
            terms: Terms {
                believed,
                avoided: LONGEST_AVOIDED,
            },
        }
    }

    /// For what turns need badly: what could not be learnt is soon tried again.
    pub(crate) fn eager() -> Self {
        Self {
            models: Mutex::default(),
            terms: Terms {
                believed: BELIEVED,
                avoided: LONGEST_AVOIDED_EAGERLY,
            },
        }
    }
}

impl<T: Clone> Memory<T> {
    /// Learns of a model, unless what was learnt of it still holds; `fresh` asks all the same. Whoever waits for one that
    /// asks gets its answer.
    pub(crate) async fn learn<F>(&self, model: &str, fresh: bool, ask: F) -> Result<(), ProviderError>
    where
        F: Future<Output = Result<T, ProviderError>>,
    {
        let (place, begin) = (self.place(model), Instant::now());
        if let Some(outcome) = place.settled(begin).filter(|_| !fresh) {
            return outcome;
        }
        let _asking = place.asking.lock().await;
        // whoever asked while we waited asked for us, too
        if let Some(outcome) = place.since(begin) {
            return outcome;
        }
        let mut asking = Asking {
            place: &place,
            begin: Instant::now(),
            terms: self.terms,
            is_answered: false,
        };
        let learnt = ask.await;
        asking.is_answered = true;
        place.note(asking.begin, Instant::now(), self.terms, learnt)
    }

    /// The place of a model.
    fn place(&self, model: &str) -> Arc<Place<T>> {
        let mut models = lock(&self.models);
        let name = model.to_lowercase();
        if models.len() >= MODELS && !models.contains_key(&name) {
            forget_oldest(&mut models);
        }
        Arc::clone(models.entry(name).or_default())
    }

    /// What was learnt of a model; makes no place for it.
    pub(crate) fn learnt(&self, model: &str) -> Option<T> {
        let place = lock(&self.models).get(&model.to_lowercase()).cloned();
        place.and_then(|place| lock(&place.state).learnt.clone())
    }

    /// The server has contradicted what was learnt: the next one who wants to know asks.
    pub(crate) fn doubt(&self, model: &str) {
        let place = lock(&self.models).get(&model.to_lowercase()).cloned();
        if let Some(place) = place {
            lock(&place.state).outcome = None;
        }
    }
}

impl<T> Place<T> {
    /// The outcome of the last question, while it holds.
    fn settled(&self, now: Instant) -> Option<Result<(), ProviderError>> {
        let state = lock(&self.state);
        let (at, outcome) = state.outcome.as_ref()?;
        (now.saturating_duration_since(*at) < state.holds).then(|| outcome.clone())
    }

    /// The outcome of a question that was answered since.
    fn since(&self, begin: Instant) -> Option<Result<(), ProviderError>> {
        let state = lock(&self.state);
        let (at, outcome) = state.outcome.as_ref()?;
        (*at >= begin).then(|| outcome.clone())
    }

    /// Notes what came of a question that was asked at `begin`.
    fn note(
        &self,
        begin: Instant,
        now: Instant,
        terms: Terms,
        answer: Result<T, ProviderError>,
    ) -> Result<(), ProviderError> {
        let mut state = lock(&self.state);
        let outcome = answer.map(|learnt| state.learnt = Some(learnt));
        if outcome.is_ok() {
            (state.holds, state.failures) = (terms.believed, 0);
        } else {
            let factor = AVOIDED_FACTOR.saturating_mul(1 << state.failures.min(4));
            let waited = now.saturating_duration_since(begin).saturating_mul(factor);
            state.holds = waited.clamp(AVOIDED, terms.avoided);
            state.failures = state.failures.saturating_add(1);
        }
        state.outcome = Some((now, outcome.clone()));
        outcome
    }
}

impl<T> Drop for Asking<'_, T> {
    fn drop(&mut self) {
        if !self.is_answered {
            let late = ProviderError::new(ProviderFault::Unreachable, "nothing was told in time");
            drop(self.place.note(self.begin, Instant::now(), self.terms, Err(late)));
        }
    }
}

/// Drops the model that was asked for longest ago; one that is being asked for stays if it can.
fn forget_oldest<T>(models: &mut HashMap<String, Arc<Place<T>>>) {
    let asked = |place: &Place<T>| lock(&place.state).outcome.as_ref().map(|(at, _)| *at);
    let oldest = models
        .iter()
        .min_by_key(|(_, place)| asked(place).map_or((true, None), |at| (false, Some(at))))
        .map(|(name, _)| name.clone());
    if let Some(name) = oldest {
        models.remove(&name);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEARNT: u64 = 4_711;
    const TERMS: Terms = Terms {
        believed: BELIEVED,
        avoided: LONGEST_AVOIDED,
    };

    #[test]
    fn what_was_learnt_is_believed_for_a_while_and_kept_longer() {
        let (memory, begin) = (Memory::default(), Instant::now());
        let place = memory.place("Qwen3:4B");
        assert_eq!((place.settled(begin), memory.learnt("qwen3:4b")), (None, None));
        assert_eq!(place.note(begin, begin, TERMS, Ok(LEARNT)), Ok(()));
        let after = |seconds| begin + Duration::from_secs(seconds);
        assert_eq!(place.settled(after(599)), Some(Ok(())));
        assert_eq!(place.settled(after(600)), None);
        let error = ProviderError::new(ProviderFault::Unreachable, "gone");
        assert_eq!(
            place.note(after(600), after(600), TERMS, Err(error.clone())),
            Err(error.clone())
        );
        assert_eq!(place.settled(after(601)), Some(Err(error.clone())));
        assert_eq!(place.settled(after(602)), None);
        assert_eq!(memory.learnt("QWEN3:4b"), Some(LEARNT));
        assert_eq!(
            (place.since(after(600)), place.since(after(601))),
            (Some(Err(error)), None)
        );
        memory.doubt("qwen3:4b");
        assert_eq!(
            (place.settled(after(600)), memory.learnt("qwen3:4b")),
            (None, Some(LEARNT))
        );
    }

    #[test]
    fn failures_that_took_long_are_avoided_longer_and_longer() {
        let place = Place::<u64>::default();
        let gone = || Err(ProviderError::new(ProviderFault::Unreachable, "gone"));
        let begin = Instant::now();
        let mut now = begin;
        for seconds in [30, 60, 120, 240, 300, 300] {
            let asked = now;
            now += Duration::from_secs(3);
            assert!(place.note(asked, now, TERMS, gone()).is_err());
            let holds = |seconds| place.settled(now + Duration::from_secs(seconds)).is_some();
            assert_eq!((holds(seconds - 1), holds(seconds)), (true, false), "{seconds}");
        }
        assert_eq!(place.note(now, now, TERMS, Ok(LEARNT)), Ok(()));
        assert!(place.note(now, now, TERMS, gone()).is_err());
        assert!(place.settled(now + AVOIDED).is_none());
        let eager = Memory::<u64>::eager().terms;
        let later = now + Duration::from_mins(1);
        assert!(place.note(now, later, eager, gone()).is_err());
        assert!(place.settled(later + LONGEST_AVOIDED_EAGERLY).is_none());
    }

    #[tokio::test]
    async fn a_question_that_nobody_waits_for_has_failed() {
        let memory = Memory::<u64>::default();
        let asking = memory.learn("m", false, std::future::pending());
        assert!(tokio::time::timeout(Duration::from_millis(1), asking).await.is_err());
        let next = memory.learn("m", false, async { Ok(LEARNT) }).await;
        assert_eq!(next.map_err(|error| error.kind), Err(ProviderFault::Unreachable));
        assert_eq!(memory.learn("m", true, async { Ok(LEARNT) }).await, Ok(()));
    }

    #[test]
    fn the_number_of_models_is_bounded() {
        let memory = Memory::default();
        for number in 0..1_000 {
            assert_eq!(
                memory
                    .place(&number.to_string())
                    .note(Instant::now(), Instant::now(), TERMS, Ok(LEARNT)),
                Ok(())
            );
            assert!(lock(&memory.models).len() <= MODELS);
        }
        assert_eq!((memory.learnt("999"), memory.learnt("0")), (Some(LEARNT), None));
    }
}
