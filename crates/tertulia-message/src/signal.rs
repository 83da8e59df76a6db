//! Fleeting signs to a conversation: never stored, never retried.

use crate::dsl::Message;
use crate::markup::Markup;

/// A fleeting sign to a conversation.
#[derive(Debug, Clone, PartialEq)]
pub enum Signal {
    /// The bot is at work; platforms that need it renew it until `Idle`.
    Typing,
    /// The bot is no longer at work on this; if it is about no message, on nothing in the conversation.
    Idle,
    /// The message was seen.
    Seen,
    /// A light reaction to the message.
    React(String),
    /// The answer so far, on platforms with drafts.
    Preview {
        /// Identifies the draft within the turn.
        draft: i64,
        /// The whole text so far.
        markup: Markup,
    },
    /// What became of a press of a button, for the eyes of whoever pressed it; empty if there is nothing to say.
    ///
    /// At most 200 characters.
    Pressed(String),
    /// One message of the DSL for a connected reader.
    Emit(Message),
    /// The turn is settled: send the end mark and close.
    Close(Ending),
}

/// How a turn ended, for a connected reader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ending {
    /// Why it ended.
    pub finish: Finish,
    /// What it cost.
    pub spent: Spent,
}

/// Why a turn ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finish {
    /// The answer is complete.
    Stop,
    /// The answer was cut at the length limit.
    Length,
    /// The client is to run its tools.
    ToolCalls,
    /// Somebody stopped it.
    Stopped,
    /// It failed; the text may be read by anybody in the conversation, the code is a stable word.
    Failed {
        /// A stable word such as `provider_unreachable`.
        code: &'static str,
        /// What people read.
        text: String,
    },
}

/// What a turn cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spent {
    /// Tokens read, where the provider told.
    pub tokens_in: Option<u64>,
    /// Tokens written, where the provider told.
    pub tokens_out: Option<u64>,
    /// Milliseconds from acceptance to the end.
    pub millis: u64,
}
