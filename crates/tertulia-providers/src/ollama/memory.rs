//! Remembers what was learnt of each model, for a while, and lets one question answer all who wait for it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tertulia_core::provider::ProviderError;

use super::shown::Shown;

/// How long what was learnt is believed: a model may be replaced by another of its name.
const BELIEVED: Duration = Duration::from_mins(10);
/// How long a failure is not tried again: long enough for a crowd, short enough for a server that has just come up.
const AVOIDED: Duration = Duration::from_secs(2);
/// How many models are remembered.
const MODELS: usize = 64;

/// What is known of a model and its server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Learnt {
    pub(crate) shown: Shown,
    /// The server refuses what is too long instead of cutting it.
    pub(crate) refuses: bool,
}

/// All models, by name in lower case.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    models: Mutex<HashMap<String, Arc<Place>>>,
}

/// What is remembered of one model.
#[derive(Debug, Default)]
pub(crate) struct Place {
    /// Held by whoever asks.
    pub(crate) asking: tokio::sync::Mutex<()>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Also after it is no longer believed: until something newer is learnt it is the best there is.
    learnt: Option<Learnt>,
    outcome: Option<(Instant, Result<(), ProviderError>)>,
}

impl Memory {
    /// The place of a model.
    pub(crate) fn place(&self, model: &str) -> Arc<Place> {
        let mut models = lock(&self.models);
        let name = model.to_lowercase();
        if models.len() >= MODELS && !models.contains_key(&name) {
            forget_oldest(&mut models);
        }
        Arc::clone(models.entry(name).or_default())
    }

    /// What was learnt of a model; makes no place for it.
    pub(crate) fn learnt(&self, model: &str) -> Option<Learnt> {
        let place = lock(&self.models).get(&model.to_lowercase()).cloned();
        place.and_then(|place| lock(&place.state).learnt)
    }

    /// The server has contradicted what was learnt: the next one who wants to know asks.
    pub(crate) fn doubt(&self, model: &str) {
        let place = lock(&self.models).get(&model.to_lowercase()).cloned();
        if let Some(place) = place {
            lock(&place.state).outcome = None;
        }
    }
}

impl Place {
    /// The outcome of the last question, while it holds.
    pub(crate) fn settled(&self, now: Instant) -> Option<Result<(), ProviderError>> {
        let state = lock(&self.state);
        let (at, outcome) = state.outcome.as_ref()?;
        let holds = if outcome.is_ok() { BELIEVED } else { AVOIDED };
        (now.saturating_duration_since(*at) < holds).then(|| outcome.clone())
    }

    /// The outcome of a question that was answered since.
    pub(crate) fn since(&self, begin: Instant) -> Option<Result<(), ProviderError>> {
        let state = lock(&self.state);
        let (at, outcome) = state.outcome.as_ref()?;
        (*at >= begin).then(|| outcome.clone())
    }

    /// Notes what came of a question.
    pub(crate) fn note(&self, now: Instant, answer: Result<Learnt, ProviderError>) -> Result<(), ProviderError> {
        let mut state = lock(&self.state);
        let outcome = answer.map(|learnt| state.learnt = Some(learnt));
        state.outcome = Some((now, outcome.clone()));
        outcome
    }
}

/// Drops the model that was asked for longest ago; one that is being asked for stays if it can.
fn forget_oldest(models: &mut HashMap<String, Arc<Place>>) {
    let asked = |place: &Place| lock(&place.state).outcome.as_ref().map(|(at, _)| *at);
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

    const LEARNT: Learnt = Learnt {
        shown: Shown {
            chat: true,
            tools: false,
            vision: false,
            thinking: false,
            context_length: None,
            own_window: None,
        },
        refuses: true,
    };

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
