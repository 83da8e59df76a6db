//! The ground truth: what the platform accepted, what it caught, and what it only counted.

use std::fmt;
use std::time::Duration;

use tertulia_message::Addressed;

use super::calls::Spot;

/// One accepted act.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Its number, from 1.
    pub n: u64,
    /// When.
    pub at: Duration,
    /// Where, at the time.
    pub spot: Spot,
    /// The message's id; 0 for an act on no message.
    pub message: u64,
    /// What was done.
    pub act: RecordAct,
    /// The visible text after it.
    pub text: String,
    /// The idempotency key, of an act of the bot.
    pub key: Option<String>,
    /// The message that is answered, of a post of the bot.
    pub in_reply_to: Option<u64>,
}

/// What was done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordAct {
    /// A person said something.
    Said {
        /// The person's id.
        person: String,
        /// How the bot was addressed.
        addressed: Addressed,
    },
    /// A person gave their message a new text.
    Changed,
    /// A person deleted their message.
    Redacted,
    /// The chat got a new address.
    Moved {
        /// The new address.
        to: String,
    },
    /// The bot posted.
    Posted,
    /// The bot gave its message a new text.
    Edited,
    /// The bot deleted its message.
    Deleted,
}

/// Something that a well-behaved bot does not do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// When.
    pub at: Duration,
    /// What it was.
    pub what: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at {:?}: {}", self.at, self.what)
    }
}

/// What leaves no record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Signs that the bot is at work.
    pub typing: u64,
    /// Those of them that came under a rate limit.
    pub typing_while_limited: u64,
    /// Drafts of an answer in the making that were shown.
    pub previews: u64,
    /// Edits that changed nothing.
    pub unchanged_edits: u64,
    /// Posts and edits that a known key made harmless.
    pub repeated_keys: u64,
    /// Updates that were handed out before.
    pub redelivered: u64,
}
