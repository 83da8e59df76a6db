//! Whether what is sent to a room is encrypted. Once it is, it is for ever: a server that says otherwise later gets no plain text.

use matrix_sdk::ruma::events::room::encryption::RoomEncryptionEventContent;
use matrix_sdk::{EncryptionState, Room};
use tertulia_message::DeliverError;

use super::Rooms;
use crate::call::Failure;
use crate::config::Encryption;

/// How a message is to be sent to a room.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Sending {
    /// In clear: the room is surely not encrypted.
    Plain,
    /// Encrypted; the client library does it.
    Encrypted,
    /// Not at all.
    Refuse(DeliverError),
}

/// What follows from what is remembered and what the library knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Decision {
    Plain,
    Encrypted,
    /// Encrypted, but the library must be told first, or it would send in clear.
    Restore,
    /// It is an encrypted room, and such rooms are not answered.
    Closed,
    Unknown,
}

fn decide(encryption: Encryption, remembered: bool, told: &EncryptionState) -> Decision {
    match (remembered || told.is_encrypted(), encryption) {
        (true, Encryption::Off) => Decision::Closed,
        (true, Encryption::On) if told.is_encrypted() => Decision::Encrypted,
        (true, Encryption::On) => Decision::Restore,
        (false, _) if told.is_unknown() => Decision::Unknown,
        (false, _) => Decision::Plain,
    }
}

impl Rooms {
    /// How the next message is to be sent to this room; asked before each one. The server is asked where nothing is known yet.
    pub(crate) async fn sending(&self, encryption: Encryption, room: &Room) -> Sending {
        let id = room.room_id().as_str();
        if !self.memory().has_marks {
            return Sending::Refuse(DeliverError::Lost("what is known of rooms was not read yet".to_owned()));
        }
        if let Err(error) = room.request_encryption_state().await
            && !self.is_surely_encrypted(id)
        {
            let why = format!("whether the room is encrypted is not known: {}", Failure::from(error));
            return Sending::Refuse(DeliverError::Lost(why));
        }
        let told = room.encryption_state();
        self.note_encryption(id, &told);
        match decide(encryption, self.is_surely_encrypted(id), &told) {
            Decision::Plain => Sending::Plain,
            Decision::Encrypted => Sending::Encrypted,
            Decision::Restore => restore(room).await,
            Decision::Closed => {
                let why = "encrypted rooms are switched off in the configuration";
                Sending::Refuse(DeliverError::Refused(why.to_owned()))
            }
            Decision::Unknown => {
                let why = "whether the room is encrypted is not known yet";
                Sending::Refuse(DeliverError::Lost(why.to_owned()))
            }
        }
    }

    /// What the library has learnt of a room's encryption, for whoever plans an answer.
    pub(super) fn note_encryption(&self, room: &str, told: &EncryptionState) {
        if told.is_encrypted() {
            self.encrypted(room);
        } else if !told.is_unknown() {
            self.memory().encrypted.entry(room.to_owned()).or_insert(false);
        }
    }
}

/// Tells the library what it has forgotten, or never believed.
async fn restore(room: &Room) -> Sending {
    let content = RoomEncryptionEventContent::with_recommended_defaults();
    let content = serde_json::to_value(content).and_then(serde_json::from_value);
    let restored = match content {
        Ok(content) => {
            tracing::warn!(room = %room.room_id(), "a room that is encrypted was said to be not; it stays encrypted");
            let told = room.update_and_save_room_info(|mut info| {
                info.set_encryption_event(Some(content));
                info.mark_encryption_state_synced();
                (info, <_>::default())
            });
            told.await.map_err(|error| error.to_string())
        }
        Err(error) => Err(error.to_string()),
    };
    match restored {
        Ok(()) if room.encryption_state().is_encrypted() => Sending::Encrypted,
        Ok(()) => Sending::Refuse(DeliverError::Lost("the room's encryption is lost".to_owned())),
        Err(why) => Sending::Refuse(DeliverError::Lost(why)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_sent_in_clear_to_what_was_ever_encrypted() {
        use EncryptionState::{Encrypted, NotEncrypted, Unknown};
        for (remembered, told, on, off) in [
            (false, NotEncrypted, Decision::Plain, Decision::Plain),
            (false, Unknown, Decision::Unknown, Decision::Unknown),
            (false, Encrypted, Decision::Encrypted, Decision::Closed),
            (true, Encrypted, Decision::Encrypted, Decision::Closed),
            (true, NotEncrypted, Decision::Restore, Decision::Closed),
            (true, Unknown, Decision::Restore, Decision::Closed),
        ] {
            assert_eq!(decide(Encryption::On, remembered, &told), on, "{remembered} {told:?}");
            assert_eq!(decide(Encryption::Off, remembered, &told), off, "{remembered} {told:?}");
        }
    }

    #[test]
    fn a_room_that_was_encrypted_stays_so_in_memory() {
        let rooms = Rooms::default();
        assert!(rooms.may_be_encrypted("!r"));
        rooms.note_encryption("!r", &EncryptionState::Unknown);
        assert!(rooms.may_be_encrypted("!r") && !rooms.is_surely_encrypted("!r"));
        rooms.note_encryption("!r", &EncryptionState::NotEncrypted);
        assert!(!rooms.may_be_encrypted("!r"));
        rooms.encrypted("!r");
        rooms.note_encryption("!r", &EncryptionState::NotEncrypted);
        assert!(rooms.may_be_encrypted("!r") && rooms.is_surely_encrypted("!r"));
    }
}
