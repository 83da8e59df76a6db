//! The way to a room for what is to be sent: whether it is there, where it went, and whether it is encrypted.

use std::time::Duration;

use matrix_sdk::ruma::RoomId;
use matrix_sdk::{Client, Room, RoomState};
use tertulia_message::DeliverError;

use super::{Rooms, Sending};
use crate::config::Encryption;
use crate::place::Place;

/// How long an answer waits for the room that replaces its own: the old one usually takes no more words.
const MOVING: Duration = Duration::from_mins(2);

impl Rooms {
    /// The room of a place, and how a message is sent there. Asked before each message.
    ///
    /// # Errors
    /// What a delivery there comes to.
    pub(crate) async fn way(
        &self,
        client: &Client,
        (interface, encryption): (&str, Encryption),
        place: &Place,
    ) -> Result<(Room, Sending), DeliverError> {
        if let Some(to) = self.successor(place.room()) {
            let there = Place::new(to, place.thread().map(str::to_owned));
            let path = there.ok().and_then(|there| there.path(interface).ok());
            return Err(path.map_or_else(|| DeliverError::Gone("replaced".to_owned()), DeliverError::Moved));
        }
        let room = RoomId::parse(place.room()).ok().and_then(|id| client.get_room(&id));
        let Some(room) = room.filter(|room| room.state() == RoomState::Joined) else {
            return Err(self.missing());
        };
        if self.is_moving(place.room()) {
            return Err(DeliverError::Lost("the room is being replaced".to_owned()));
        }
        match self.sending(encryption, &room).await {
            Sending::Refuse(error) => Err(error),
            sending => Ok((room, sending)),
        }
    }

    fn is_moving(&self, room: &str) -> bool {
        let memory = self.memory();
        memory.moving.get(room).is_some_and(|since| since.elapsed() < MOVING)
    }

    /// Before the server has told of rooms for the first time, none is gone.
    fn missing(&self) -> DeliverError {
        if self.memory().has_synced {
            DeliverError::Gone("the bot is not in the room".to_owned())
        } else {
            DeliverError::Lost("the rooms are not known yet".to_owned())
        }
    }
}
