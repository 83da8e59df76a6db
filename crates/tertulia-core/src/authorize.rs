//! The gate: the only way from an event to an inbox row, for every kind of event. Denied by default.

use tertulia_message::path::InterfacePath;
use tertulia_message::{Account, Addressed, Inbound, Level, PersonId, Request, RequestHistory, Role, Secret, What};

use crate::access::Access;
use crate::claim::{Claim, Guess};
use crate::commands::find;
use crate::now::Now;
use crate::press::Press;
use crate::record::{ConversationId, InboxId, InboxRow, MessageBody, RowBody};
use crate::route::{command_name, split_command};

/// The command that makes the first admin.
const CLAIM: &str = "claim";
/// What stands behind `claim` in the row of a right guess; in that of a wrong one the number of tries that are left.
pub const RIGHT: &str = "right";

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
/// Strangers are heard in one case only: while nobody is admin, `claim` may be guessed in a direct message, by everybody
/// but those who are shut out. The guess is decided here, so that neither it nor the code is ever stored. Every call with
/// the same event is another guess: whoever may get an event twice has to remember what became of it.
///
/// # Errors
/// Says why it does not.
pub fn authorize(
    event: Inbound,
    access: &Access,
    own: &[Account],
    claim: Option<&mut Claim>,
    now: Now,
) -> Result<Authorized, Denial> {
    if own
        .iter()
        .any(|account| account.interface == event.sender.interface && account.identity == event.sender.id)
    {
        return Err(Denial::OwnKind);
    }
    let standing = access.standing(&event.sender, &event.path, now.wall);
    let level = standing.level;
    if let Some(code) = guessed(&event)
        && let Some(claim) = claim.filter(|_| !standing.is_shut_out() && !access.has_admin(now.wall))
    {
        if event.addressed != Addressed::Direct {
            // whoever is there has read it
            claim.spill(&code, now);
        } else if let Some(arguments) = outcome(claim.guess(&code, now)) {
            let body = RowBody::Command {
                name: CLAIM.to_owned(),
                arguments,
                direct: true,
                button: None,
            };
            let admission = Admission::Row(Box::new(row(event, body)));
            return Ok(Authorized { admission, level });
        }
    }
    if level < Level::User {
        return Err(Denial::Stranger {
            direct: event.addressed == Addressed::Direct,
        });
    }
    admission(event).map(|admission| Authorized { admission, level })
}

/// What stands behind `claim` in the row of a guess.
fn outcome(guess: Guess) -> Option<String> {
    match guess {
        Guess::Closed => None,
        Guess::Right => Some(RIGHT.to_owned()),
        Guess::Wrong(left) => Some(left.to_string()),
        Guess::Nothing => Some(String::new()),
    }
}

/// What somebody typed as the claim's code. Nothing but a message or a slash command is a guess: no change of a message, and
/// nothing at a door.
fn guessed(event: &Inbound) -> Option<String> {
    let (name, code) = match &event.what {
        What::Message { text } => split_command(text)?,
        What::Slash { name, arguments } => (command_name(name)?, arguments.clone()),
        _ => return None,
    };
    (name == CLAIM).then_some(code)
}

fn admission(mut event: Inbound) -> Result<Admission, Denial> {
    let direct = event.addressed == Addressed::Direct;
    let body = match std::mem::replace(&mut event.what, What::Left) {
        What::Edit { of, text } => {
            let by = event.sender;
            let text = hushed(text);
            return Ok(Admission::Amend { of, by, text });
        }
        What::Redact { of } => return Ok(Admission::Withdraw { of }),
        What::Message { text } if !is_addressed(event.addressed, &text) => return Err(Denial::NotAddressed),
        What::Message { text } => message_body(&event, text),
        What::Slash { name, arguments } => command(command_name(&name).ok_or(Denial::Nothing)?, arguments, direct),
        What::Request(request) => request_body(request),
        What::Press { button } => pressed(Press::parse(&button).ok_or(Denial::Nothing)?, direct),
        What::React { .. } | What::Invited | What::Left | What::Moved { .. } => {
            return Err(Denial::Nothing);
        }
    };
    Ok(Admission::Row(Box::new(row(event, body))))
}

/// A command is never joined with what comes after it, also if `/retry` makes a message of it.
fn row(event: Inbound, body: RowBody) -> NewRow {
    let is_command = matches!(body, RowBody::Command { .. });
    NewRow {
        path: event.path,
        ext_id: event.id,
        person: event.sender,
        body,
        join: event.join.filter(|_| !is_command),
        token: event.token,
        sent_at: event.sent_at,
    }
}

/// What a person types after `/claim` is not kept, whoever it is: it may be the code.
fn command(name: String, arguments: String, direct: bool) -> RowBody {
    let arguments = if name == CLAIM { String::new() } else { arguments };
    RowBody::Command {
        name,
        arguments,
        direct,
        button: None,
    }
}

/// A press is a command about one turn.
fn pressed(press: Press, direct: bool) -> RowBody {
    RowBody::Command {
        name: press.act.as_str().to_owned(),
        arguments: String::new(),
        direct,
        button: Some(press.turn),
    }
}

/// Words that are kept although they may have been meant as a guess.
fn hushed(text: String) -> String {
    match split_command(&text) {
        Some((name, _)) if name == CLAIM => format!("/{CLAIM}"),
        _ => text,
    }
}

/// In a group the bot hears what is said to it, and the commands it knows.
fn is_addressed(addressed: Addressed, text: &str) -> bool {
    match addressed {
        Addressed::Direct | Addressed::Mention | Addressed::Reply => true,
        Addressed::Command => split_command(text).is_some_and(|(name, _)| find(&name).is_some()),
        Addressed::None => false,
    }
}

/// A request of a remembered conversation may be a command; one that brings its own history never is, and is not kept.
fn request_body(mut request: Box<Request>) -> RowBody {
    let RequestHistory::Stored(messages) = &mut request.history else {
        return RowBody::Request(request);
    };
    let said = messages.last().filter(|message| message.role == Role::User);
    if let Some((name, arguments)) = said.and_then(|message| split_command(&message.text)) {
        return command(name, arguments, true);
    }
    for message in messages {
        message.text = hushed(std::mem::take(&mut message.text));
    }
    RowBody::Request(request)
}

fn message_body(event: &Inbound, text: String) -> RowBody {
    if let Some((name, arguments)) = split_command(&text) {
        return command(name, arguments, event.addressed == Addressed::Direct);
    }
    RowBody::Message(MessageBody {
        text,
        speaker: event.sender_name.clone(),
        direct: event.addressed == Addressed::Direct,
        files: event.files.clone(),
        reply_to: event.reply_to.clone(),
        quoted: event.quoted.clone(),
    })
}

#[cfg(test)]
mod tests;
