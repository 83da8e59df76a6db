//! What comes in: one native event in the words that every platform shares.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use crate::path::InterfacePath;
use crate::person::PersonId;
use crate::secret::Secret;

/// How the [`Inbound::join`] of a text begins that a client split into several messages.
pub const PASTE: &str = "paste/";

/// The bot's own identity on a platform.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Account {
    /// The configured name of the interface.
    pub interface: String,
    /// The platform's immutable identity of the bot: it stays when the token changes, and changes with the bot.
    pub identity: String,
}

/// A piece of the platform's own state that must move together with the events: a cursor, a gap, a known channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// A name, unique within the account.
    pub key: String,
    /// Its new value; `None` removes it.
    pub value: Option<Vec<u8>>,
}

/// One event of a platform.
#[derive(Debug, Clone, PartialEq)]
pub struct Inbound {
    /// Whose event it is.
    pub account: Account,
    /// Where it happened, and where replies go.
    pub path: InterfacePath,
    /// The platform's id of the event, unique within the account.
    pub id: String,
    /// Who caused it.
    pub sender: PersonId,
    /// The name that people see; never used to decide anything.
    pub sender_name: String,
    /// How the bot was addressed.
    pub addressed: Addressed,
    /// What happened.
    pub what: What,
    /// Files that came with it, not yet fetched.
    pub files: Vec<FileRef>,
    /// The platform's id of the message it replies to.
    pub reply_to: Option<String>,
    /// What that message says, or the part of it that was quoted, where the platform tells.
    pub quoted: Option<Quoted>,
    /// Events with the same key become one turn, and messages of one person among them one message: albums, and pastes that a
    /// client split. The texts of a paste, whose key begins with [`PASTE`], are put together without a break.
    pub join: Option<String>,
    /// A short-lived token to reply with.
    pub token: Option<Secret>,
    /// When it was sent, by the platform's clock, in milliseconds since 1970.
    pub sent_at: Option<i64>,
}

/// Words of an earlier message that a new one is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quoted {
    /// The name that people see of who said it; empty if the bot itself did.
    pub who: String,
    /// The words.
    pub text: String,
}

/// How the bot was addressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Addressed {
    /// In a conversation of its own with the sender.
    Direct,
    /// By a mention.
    Mention,
    /// By a reply to one of its messages.
    Reply,
    /// By a command.
    Command,
    /// Not at all.
    None,
}

/// What happened.
#[derive(Debug, Clone, PartialEq)]
pub enum What {
    /// Somebody said something.
    Message {
        /// The text; may be empty when files came along.
        text: String,
    },
    /// A message got a new text.
    Edit {
        /// The platform's id of the message.
        of: String,
        /// The whole new text.
        text: String,
    },
    /// A message was deleted.
    Redact {
        /// The platform's id of the message.
        of: String,
    },
    /// A button was pressed. Whoever pressed it hears of it by [`Signal::Pressed`](crate::Signal::Pressed) about this event's id,
    /// if the event is accepted; else the interface itself ends the wait, with the text of the verdict if there is one.
    ///
    /// A press may cause an answer: then that answers this event's id, and there is no message to show it as a reply to.
    Press {
        /// The button's token.
        button: String,
    },
    /// A slash command with its arguments as text.
    Slash {
        /// The command's name without the slash.
        name: String,
        /// Its arguments.
        arguments: String,
    },
    /// Somebody reacted to a message.
    React {
        /// The platform's id of the message.
        to: String,
        /// The sign.
        sign: String,
    },
    /// The bot was invited.
    Invited,
    /// The bot left, or was removed.
    Left,
    /// The conversation has a new address.
    Moved {
        /// The new address.
        to: InterfacePath,
    },
    /// A request at an HTTP door.
    Request(Box<Request>),
}

/// A request at an HTTP door.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// Where its history comes from.
    pub history: RequestHistory,
    /// The model asked for.
    pub model: String,
    /// The client's system message; holds for this request only.
    pub system: Option<String>,
    /// The client's own tools; their calls are passed back to it.
    pub tools: Vec<ToolOffer>,
    /// How to generate.
    pub generation: Generation,
}

/// Where the history of a request comes from.
#[derive(Debug, Clone, PartialEq)]
pub enum RequestHistory {
    /// The daemon remembers; these messages are the new ones.
    Stored(Vec<SuppliedMessage>),
    /// The client sent everything; nothing is remembered.
    Supplied(Vec<SuppliedMessage>),
}

/// One message of a request.
#[derive(Debug, Clone, PartialEq)]
pub struct SuppliedMessage {
    /// Who said it.
    pub role: Role,
    /// The text.
    pub text: String,
    /// Thinking that came with an assistant's message.
    pub thinking: String,
    /// Pictures that came with it.
    pub pictures: Vec<Picture>,
    /// The calls of an assistant's message.
    pub calls: Vec<SuppliedCall>,
    /// For a tool's message: which call it answers.
    pub call_id: Option<String>,
    /// For a tool's message: the tool's name.
    pub tool_name: Option<String>,
}

/// Who said a message of a request. A system message is not among them: see [`Request::system`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A person.
    User,
    /// The bot.
    Assistant,
    /// A tool of the client.
    Tool,
}

/// A tool call in a request's history.
#[derive(Debug, Clone, PartialEq)]
pub struct SuppliedCall {
    /// The call's id; made up by the door where the client gave none.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// Its arguments, as JSON text.
    pub arguments: String,
}

/// A tool that a client offers.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolOffer {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// The JSON schema of its arguments.
    pub parameters: Value,
}

/// A picture with its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// Its type, e.g. `image/png`.
    pub mime: String,
    /// Its bytes.
    pub bytes: Arc<[u8]>,
}

/// How to generate; what is absent is left to the provider.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Generation {
    /// Sampling temperature.
    pub temperature: Option<f64>,
    /// Nucleus sampling.
    pub top_p: Option<f64>,
    /// The longest answer, in tokens.
    pub max_tokens: Option<u64>,
    /// Texts that end the answer.
    pub stop: Vec<String>,
    /// A seed, for providers that take one.
    pub seed: Option<i64>,
    /// `"json"` or a JSON schema that the answer must follow.
    pub format: Option<Value>,
    /// Whether to think, where the model can: `true`, `false`, or a level such as `"low"`.
    pub think: Option<Value>,
}

/// A file on a platform, fetched on demand. Its content means something only to the interface that made it.
#[derive(Clone, PartialEq, Eq)]
pub struct FileRef {
    /// Opaque: what the interface needs to fetch it. A secret, since the key of an encrypted file is a part of it.
    pub handle: String,
    /// Its name, for people.
    pub name: String,
    /// Its type, where known.
    pub mime: Option<String>,
    /// Its size in bytes, where known.
    pub size: Option<u64>,
}

impl fmt::Debug for FileRef {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("FileRef")
            .field("name", &self.name)
            .field("mime", &self.mime)
            .field("size", &self.size)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_of_a_file_holds_no_secret() {
        let file = FileRef {
            handle: "canary".to_owned(),
            name: "photo.jpg".to_owned(),
            mime: None,
            size: Some(7),
        };
        let shown = format!("{file:?}");
        assert!(shown.contains("photo.jpg") && !shown.contains("canary"), "{shown}");
    }
}
