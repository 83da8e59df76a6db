//! What is remembered of rooms as long as the process lives.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use tokio::time::Instant;

use super::recent::Recent;
use crate::place::Place;

/// The most threads that are remembered as the bot's own or not.
const THREADS: usize = 4096;
/// The most events that are kept, because others name them.
const EVENTS: usize = 32;
/// The most names of people that had to be asked for.
const NAMES: usize = 1024;

/// What an event of a room was, and since when that is known.
pub(super) type Kept = (Instant, Option<Arc<str>>);

#[derive(Debug)]
pub(super) struct Memory {
    /// True for a room that is encrypted for ever, false for one that surely is not at the moment.
    pub(super) encrypted: HashMap<String, bool>,
    /// The rooms that have replaced others, by those.
    pub(super) successors: HashMap<String, String>,
    /// Rooms that are being replaced, and since when.
    pub(super) moving: HashMap<String, Instant>,
    /// Rooms of which nobody waits any longer until it is decided whether they replace others.
    pub(super) unsettled: HashSet<String>,
    /// Whether the bot takes part in a thread.
    pub(super) threads: Recent<Place, bool>,
    /// Events that others name, by room and id.
    pub(super) events: Recent<(String, String), Kept>,
    /// Names of people that the library does not know, by room and user.
    pub(super) names: Recent<(String, String), Option<String>>,
    /// True once the server has told what rooms there are.
    pub(super) has_synced: bool,
    /// True once what is on disk of rooms was read.
    pub(super) has_marks: bool,
}

impl Default for Memory {
    fn default() -> Self {
        Self {
            encrypted: HashMap::new(),
            successors: HashMap::new(),
            moving: HashMap::new(),
            unsettled: HashSet::new(),
            threads: Recent::of(THREADS),
            events: Recent::of(EVENTS),
            names: Recent::of(NAMES),
            has_synced: false,
            has_marks: false,
        }
    }
}

impl Memory {
    /// Nothing of a room is kept but that it is encrypted, and where it went.
    pub(super) fn forget(&mut self, room: &str) {
        self.moving.remove(room);
        self.threads.keep(|place| place.room() != room);
        self.events.keep(|(of, _)| of != room);
        self.names.keep(|(of, _)| of != room);
        if self.encrypted.get(room) == Some(&false) {
            self.encrypted.remove(room);
        }
    }
}
