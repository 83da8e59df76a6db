//! What the double can be told to do with a request.

use std::time::Duration;

use serde_json::{Value, json};

/// One scripted behaviour.
#[derive(Debug, Clone, PartialEq)]
pub enum OllamaScript {
    /// These lines, then the last one with `done`, its reason and the counts.
    Say {
        /// The `message` of each line (what it holds beside the role), for a chat; for a prompt `content` is `response`.
        messages: Vec<Value>,
        /// The wait before each line.
        pause: Duration,
        /// `done_reason`.
        reason: &'static str,
    },
    /// An error before any stream.
    Fail(u16, &'static str),
    /// A line every so often, for ever.
    Endless(Duration),
    /// A line of text, then a line with this error.
    ErrorLine(&'static str),
    /// A line of text, then a clean end without `done`.
    NoDone,
    /// A line of text, then the connection is cut.
    Cut,
    /// Status and headers, then nothing, for ever.
    Silent,
}

impl OllamaScript {
    /// A text in pieces with a wait before each.
    #[must_use]
    pub fn text(pieces: &[&str], pause: Duration) -> Self {
        Self::Say {
            messages: pieces.iter().map(|piece| json!({"content": piece})).collect(),
            pause,
            reason: "stop",
        }
    }

    /// Any messages, one a line.
    #[must_use]
    pub fn messages(messages: Vec<Value>) -> Self {
        Self::Say {
            messages,
            pause: Duration::ZERO,
            reason: "stop",
        }
    }
}
