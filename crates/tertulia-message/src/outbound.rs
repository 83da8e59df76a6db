//! What goes out: one act on one platform message.

use std::sync::Arc;

use crate::inbound::FileRef;
use crate::markup::Markup;
use crate::path::InterfacePath;
use crate::secret::Secret;

/// One act on one platform message, as an interface gets it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outbound {
    /// The conversation.
    pub path: InterfacePath,
    /// The idempotency key: the same for every try of the same act, different for every other act.
    ///
    /// At most 200 characters of `[A-Za-z0-9_.-]` (platforms with shorter keys hash it).
    pub key: String,
    /// What it answers, if anything.
    pub re: Option<ReplyRef>,
    /// What to do.
    pub act: Act,
    /// The contents of the post's files, in their order; as many as it has.
    pub files: Vec<Attachment>,
}

/// The content of a file that goes out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attachment {
    /// Its name, for people.
    pub name: String,
    /// Its type, e.g. `image/png`.
    pub mime: String,
    /// Its bytes.
    pub bytes: Arc<[u8]>,
}

/// The message that is answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplyRef {
    /// The platform's id of the message.
    pub id: String,
    /// A short-lived token to answer with, where the platform gave one.
    pub token: Option<Secret>,
}

/// What to do with a platform message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    /// Post a new message.
    Post(Post),
    /// Give a message new content.
    Edit {
        /// The platform's id of the message.
        id: String,
        /// The whole new content.
        post: Post,
    },
    /// Delete a message; that it is already gone is success.
    Delete {
        /// The platform's id of the message.
        id: String,
    },
}

/// The content of one platform message.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Post {
    /// The text.
    pub markup: Markup,
    /// Files that go with it; their handles are the daemon's own, and [`Outbound::files`] has their contents.
    pub files: Vec<FileRef>,
    /// Buttons below it.
    pub buttons: Vec<Button>,
    /// True if it is shown as a reply to `re`.
    pub quote: bool,
}

impl Post {
    /// A message of text alone.
    #[must_use]
    pub fn of(markup: Markup) -> Self {
        Self {
            markup,
            ..Self::default()
        }
    }
}

/// A button below a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Button {
    /// What it says.
    pub label: String,
    /// What comes back when it is pressed; at most 64 bytes.
    pub token: String,
}

/// What a slot is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SlotKind {
    /// A part of a turn's answer.
    Answer,
    /// A notice beside the answer.
    Notice,
    /// The reply to a command.
    Command,
    /// Something an operator had said.
    Say,
}

impl SlotKind {
    /// The word used in tables and keys.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Answer => "answer",
            Self::Notice => "notice",
            Self::Command => "command",
            Self::Say => "say",
        }
    }

    /// Reads the word that [`SlotKind::as_str`] gives.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Answer, Self::Notice, Self::Command, Self::Say]
            .into_iter()
            .find(|kind| kind.as_str() == word)
    }
}

/// The identity of a slot: one platform message that answers one accepted event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SlotId {
    /// The number of the inbox row that caused it.
    pub trigger: i64,
    /// What it is for.
    pub kind: SlotKind,
    /// Which part; split parts lie between.
    pub part: u32,
}
