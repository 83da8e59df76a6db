//! What a provider is asked, what it streams, and how it can fail.

use std::fmt;
use std::time::Duration;

use tertulia_message::{Generation, ToolOffer};

use crate::chat::{ChatMessage, ProviderData};

/// What a provider with a model can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "a table of abilities is what it is")]
pub struct Capabilities {
    /// It takes a list of messages; without, it takes one prompt.
    pub conversation: bool,
    /// It takes system messages.
    pub system: bool,
    /// It can call tools.
    pub tool_calls: bool,
    /// It sees pictures.
    pub vision: bool,
    /// It can think before it answers.
    pub thinking: bool,
    /// Its own message format.
    pub format: Format,
    /// How many tokens it reads and writes at most, in all.
    pub max_context: u64,
}

/// The message format of a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Messages with a role and a content.
    Standard,
    /// Gemini's contents and parts.
    Gemini,
}

/// One question to a model.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelRequest {
    /// The model, by the provider's own name.
    pub model: String,
    /// The system prompt; empty if there is none.
    pub system: String,
    /// The conversation, ending with what is to be answered.
    pub messages: Vec<ChatMessage>,
    /// The tools the model may call.
    pub tools: Vec<ToolOffer>,
    /// How to generate.
    pub generation: Generation,
}

/// A piece of a streamed answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Delta {
    /// Text for the reader.
    Text(String),
    /// Thinking.
    Thinking(String),
    /// A fragment of a tool call.
    Call(CallDelta),
    /// What it cost so far; later values replace earlier ones.
    Usage(Usage),
    /// What the provider wants back with this turn.
    Data(ProviderData),
    /// A sign of life without content.
    Alive,
    /// The end mark. A stream without one has failed.
    End(Stop),
}

/// A fragment of a tool call.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CallDelta {
    /// Tells the calls of one answer apart; need not start at 0.
    pub index: u32,
    /// The id, on the first fragment; the session makes one up where it is missing.
    pub id: Option<String>,
    /// The name, on the first fragment.
    pub name: Option<String>,
    /// A piece of the arguments' JSON text.
    pub arguments: String,
}

/// What an answer cost, where the provider told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Tokens read, with those that came from the provider's cache and those that went into it.
    pub tokens_in: Option<u64>,
    /// Tokens written, with those that the model thought.
    pub tokens_out: Option<u64>,
    /// Of the tokens read, those that the provider had in its cache.
    pub cache_read: Option<u64>,
    /// Of the tokens read, those that the provider put into its cache.
    pub cache_written: Option<u64>,
    /// What the provider says that it cost, in billionths of a dollar.
    pub cost: Option<u64>,
}

/// Why a model stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// It was done.
    Done,
    /// It reached the length limit.
    Length,
    /// It waits for its tool calls.
    ToolCalls,
    /// The provider's filter cut it off.
    Filtered,
}

/// Why a provider failed, classified by status and code before anything is worded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{kind}: {detail}")]
pub struct ProviderError {
    /// What the caller may do about it.
    pub kind: ProviderFault,
    /// For operators: the provider's own words without secrets; at most 500 characters.
    pub detail: String,
}

/// The kinds of provider failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProviderFault {
    /// Too many requests; wait as long as it says, if it says.
    RateLimited {
        /// `Retry-After`, where given.
        after: Option<Duration>,
    },
    /// Overloaded or broken at the moment (5xx).
    Unavailable {
        /// `Retry-After`, where given.
        after: Option<Duration>,
    },
    /// Nothing answered: refused, unresolved, cut before the first byte.
    Unreachable,
    /// The stream broke off, or was not understood.
    Broken,
    /// The key is wrong or missing.
    Unauthorized,
    /// The account has no money or quota left.
    Billing,
    /// There is no such model.
    NoSuchModel,
    /// More text than the model takes.
    ContextTooLong,
    /// The provider refuses the request as it is.
    Rejected,
    /// A setting is missing; the detail names it.
    NotConfigured,
}

impl fmt::Display for ProviderFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (words, after) = match self {
            Self::RateLimited { after } => ("too many requests", *after),
            Self::Unavailable { after } => ("overloaded or down", *after),
            Self::Unreachable => ("cannot be reached", None),
            Self::Broken => ("the answer is broken", None),
            Self::Unauthorized => ("the key is not accepted", None),
            Self::Billing => ("no money or quota left", None),
            Self::NoSuchModel => ("no such model", None),
            Self::ContextTooLong => ("too much text", None),
            Self::Rejected => ("the request is refused", None),
            Self::NotConfigured => ("a setting is missing", None),
        };
        formatter.write_str(words)?;
        after.map_or(Ok(()), |after| write!(formatter, ", again in {after:?}"))
    }
}

impl ProviderError {
    /// Makes an error; the detail is cut at 500 characters.
    #[must_use]
    pub fn new(kind: ProviderFault, detail: impl AsRef<str>) -> Self {
        Self {
            kind,
            detail: detail.as_ref().chars().take(500).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_read_words() {
        let after = Some(Duration::from_secs(7));
        for (kind, expected) in [
            (
                ProviderFault::RateLimited { after },
                "too many requests, again in 7s: x",
            ),
            (ProviderFault::Unavailable { after: None }, "overloaded or down: x"),
            (ProviderFault::Broken, "the answer is broken: x"),
        ] {
            assert_eq!(ProviderError::new(kind, "x").to_string(), expected);
        }
    }
}
