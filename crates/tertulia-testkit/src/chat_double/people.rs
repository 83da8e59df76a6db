//! What people do, and the updates by which the bot learns of it.

use tertulia_message::Addressed;

use super::calls::Spot;

/// Something that a person says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// Where.
    pub spot: Spot,
    /// The person's immutable id.
    pub person: String,
    /// The text.
    pub text: String,
    /// How the bot is addressed.
    pub addressed: Addressed,
    /// The id of the message it replies to.
    pub reply_to: Option<String>,
}

impl Said {
    /// Something said to the bot in a conversation of its own.
    pub fn direct(chat: impl Into<String>, person: impl Into<String>, text: impl Into<String>) -> Self {
        Self::at(Spot::chat(chat), person, text, Addressed::Direct)
    }

    /// Something said anywhere, addressed in any way.
    pub fn at(spot: Spot, person: impl Into<String>, text: impl Into<String>, addressed: Addressed) -> Self {
        Self {
            spot,
            person: person.into(),
            text: text.into(),
            addressed,
            reply_to: None,
        }
    }
}

/// One update, handed out until it is confirmed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Update {
    /// Its number; confirming it confirms all before it.
    pub id: u64,
    /// What happened.
    pub event: Event,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A person said something.
    Said {
        /// The message's id.
        message: String,
        /// What was said.
        said: Said,
    },
    /// A person gave a message a new text.
    Changed {
        /// The event's id.
        id: String,
        /// The message's id.
        message: String,
        /// What it says now.
        said: Said,
    },
    /// A person deleted a message.
    Redacted {
        /// The event's id.
        id: String,
        /// The message's id.
        message: String,
        /// What it said.
        said: Said,
    },
    /// A person pressed a button.
    Pressed {
        /// The event's id.
        id: String,
        /// Who, and where; the text is the button's token.
        said: Said,
    },
    /// A chat has a new address.
    Moved {
        /// The event's id.
        id: String,
        /// The old address.
        from: String,
        /// The new address.
        to: String,
    },
}

impl Event {
    /// The event's id: the same however often it is handed out.
    #[must_use]
    pub fn id(&self) -> &str {
        match self {
            Self::Said { message, .. } => message,
            Self::Changed { id, .. }
            | Self::Redacted { id, .. }
            | Self::Pressed { id, .. }
            | Self::Moved { id, .. } => id,
        }
    }
}
