//! Events of a room's timeline in the daemon's words; pure.

mod addressed;
mod event;
mod files;
mod html;
mod note;
mod people;
mod quoted;
mod relation;
mod said;
mod state;

#[cfg(test)]
mod tests;

use tertulia_message::command::CommandSpec;
use tertulia_message::path::InterfacePath;
use tertulia_message::{Account, Addressed, Inbound, PersonId, What};

use crate::config::{Config, Encryption};
use crate::ids;
use crate::place::Place;
use event::Event;
use relation::Relation;

pub(crate) use state::predecessor;

/// The longest sign of a reaction, in characters.
const LONGEST_SIGN: usize = 64;

/// What reading an event depends on, for all rooms.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reader<'a> {
    /// Whose events they are.
    pub(crate) account: &'a Account,
    /// The bot's own id.
    pub(crate) user: &'a str,
    /// How the bot is configured.
    pub(crate) config: &'a Config,
    /// The commands that people may give.
    pub(crate) commands: &'a [CommandSpec],
}

/// What is known about the room and the people around an event.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Around<'a> {
    /// The room's id.
    pub(crate) room: &'a str,
    /// True for a room of the bot and one person.
    pub(crate) is_direct: bool,
    /// True for a room that is encrypted.
    pub(crate) is_encrypted: bool,
    /// The name that people of the room see of the bot; empty if it has none.
    pub(crate) our_name: &'a str,
    /// The name that people of the room see of who caused the event.
    pub(crate) sender_name: Option<&'a str>,
    /// The event that [`related`] names, decrypted, as JSON, if it could be had.
    pub(crate) related: Option<&'a str>,
    /// The name that people of the room see of who said that.
    pub(crate) related_name: Option<&'a str>,
    /// True if the event stands in a thread in which the bot has said something.
    pub(crate) is_our_thread: bool,
}

/// What an event came to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Read {
    /// Something for the daemon.
    Event(Box<Inbound>),
    /// The room says that another one replaces it, which counts only when that one says the same, see [`predecessor`]:
    /// [`tend`](crate::rooms::tend) sees to it.
    Replaced,
    /// Something was said, and its key is missing.
    Sealed(Sealed),
    /// The bot has joined: what stands before it in the timeline was said before.
    Joined,
    /// The room is encrypted from now on, for ever.
    Encrypted,
    /// Nothing.
    Skipped(Skipped),
}

/// An event that cannot be read before its key comes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sealed {
    /// The event's id.
    pub(crate) id: String,
    /// Where it was said.
    pub(crate) path: InterfacePath,
    /// Who said it.
    pub(crate) sender: PersonId,
    /// True if it is surely meant for the bot: said to it alone, or in a thread of its own.
    pub(crate) is_for_us: bool,
}

/// Why an event is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Skipped {
    /// It could not be read, or has ids that no path can hold.
    Odd,
    /// Nothing that anybody said.
    Nothing,
    /// Our own.
    Own,
    /// Another bot's words: by its id, or a notice, which bots say to each other.
    Bot,
    /// It was taken back before we read it.
    Redacted,
    /// Said while the bot was not in the room.
    Outside,
    /// Said in an encrypted room, and such rooms are switched off.
    Closed,
}

/// What has to be looked up before an event can be read.
///
/// It is a guess of whoever sent the event: what it names may not exist, be in another room, or be redacted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Needs {
    /// Who sent it.
    pub(crate) sender: String,
    /// The event that is answered or edited.
    pub(crate) related: Option<String>,
    /// The root of the thread it stands in.
    pub(crate) thread: Option<String>,
    /// True if it edits or redacts another one.
    pub(crate) changes: bool,
}

impl Needs {
    /// None for what can be read by itself, such as changes of the room.
    #[must_use]
    pub(crate) fn of(event: &str) -> Option<Self> {
        let event = Event::read(event).filter(|event| event.state_key.is_none())?;
        let relation = Relation::of(&event.content);
        Some(Self {
            changes: relation.replaces.is_some() || event.kind == "m.room.redaction",
            sender: event.sender,
            related: relation.replaces.or(relation.answers),
            thread: relation.thread,
        })
    }
}

impl Reader<'_> {
    /// True if a thread that began with this event is one of the bot's: it has said something there, or is meant by the event.
    #[must_use]
    pub(crate) fn begins_our_thread(&self, root: &str, around: &Around<'_>) -> bool {
        let Some(event) = Event::read(root).filter(|event| event.state_key.is_none()) else {
            return false;
        };
        event.is_participated || event.sender == self.user || self.is_meant(&event, around)
    }

    /// Reads one event, decrypted where that was possible, as JSON.
    #[must_use]
    pub(crate) fn read(&self, event: &str, around: &Around<'_>) -> Read {
        let Some(event) = Event::read(event) else {
            return Read::Skipped(Skipped::Odd);
        };
        self.event(&event, around).unwrap_or_else(Read::Skipped)
    }

    fn event(&self, event: &Event<'_>, around: &Around<'_>) -> Result<Read, Skipped> {
        if event.state_key.is_some() {
            return self.state(event, around);
        }
        self.is_heard(event, around)?;
        if event.kind == "m.room.encrypted" {
            return self.sealed(event, around).map(Read::Sealed);
        }
        let inbound = match event.kind.as_str() {
            "m.room.message" | "m.sticker" | "m.poll.start" | "org.matrix.msc3381.poll.start" => {
                self.said(event, around)?
            }
            "m.room.redaction" => self.redaction(event, around)?,
            "m.reaction" => self.reaction(event, around)?,
            _ => return Err(Skipped::Nothing),
        };
        Ok(Read::Event(Box::new(inbound)))
    }

    /// Whether anybody wants to know of what was said, whatever it is.
    fn is_heard(&self, event: &Event<'_>, around: &Around<'_>) -> Result<(), Skipped> {
        if event.sender == self.user {
            return Err(Skipped::Own);
        }
        if self.config.bots.contains(&event.sender) {
            return Err(Skipped::Bot);
        }
        if event
            .membership
            .as_deref()
            .is_some_and(|membership| membership != "join")
        {
            return Err(Skipped::Outside);
        }
        if around.is_encrypted && self.config.encryption == Encryption::Off {
            return Err(Skipped::Closed);
        }
        if event.is_redacted {
            Err(Skipped::Redacted)
        } else {
            Ok(())
        }
    }

    fn redaction(&self, event: &Event<'_>, around: &Around<'_>) -> Result<Inbound, Skipped> {
        let of = event.redacts.clone().ok_or(Skipped::Nothing)?;
        self.inbound(event, around, None, What::Redact { of })
    }

    fn reaction(&self, event: &Event<'_>, around: &Around<'_>) -> Result<Inbound, Skipped> {
        let (to, sign) = Relation::of(&event.content).annotates.ok_or(Skipped::Nothing)?;
        let sign: String = people::clean(&sign).chars().take(LONGEST_SIGN).collect();
        if sign.is_empty() {
            return Err(Skipped::Nothing);
        }
        self.inbound(event, around, None, What::React { to, sign })
    }

    /// An event whose key is missing. Its relations stand outside of what is encrypted.
    fn sealed(&self, event: &Event<'_>, around: &Around<'_>) -> Result<Sealed, Skipped> {
        let relation = Relation::of(&event.content);
        if relation.replaces.is_some() || relation.annotates.is_some() {
            return Err(Skipped::Nothing);
        }
        let place = Place::new(around.room, relation.thread).map_err(|_| Skipped::Odd)?;
        Ok(Sealed {
            id: event.id.clone(),
            path: place.path(&self.account.interface).map_err(|_| Skipped::Odd)?,
            sender: PersonId::new(&self.account.interface, &event.sender),
            is_for_us: around.is_direct || around.is_our_thread,
        })
    }

    fn inbound(
        &self,
        event: &Event<'_>,
        around: &Around<'_>,
        thread: Option<String>,
        what: What,
    ) -> Result<Inbound, Skipped> {
        let place = Place::new(around.room, thread).map_err(|_| Skipped::Odd)?;
        let path = place.path(&self.account.interface).map_err(|_| Skipped::Odd)?;
        Ok(Inbound {
            account: self.account.clone(),
            path,
            id: event.id.clone(),
            sender: PersonId::new(&self.account.interface, &event.sender),
            sender_name: people::name(around.sender_name, &event.sender),
            addressed: if around.is_direct {
                Addressed::Direct
            } else {
                Addressed::None
            },
            what,
            files: Vec::new(),
            reply_to: None,
            quoted: None,
            join: None,
            token: None,
            sent_at: event.at,
        })
    }
}

/// An id of an event that somebody wrote into another one; none if it cannot be one.
fn event_id(id: Option<String>) -> Option<String> {
    id.filter(|id| ids::is_event(id))
}
