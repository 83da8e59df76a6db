//! What sort of platform a double is.

use std::time::Duration;

/// How a platform helps against a second post of the same message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// An act repeated with the same key does nothing, and a post gives the first message.
    Keyed,
    /// Posts can be looked up by what they answer.
    Findable,
    /// Neither.
    Blind,
}

/// The rules of a platform.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rules {
    /// How it helps against a second post.
    pub kind: Kind,
    /// The longest text of a message, in UTF-16 code units.
    pub text_limit: usize,
    /// How many of a hundred updates are handed out again, late and under a new update id.
    pub twice_percent: u8,
    /// True if messages can have buttons.
    pub buttons: bool,
    /// True if the bot can do nothing with its older messages once their chat has a new address.
    pub ids_die: bool,
    /// The bot's immutable identity.
    pub identity: String,
    /// For how long after an account-wide limit was set a call into it is forgiven, since it may have been under way.
    pub grace: Duration,
}

impl Rules {
    /// Messages of at most 200 units, no buttons, no update twice, the bot `bot-1`.
    #[must_use]
    pub fn of(kind: Kind) -> Self {
        Self {
            kind,
            text_limit: 200,
            twice_percent: 0,
            buttons: false,
            ids_die: false,
            identity: "bot-1".to_owned(),
            grace: Duration::from_millis(100),
        }
    }
}
