//! What is known about rooms, in memory: enough to understand an event and to plan an answer.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use matrix_sdk::Room;

use crate::inbound::Around;

/// All rooms that were met.
#[derive(Debug, Default)]
pub(crate) struct Rooms(Mutex<HashMap<String, Known>>);

/// What is known about a room.
#[derive(Debug, Default)]
struct Known {
    is_encrypted: Option<bool>,
}

/// What is known around one event; owned, so that it can be looked up before anything is read.
#[derive(Debug, Default)]
pub(crate) struct Surroundings {
    room: String,
    is_direct: bool,
    our_name: String,
    sender_name: Option<String>,
    related: Option<String>,
    related_name: Option<String>,
    is_our_thread: bool,
}

impl Surroundings {
    pub(crate) fn around(&self) -> Around<'_> {
        Around {
            room: &self.room,
            is_direct: self.is_direct,
            our_name: &self.our_name,
            sender_name: self.sender_name.as_deref(),
            related: self.related.as_deref(),
            related_name: self.related_name.as_deref(),
            is_our_thread: self.is_our_thread,
        }
    }
}

impl Rooms {
    /// False only for a room that is known to be in clear.
    pub(crate) fn may_be_encrypted(&self, room: &str) -> bool {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(room).and_then(|known| known.is_encrypted).unwrap_or(true)
    }

    /// What has to be known to read this event of a room.
    pub(crate) async fn surroundings(&self, room: &Room, _event: &str) -> Surroundings {
        Surroundings {
            room: room.room_id().to_string(),
            is_direct: room.joined_members_count() <= 2,
            ..Surroundings::default()
        }
    }
}
