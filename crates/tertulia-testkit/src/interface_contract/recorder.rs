//! An inlet that writes down what it is given, and takes it or not as the test wishes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use tertulia_interface::{Accept, AcceptError, Batch, Standing, Verdict};
use tertulia_message::command::CommandSpec;
use tertulia_message::path::InterfacePath;
use tertulia_message::{Account, Inbound, Level, Mark, PersonId};

/// How the recorder takes a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mood {
    /// Stores it and says so.
    Take,
    /// Stores nothing, and says so.
    Refuse,
    /// Stores it, and never says so.
    TakeAndHang,
    /// Stores only the marks, and has the senders told this.
    Deny(String),
}

/// An inlet with a memory that outlives interfaces.
pub struct Recorder {
    state: Mutex<State>,
}

struct State {
    mood: Mood,
    events: Vec<Inbound>,
    known: BTreeSet<(Account, String)>,
    marks: BTreeMap<(Account, String), Vec<u8>>,
    offered: usize,
}

impl Recorder {
    /// An empty memory.
    #[must_use]
    pub fn new(mood: Mood) -> Self {
        Self {
            state: Mutex::new(State {
                mood,
                events: Vec::new(),
                known: BTreeSet::new(),
                marks: BTreeMap::new(),
                offered: 0,
            }),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes batches differently from now on.
    pub fn change(&self, mood: Mood) {
        self.state().mood = mood;
    }

    /// Every stored event, in order, each once.
    #[must_use]
    pub fn events(&self) -> Vec<Inbound> {
        self.state().events.clone()
    }

    /// How many batches were offered.
    #[must_use]
    pub fn offered(&self) -> usize {
        self.state().offered
    }

    /// The stored marks of all accounts.
    #[must_use]
    pub fn marks(&self) -> Vec<(Account, String)> {
        self.state().marks.keys().cloned().collect()
    }
}

impl State {
    fn store(&mut self, batch: &Batch) -> Vec<Verdict> {
        self.store_marks(batch);
        let mut verdicts = Vec::new();
        for event in &batch.events {
            if self.known.insert((event.account.clone(), event.id.clone())) {
                self.events.push(event.clone());
                verdicts.push(Verdict::Accepted);
            } else {
                verdicts.push(Verdict::Duplicate);
            }
        }
        verdicts
    }

    fn store_marks(&mut self, batch: &Batch) {
        for mark in &batch.marks {
            let key = (batch.account.clone(), mark.key.clone());
            match &mark.value {
                Some(value) => self.marks.insert(key, value.clone()),
                None => self.marks.remove(&key),
            };
        }
    }

    /// The verdicts, or nothing if the caller is never to learn them.
    fn take(&mut self, batch: &Batch) -> Option<Result<Vec<Verdict>, AcceptError>> {
        self.offered += 1;
        match self.mood.clone() {
            Mood::Take => Some(Ok(self.store(batch))),
            Mood::Refuse => Some(Err(AcceptError::Store("no room".to_owned()))),
            Mood::TakeAndHang => {
                self.store(batch);
                None
            }
            Mood::Deny(text) => {
                self.store_marks(batch);
                let denied = Verdict::Denied { say: Some(text) };
                Some(Ok(vec![denied; batch.events.len()]))
            }
        }
    }
}

#[async_trait]
impl Accept for Recorder {
    async fn accept(&self, batch: Batch) -> Result<Vec<Verdict>, AcceptError> {
        let taken = self.state().take(&batch);
        match taken {
            Some(verdicts) => verdicts,
            None => std::future::pending().await,
        }
    }

    async fn marks(&self, account: &Account, prefix: &str) -> Result<Vec<Mark>, AcceptError> {
        let state = self.state();
        let ours = state
            .marks
            .iter()
            .filter(|((of, key), _)| of == account && key.starts_with(prefix));
        let marks = ours.map(|((_, key), value)| Mark {
            key: key.clone(),
            value: Some(value.clone()),
        });
        Ok(marks.collect())
    }

    fn commands(&self) -> &'static [CommandSpec] {
        &[]
    }

    async fn hang_up(&self, _account: &Account, _id: &str) {}

    fn reached(&self, _interface: &str, _is_reached: bool) {}

    fn standing(&self, _person: &PersonId, _path: &InterfacePath) -> Standing {
        Standing {
            level: Level::User,
            is_governed: true,
        }
    }
}
