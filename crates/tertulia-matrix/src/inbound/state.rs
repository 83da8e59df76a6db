//! Changes of a room that matter: who is in it, encryption, and its end.

use tertulia_message::What;

use super::event::Event;
use super::{Around, Read, Reader, Skipped};
use crate::ids;

impl Reader<'_> {
    /// The state event also counts where it was redacted: a room stays encrypted and closed.
    pub(super) fn state(&self, event: &Event<'_>, around: &Around<'_>) -> Result<Read, Skipped> {
        let key = event.state_key.as_deref().unwrap_or_default();
        let what = match event.kind.as_str() {
            "m.room.encryption" if key.is_empty() => return Ok(Read::Encrypted),
            "m.room.tombstone" if key.is_empty() => return Ok(Read::Replaced),
            "m.room.member" if key == self.user => match change(event).ok_or(Skipped::Nothing)? {
                Change::Joined => return Ok(Read::Joined),
                Change::Invited => What::Invited,
                Change::Left => What::Left,
            },
            _ => return Err(Skipped::Nothing),
        };
        self.inbound(event, around, None, what)
            .map(|event| Read::Event(Box::new(event)))
    }
}

/// The room that a new room says it replaces, by its `m.room.create` event.
///
/// A tombstone alone moves no conversation: anybody who may close a room could name a room of others.
#[must_use]
pub(crate) fn predecessor(create: &str) -> Option<String> {
    let event = Event::read(create).filter(|event| event.kind == "m.room.create")?;
    let room = event.content.object("predecessor").text("room_id");
    room.filter(|room| ids::is_room(room))
}

enum Change {
    Joined,
    Invited,
    Left,
}

/// What became of the bot; nothing if only its name has changed.
fn change(event: &Event<'_>) -> Option<Change> {
    let now = event.content.text("membership")?;
    if event.before.as_ref() == Some(&now) {
        return None;
    }
    match now.as_str() {
        "join" => Some(Change::Joined),
        "invite" => Some(Change::Invited),
        "leave" | "ban" => Some(Change::Left),
        _ => None,
    }
}
