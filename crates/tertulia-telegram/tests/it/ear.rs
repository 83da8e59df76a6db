//! An inlet that remembers what it heard, and can be told how to answer.
#![expect(clippy::unwrap_used, reason = "test code")]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard};

use async_trait::async_trait;
use tertulia_interface::{Accept, AcceptError, Batch, Standing, Verdict};
use tertulia_message::command::{CommandPlace, CommandSpec};
use tertulia_message::path::InterfacePath;
use tertulia_message::{Account, Inbound, Level, Mark, PersonId};

const fn spec(name: &'static str, level: Level, place: CommandPlace) -> CommandSpec {
    CommandSpec {
        name,
        level,
        arguments: "",
        help: "what it does",
        place,
    }
}

const COMMANDS: &[CommandSpec] = &[
    spec("help", Level::User, CommandPlace::Anywhere),
    spec("claim", Level::Guest, CommandPlace::Direct),
    spec("deny", Level::Admin, CommandPlace::Anywhere),
];

/// How the ear takes a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Mood {
    Take,
    Refuse,
    /// Stores it and never says so, as if the process died then.
    TakeAndHang,
    Deny(String),
}

#[derive(Debug)]
struct State {
    mood: Mood,
    level: Level,
    events: Vec<Inbound>,
    known: BTreeSet<String>,
    marks: BTreeMap<String, Vec<u8>>,
    offered: usize,
    reached: Vec<bool>,
}

/// The inlet.
#[derive(Debug)]
pub(crate) struct Ear(Mutex<State>);

impl Ear {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(State {
            mood: Mood::Take,
            level: Level::User,
            events: Vec::new(),
            known: BTreeSet::new(),
            marks: BTreeMap::new(),
            offered: 0,
            reached: Vec::new(),
        }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    pub(crate) fn mood(&self, mood: Mood) {
        self.state().mood = mood;
    }

    pub(crate) fn level(&self, level: Level) {
        self.state().level = level;
    }

    /// Every stored event, each once.
    pub(crate) fn events(&self) -> Vec<Inbound> {
        self.state().events.clone()
    }

    /// How many batches were offered.
    pub(crate) fn offered(&self) -> usize {
        self.state().offered
    }

    /// What was told of the platform, changes only.
    pub(crate) fn reached(&self) -> Vec<bool> {
        let mut told = self.state().reached.clone();
        told.dedup();
        told
    }

    pub(crate) fn mark(&self, key: &str) -> Option<String> {
        let value = self.state().marks.get(key).cloned()?;
        String::from_utf8(value).ok()
    }
}

impl State {
    fn store(&mut self, batch: &Batch) -> Vec<Verdict> {
        for mark in &batch.marks {
            match &mark.value {
                Some(value) => self.marks.insert(mark.key.clone(), value.clone()),
                None => self.marks.remove(&mark.key),
            };
        }
        let mut verdicts = Vec::new();
        for event in &batch.events {
            let is_new = self.known.insert(event.id.clone());
            if is_new {
                self.events.push(event.clone());
            }
            verdicts.push(if is_new { Verdict::Accepted } else { Verdict::Duplicate });
        }
        verdicts
    }
}

#[async_trait]
impl Accept for Ear {
    async fn accept(&self, batch: Batch) -> Result<Vec<Verdict>, AcceptError> {
        let (mood, verdicts) = {
            let mut state = self.state();
            state.offered += 1;
            let mood = state.mood.clone();
            let verdicts = match &mood {
                Mood::Refuse => Vec::new(),
                Mood::Deny(text) => {
                    let say = Some(text.clone());
                    vec![Verdict::Denied { say }; batch.events.len()]
                }
                Mood::Take | Mood::TakeAndHang => state.store(&batch),
            };
            (mood, verdicts)
        };
        match mood {
            Mood::Refuse => Err(AcceptError::Store("no room".to_owned())),
            Mood::TakeAndHang => std::future::pending().await,
            _ => Ok(verdicts),
        }
    }

    async fn marks(&self, _account: &Account, prefix: &str) -> Result<Vec<Mark>, AcceptError> {
        let state = self.state();
        let ours = state.marks.iter().filter(|(key, _)| key.starts_with(prefix));
        let mark = |(key, value): (&String, &Vec<u8>)| Mark {
            key: key.clone(),
            value: Some(value.clone()),
        };
        Ok(ours.map(mark).collect())
    }

    fn commands(&self) -> &'static [CommandSpec] {
        COMMANDS
    }

    async fn hang_up(&self, _account: &Account, _id: &str) {}

    fn reached(&self, _interface: &str, is_reached: bool) {
        self.state().reached.push(is_reached);
    }

    fn standing(&self, _person: &PersonId, _path: &InterfacePath) -> Standing {
        Standing {
            level: self.state().level,
            is_governed: true,
        }
    }
}
