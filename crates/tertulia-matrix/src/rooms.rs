//! What is known about rooms, in memory: enough to understand an event, and to say how and where an answer may go.

mod cover;
mod invitations;
mod leaving;
mod memory;
mod recent;
mod surroundings;
mod tend;
mod tries;
mod upgrades;
mod way;

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::place::Place;
use memory::Memory;

pub(crate) use cover::Sending;
pub(crate) use tend::tend;

/// All rooms that were met.
#[derive(Debug, Default)]
pub(crate) struct Rooms {
    memory: Mutex<Memory>,
    /// Something may have changed in rooms: see [`tend`].
    changed: Notify,
    /// The rooms were looked at after a change.
    looked_at: Notify,
}

impl Rooms {
    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// False only for a room that is known to be in clear.
    pub(crate) fn may_be_encrypted(&self, room: &str) -> bool {
        self.memory().encrypted.get(room).copied().unwrap_or(true)
    }

    fn is_surely_encrypted(&self, room: &str) -> bool {
        self.memory().encrypted.get(room).copied().unwrap_or(false)
    }

    /// The rooms that are encrypted and not among these.
    fn surely_encrypted_but(&self, known: &HashSet<String>) -> Vec<String> {
        let memory = self.memory();
        let encrypted = memory.encrypted.iter().filter(|(_, is_encrypted)| **is_encrypted);
        let new = encrypted.map(|(room, _)| room).filter(|room| !known.contains(*room));
        new.cloned().collect()
    }

    /// The room is encrypted from now on, for ever.
    pub(crate) fn encrypted(&self, room: &str) {
        self.memory().encrypted.insert(room.to_owned(), true);
    }

    /// The bot has said something at this place: what is said there in a thread is for it.
    pub(crate) fn said(&self, place: &Place) {
        if place.thread().is_some() {
            self.memory().threads.put(place.clone(), true);
        }
    }

    /// The room that has replaced this one, once the conversation has moved there.
    pub(crate) fn successor(&self, room: &str) -> Option<String> {
        self.memory().successors.get(room).cloned()
    }

    /// A sync response was handled: rooms may have been joined, left, replaced.
    pub(crate) fn changed(&self) {
        self.memory().has_synced = true;
        self.changed.notify_one();
    }
}
