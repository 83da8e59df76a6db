//! The line before one provider: so many questions at once, first come, first served, and none while it seems to be down.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tertulia_core::breaker::{Admission, Breaker, Health, health};
use tertulia_core::now::Mono;
use tertulia_core::provider::ProviderFault;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

use crate::parts::ProviderPart;

/// The line before one provider, for all who ask it.
pub(crate) struct Line {
    places: Arc<Semaphore>,
    /// How many places there shall be.
    size: AtomicUsize,
    /// How many more there are, until those who have them give them back.
    surplus: AtomicUsize,
    breaker: Mutex<Breaker>,
    since: Instant,
}

/// The provider rests for so much longer.
#[derive(Debug)]
pub(super) struct Refusal(pub(super) Duration);

/// A place at the provider, given back when it is dropped.
pub(super) struct Place {
    line: Arc<Line>,
    permit: Option<OwnedSemaphorePermit>,
    number: u64,
    admission: Admission,
    /// What it has learnt about the provider is told.
    heard: bool,
}

/// The lines before these providers; those of before whose provider is the same go on, with all who stand in them.
pub(crate) fn lines(
    parts: &BTreeMap<String, ProviderPart>,
    before: impl Fn(&str, &ProviderPart) -> Option<Arc<Line>>,
) -> BTreeMap<String, Arc<Line>> {
    let line = |(name, part): (&String, &ProviderPart)| {
        let line =
            before(name, part).map_or_else(|| Arc::new(Line::new(part.at_once)), |line| line.resized(part.at_once));
        (name.clone(), line)
    };
    parts.iter().map(line).collect()
}

impl Line {
    /// A line before a provider that takes so many questions at once, one at least.
    pub(crate) fn new(size: usize) -> Self {
        let size = bounded(size);
        Self {
            places: Arc::new(Semaphore::new(size)),
            size: AtomicUsize::new(size),
            surplus: AtomicUsize::new(0),
            breaker: Mutex::default(),
            since: Instant::now(),
        }
    }

    /// The same line with another number of places. To be called by one task at a time.
    fn resized(self: Arc<Self>, size: usize) -> Arc<Self> {
        let size = bounded(size);
        let before = self.size.swap(size, Ordering::SeqCst);
        if size > before {
            // in one step: a place that is given back at this moment may take one off, too
            let less = |surplus: usize| Some(surplus.saturating_sub(size - before));
            let surplus = self.surplus.fetch_update(Ordering::SeqCst, Ordering::SeqCst, less);
            let kept = surplus.unwrap_or_default().min(size - before);
            self.places.add_permits(size - before - kept);
        } else {
            let gone = self.places.forget_permits(before - size);
            self.surplus.fetch_add(before - size - gone, Ordering::SeqCst);
        }
        self
    }

    /// True if the last question found the provider down.
    pub(crate) fn is_worried(&self) -> bool {
        self.breaker().is_worried()
    }

    /// The question of this number was given up: there was no sign of life for too long.
    pub(crate) fn silent(&self, number: u64) {
        self.breaker().failed(number, self.now());
    }

    /// Waits for a place, unless the provider rests.
    pub(super) async fn enter(self: &Arc<Self>, number: u64, insists: bool) -> Result<Place, Refusal> {
        let rests = self.breaker().rests(self.now()).filter(|_| !insists);
        rests.map_or(Ok(()), |left| Err(Refusal(left)))?;
        // the semaphore is never closed
        let permit = Arc::clone(&self.places).acquire_owned().await.ok();
        let mut place = Place {
            line: Arc::clone(self),
            permit,
            number,
            admission: Admission::Usual,
            heard: false,
        };
        // whoever stood before it may have found out that nobody is there
        place.admission = self.admit(insists)?;
        Ok(place)
    }

    fn admit(&self, insists: bool) -> Result<Admission, Refusal> {
        let mut breaker = self.breaker();
        if insists {
            return Ok(breaker.insist(self.now()));
        }
        breaker.admit(self.now()).map_err(Refusal)
    }

    fn give_back(&self, permit: OwnedSemaphorePermit) {
        let less = |surplus: usize| surplus.checked_sub(1);
        if self
            .surplus
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, less)
            .is_ok()
        {
            permit.forget();
        }
    }

    fn now(&self) -> Mono {
        self.since.elapsed()
    }

    fn breaker(&self) -> MutexGuard<'_, Breaker> {
        self.breaker.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place {
    /// The provider has answered something. Only its first word counts: what goes on well may have begun before others failed.
    pub(super) fn answered(&mut self) {
        if !self.heard {
            self.heard = true;
            self.line.breaker().answered();
            self.admission = Admission::Usual;
        }
    }

    /// The provider failed.
    pub(super) fn failed(&mut self, fault: ProviderFault) {
        match health(fault) {
            Health::Up => self.answered(),
            Health::Down => {
                self.line.breaker().failed(self.number, self.line.now());
                self.admission = Admission::Usual;
            }
            Health::Unknown => {}
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.line.breaker().abandoned(self.admission, self.line.now());
        if let Some(permit) = self.permit.take() {
            self.line.give_back(permit);
        }
    }
}

fn bounded(size: usize) -> usize {
    size.clamp(1, Semaphore::MAX_PERMITS)
}
