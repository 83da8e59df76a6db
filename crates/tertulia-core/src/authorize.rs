//! The gate: the only way from an event to an inbox row, for every kind of event. Denied by default.

use std::collections::BTreeMap;

use tertulia_message::path::InterfacePath;
use tertulia_message::{Account, Addressed, Inbound, Level, PersonId, Request, RequestHistory, Role, Secret, What};

use crate::commands::find;
use crate::record::{ConversationId, InboxId, InboxRow, MessageBody, RowBody};
use crate::route::split_command;

/// Who may speak where, as configured.
#[derive(Debug, Clone, Default)]
pub struct AccessRules {
    /// People's levels.
    pub people: BTreeMap<PersonId, Level>,
    /// Levels that hold for everybody in a chat or thread, by path.
    pub places: BTreeMap<InterfacePath, Level>,
    /// Interfaces on which everybody has a level: HTTP doors on loopback, or behind a token.
    pub interfaces: BTreeMap<String, Level>,
}

impl AccessRules {
    /// A person's level at a place: the highest of what person, thread, chat and interface give.
    #[must_use]
    pub fn level(&self, person: &PersonId, path: &InterfacePath) -> Level {
        let place = self.places.get(path).copied();
        let chat = path.parent().and_then(|parent| self.places.get(&parent).copied());
        let interface = self.interfaces.get(path.interface()).copied();
        let own = self.people.get(person).copied();
        [place, chat, interface, own]
            .into_iter()
            .flatten()
            .max()
            .unwrap_or(Level::Guest)
    }
}

/// An event that passed the gate. Only [`authorize`] makes one.
#[derive(Debug, Clone, PartialEq)]
pub struct Authorized {
    admission: Admission,
    level: Level,
}

/// What an admitted event does.
#[derive(Debug, Clone, PartialEq)]
pub enum Admission {
    /// It becomes a row.
    Row(Box<NewRow>),
    /// It replaces the text of a row that still waits.
    Amend {
        /// The platform's id of the message.
        of: String,
        /// Who wrote the new text; only the author's change counts.
        by: PersonId,
        /// The new text.
        text: String,
    },
    /// It withdraws a row that still waits, or takes an answered one out of the history.
    Withdraw {
        /// The platform's id of the message.
        of: String,
    },
}

/// A row to be.
#[derive(Debug, Clone, PartialEq)]
pub struct NewRow {
    /// Where it belongs.
    pub path: InterfacePath,
    /// The platform's id of the event.
    pub ext_id: String,
    /// Who caused it.
    pub person: PersonId,
    /// What it says.
    pub body: RowBody,
    /// Rows with the same key become one turn.
    pub join: Option<String>,
    /// A short-lived token to reply with.
    pub token: Option<Secret>,
    /// When it was sent, by the platform's clock.
    pub sent_at: Option<i64>,
}

impl NewRow {
    /// The row as the store has numbered it. `accepted_at` is the wall clock, in milliseconds since 1970.
    #[must_use]
    pub fn numbered(self, account: Account, id: InboxId, conversation: ConversationId, accepted_at: i64) -> InboxRow {
        InboxRow {
            id,
            account,
            conversation,
            path: self.path,
            ext_id: self.ext_id,
            person: self.person,
            body: self.body,
            join: self.join,
            token: self.token,
            accepted_at,
        }
    }
}

impl Authorized {
    /// What it does.
    #[must_use]
    pub fn admission(&self) -> &Admission {
        &self.admission
    }

    /// The level its sender had at this moment.
    #[must_use]
    pub fn level(&self) -> Level {
        self.level
    }

    /// Takes it apart.
    #[must_use]
    pub fn into_admission(self) -> Admission {
        self.admission
    }
}

/// Why an event did not pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Denial {
    /// The sender may not speak here.
    Stranger {
        /// True if the sender spoke to the bot alone, and may be told so.
        direct: bool,
    },
    /// Nobody asked the bot anything.
    NotAddressed,
    /// The bot's own event, or one of another of the operator's bots.
    OwnKind,
    /// An event that makes no row.
    Nothing,
}

/// Decides whether an event becomes a row.
///
/// # Errors
/// Says why it does not.
pub fn authorize(event: Inbound, rules: &AccessRules, own: &[Account]) -> Result<Authorized, Denial> {
    if own
        .iter()
        .any(|account| account.interface == event.sender.interface && account.identity == event.sender.id)
    {
        return Err(Denial::OwnKind);
    }
    let level = rules.level(&event.sender, &event.path);
    if level < Level::User {
        return Err(Denial::Stranger {
            direct: event.addressed == Addressed::Direct,
        });
    }
    admission(event).map(|admission| Authorized { admission, level })
}

fn admission(event: Inbound) -> Result<Admission, Denial> {
    let body = match event.what {
        What::Edit { of, text } => {
            return Ok(Admission::Amend {
                of,
                by: event.sender,
                text,
            });
        }
        What::Redact { of } => return Ok(Admission::Withdraw { of }),
        What::Message { ref text } if !is_addressed(event.addressed, text) => return Err(Denial::NotAddressed),
        What::Message { ref text } => message_body(&event, text),
        What::Slash {
            ref name,
            ref arguments,
        } => RowBody::Command {
            name: name.to_lowercase(),
            arguments: arguments.clone(),
        },
        What::Request(request) => request_body(request),
        What::Press { .. } | What::React { .. } | What::Sealed | What::Invited | What::Left | What::Moved { .. } => {
            return Err(Denial::Nothing);
        }
    };
    Ok(Admission::Row(Box::new(NewRow {
        path: event.path,
        ext_id: event.id,
        person: event.sender,
        body,
        join: event.join,
        token: event.token,
        sent_at: event.sent_at,
    })))
}

/// In a group the bot hears what is said to it, and the commands it knows.
fn is_addressed(addressed: Addressed, text: &str) -> bool {
    match addressed {
        Addressed::Direct | Addressed::Mention | Addressed::Reply => true,
        Addressed::Command => split_command(text).is_some_and(|(name, _)| find(&name).is_some()),
        Addressed::None => false,
    }
}

/// A request of a remembered conversation may be a command; one that brings its own history never is.
fn request_body(request: Box<Request>) -> RowBody {
    let said = match &request.history {
        RequestHistory::Stored(messages) => messages.last().filter(|message| message.role == Role::User),
        RequestHistory::Supplied(_) => None,
    };
    match said.and_then(|message| split_command(&message.text)) {
        Some((name, arguments)) => RowBody::Command { name, arguments },
        None => RowBody::Request(request),
    }
}

fn message_body(event: &Inbound, text: &str) -> RowBody {
    if let Some((name, arguments)) = split_command(text) {
        return RowBody::Command { name, arguments };
    }
    RowBody::Message(MessageBody {
        text: text.to_owned(),
        speaker: event.sender_name.clone(),
        direct: event.addressed == Addressed::Direct,
        files: event.files.clone(),
        reply_to: event.reply_to.clone(),
    })
}

#[cfg(test)]
mod tests;
