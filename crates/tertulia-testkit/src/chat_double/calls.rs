//! What a bot can ask of the platform, and how it can be refused.

use std::fmt;
use std::time::Duration;

use tertulia_message::RateScope;

/// A chat, or a thread in it, by the platform's ids.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Spot {
    /// The chat.
    pub chat: String,
    /// The thread, if it is not the chat itself.
    pub thread: Option<String>,
}

impl Spot {
    /// A chat itself.
    pub fn chat(chat: impl Into<String>) -> Self {
        Self {
            chat: chat.into(),
            thread: None,
        }
    }

    /// A thread in a chat.
    pub fn thread(chat: impl Into<String>, thread: impl Into<String>) -> Self {
        Self {
            chat: chat.into(),
            thread: Some(thread.into()),
        }
    }
}

impl fmt::Display for Spot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.chat)?;
        self.thread.as_ref().map_or(Ok(()), |thread| write!(f, "/{thread}"))
    }
}

/// A message to post.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPost {
    /// Where.
    pub spot: Spot,
    /// The visible text.
    pub text: String,
    /// True if it carries formatting beside the text.
    pub formatted: bool,
    /// The tokens of the buttons below it.
    pub buttons: Vec<String>,
    /// The idempotency key.
    pub key: Option<String>,
    /// The id of the message it answers.
    pub in_reply_to: Option<String>,
}

/// A new text for a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewEdit {
    /// Where the message is.
    pub spot: Spot,
    /// The message's id.
    pub message: String,
    /// The whole new visible text.
    pub text: String,
    /// True if it carries formatting beside the text.
    pub formatted: bool,
    /// The tokens of the buttons below it.
    pub buttons: Vec<String>,
    /// The idempotency key.
    pub key: Option<String>,
}

/// What an edit did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edited {
    /// The message has the new text, or the new buttons.
    Changed,
    /// The message was like that already, or the key was used before.
    NotModified,
}

/// One call of the bot, as a plan of faults sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// What is asked.
    pub kind: CallKind,
    /// The how-manieth call it is, from 1.
    pub nth: u64,
    /// The how-manieth call of its kind it is, from 1.
    pub nth_of_kind: u64,
    /// Where.
    pub spot: Spot,
    /// The text; empty for a deletion.
    pub text: String,
    /// True if the text carries formatting.
    pub formatted: bool,
}

/// What is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CallKind {
    /// A new message.
    Post,
    /// A new text.
    Edit,
    /// A deletion.
    Delete,
    /// A look-up.
    Find,
}

/// Why the platform did not do it, or did not say that it did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// The bot has to wait.
    RateLimited {
        /// How long.
        after: Duration,
        /// Whom it holds for.
        scope: RateScope,
    },
    /// It did not reach the platform, and the bot knows.
    Lost,
    /// The connection broke before an answer; the bot cannot know whether it was done.
    Unsure,
    /// Longer than the limit.
    TooLong,
    /// Content that the platform does not take.
    Malformed(&'static str),
    /// There is no such message of the bot.
    NoMessage,
    /// There is no such chat.
    Gone,
    /// The bot may not write there.
    Refused,
    /// The chat has a new address.
    Moved(String),
    /// The platform gives no way to know.
    CannotTell,
}
