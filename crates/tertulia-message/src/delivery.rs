//! How a delivery can end, and what follows from it.

use std::time::Duration;

use crate::path::InterfacePath;

/// A delivery that the platform has confirmed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receipt {
    /// The platform's id of the message.
    pub id: String,
}

/// What a look-up of a message of unknown outcome found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// It is there, under this platform id.
    Found(String),
    /// It surely is not there.
    Absent,
    /// The platform gives no way to know.
    CannotTell,
}

/// Whom a rate limit holds for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RateScope {
    /// Only the conversation.
    Path,
    /// The whole account.
    Account,
}

/// Why a delivery failed. The texts are for operators and never shown in a chat.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DeliverError {
    /// The platform wants us to wait.
    #[error("rate limited for {after:?}")]
    RateLimited {
        /// How long to wait.
        after: Duration,
        /// Whom it holds for.
        scope: RateScope,
    },
    /// Surely did not arrive.
    #[error("not sent: {0}")]
    Lost(String),
    /// May have arrived.
    #[error("outcome unknown: {0}")]
    Unsure(String),
    /// Longer than the platform takes.
    #[error("too long")]
    TooLong,
    /// The platform does not take this content in this form.
    #[error("not accepted: {0}")]
    Malformed(String),
    /// The message that was to be edited is not there any more, or cannot be edited any more.
    #[error("cannot be edited: {0}")]
    Missing(String),
    /// The conversation is no longer there.
    #[error("gone: {0}")]
    Gone(String),
    /// The conversation has a new address.
    #[error("moved to {0}")]
    Moved(InterfacePath),
    /// We may not write there.
    #[error("refused: {0}")]
    Refused(String),
}

/// What follows from a failed delivery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recovery {
    /// Wait, then send again.
    Wait(Duration, RateScope),
    /// Send again after a growing pause.
    Retry,
    /// Look it up before anything is sent again.
    Resolve,
    /// Split into smaller parts.
    Split,
    /// Send the plain text; if that fails as well, give up.
    Plain,
    /// Post it anew: there is no message to edit.
    Repost,
    /// Rename the conversation, then send again.
    Rename(InterfacePath),
    /// Give up, and write to that conversation no more until something comes from it.
    Block,
}

impl DeliverError {
    /// What follows from this error.
    #[must_use]
    pub fn recovery(&self) -> Recovery {
        match self {
            Self::RateLimited { after, scope } => Recovery::Wait(*after, *scope),
            Self::Lost(_) => Recovery::Retry,
            Self::Unsure(_) => Recovery::Resolve,
            Self::TooLong => Recovery::Split,
            Self::Malformed(_) => Recovery::Plain,
            Self::Missing(_) => Recovery::Repost,
            Self::Moved(path) => Recovery::Rename(path.clone()),
            Self::Gone(_) | Self::Refused(_) => Recovery::Block,
        }
    }
}
