//! Remembers what was learnt of each model, for a while, and lets one question answer all who wait for it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tertulia_core::provider::ProviderError;

/// How long what was learnt is believed: a model may be replaced by another of its name.
const BELIEVED: Duration = Duration::from_mins(10);
/// How long a failure is not tried again: long enough for a crowd, short enough for a server that has just come up.
const AVOIDED: Duration = Duration::from_secs(2);
/// How many models are remembered.
const MODELS: usize = 64;

/// All models, by name in lower case.
#[derive(Debug)]
pub(crate) struct Memory<T> {
    models: Mutex<HashMap<String, Arc<Place<T>>>>,
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
}

impl<T> Default for Memory<T> {
    fn default() -> Self {
        Self {
            models: Mutex::default(),
        }
    }
}

impl<T> Default for Place<T> {
    fn default() -> Self {
        let state = State {
            learnt: None,
            outcome: None,
        };
        Self {
            asking: tokio::sync::Mutex::default(),
            state: Mutex::new(state),
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
        let learnt = ask.await;
        place.note(Instant::now(), learnt)
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
        let holds = if outcome.is_ok() { BELIEVED } else { AVOIDED };
        (now.saturating_duration_since(*at) < holds).then(|| outcome.clone())
    }

    /// The outcome of a question that was answered since.
    fn since(&self, begin: Instant) -> Option<Result<(), ProviderError>> {
        let state = lock(&self.state);
        let (at, outcome) = state.outcome.as_ref()?;
        (*at >= begin).then(|| outcome.clone())
    }

    /// Notes what came of a question.
    fn note(&self, now: Instant, answer: Result<T, ProviderError>) -> Result<(), ProviderError> {
        let mut state = lock(&self.state);
        let outcome = answer.map(|learnt| state.learnt = Some(learnt));
        state.outcome = Some((now, outcome.clone()));
        outcome
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
    use tertulia_core::provider::ProviderFault;

    use super::*;

    const LEARNT: u64 = 4_711;

    #[test]
    fn what_was_learnt_is_believed_for_a_while_and_kept_longer() {
        let (memory, begin) = (Memory::default(), Instant::now());
        let place = memory.place("Qwen3:4B");
        assert_eq!((place.settled(begin), memory.learnt("qwen3:4b")), (None, None));
        assert_eq!(place.note(begin, Ok(LEARNT)), Ok(()));
        let after = |seconds| begin + Duration::from_secs(seconds);
        assert_eq!(place.settled(after(599)), Some(Ok(())));
        assert_eq!(place.settled(after(600)), None);
        let error = ProviderError::new(ProviderFault::Unreachable, "gone");
        assert_eq!(place.note(after(600), Err(error.clone())), Err(error.clone()));
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
    fn the_number_of_models_is_bounded() {
        let memory = Memory::default();
        for number in 0..1_000 {
            assert_eq!(
                memory.place(&number.to_string()).note(Instant::now(), Ok(LEARNT)),
                Ok(())
            );
            assert!(lock(&memory.models).len() <= MODELS);
        }
        assert_eq!((memory.learnt("999"), memory.learnt("0")), (Some(LEARNT), None));
    }
}
