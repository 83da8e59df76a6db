//! What the double can be told to do with a request.

use std::time::Duration;

/// One scripted behaviour. All but [`Script::Fail`] and [`Script::Html`] answer 200 with an event stream.
#[derive(Debug, Clone, PartialEq)]
pub enum Script {
    /// A proper answer to the end; a request without `stream` gets it as one JSON object.
    Say(Speech),
    /// A failure before any stream.
    Fail {
        /// The HTTP status.
        status: u16,
        /// `Retry-After`, in seconds.
        retry_after: Option<u64>,
        /// `error.code`.
        code: String,
        /// `error.message`.
        message: String,
    },
    /// Status and headers, then nothing, for ever.
    SilentAtOnce,
    /// So many chunks, then nothing, for ever.
    SilentAfter(usize),
    /// A chunk every so often, for ever.
    Endless(Duration),
    /// So many chunks, then the connection is cut in the middle of the body.
    CutAfter(usize),
    /// Some text, then a clean end without `finish_reason` and without `[DONE]`.
    NoFinish,
    /// Some text, then a data line that is no JSON.
    Garbage,
    /// 200 with a page of HTML, as a captive portal gives it.
    Html,
    /// One line of so many bytes.
    HugeLine(usize),
    /// Some text, then bytes that are not UTF-8 in a data line.
    BadUtf8,
    /// Some text, then an error object with this code and message.
    ErrorInStream {
        /// `error.code`.
        code: String,
        /// `error.message`.
        message: String,
    },
    /// A proper answer, but the connection stays open after `[DONE]`.
    OpenAfterDone(String),
}

/// A proper answer.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Speech {
    /// Thinking, sent first as `reasoning_content`.
    pub thinking: String,
    /// The text.
    pub text: String,
    /// The tool calls; with any, the finish reason is `tool_calls`.
    pub calls: Vec<ScriptedCall>,
    /// In how many pieces the text comes; 0 counts as 1.
    pub pieces: usize,
    /// The wait before each chunk.
    pub pause: Duration,
    /// The finish reason; empty: `stop`, or `tool_calls` where there are any.
    pub finish: String,
    /// What it cost; sent when the request asks for it.
    pub cost: Cost,
}

/// A tool call in an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptedCall {
    /// The id.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The arguments' JSON text, sent in two fragments.
    pub arguments: String,
}

/// What an answer cost, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cost {
    /// Tokens read.
    pub prompt: u64,
    /// Tokens written.
    pub completion: u64,
}

impl Default for Cost {
    fn default() -> Self {
        Self {
            prompt: 11,
            completion: 7,
        }
    }
}

impl Script {
    /// A text in one piece.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::Say(Speech {
            text: text.into(),
            ..Speech::default()
        })
    }

    /// A text in so many pieces with a wait before each.
    #[must_use]
    pub fn slow_text(text: impl Into<String>, pieces: usize, pause: Duration) -> Self {
        Self::Say(Speech {
            text: text.into(),
            pieces,
            pause,
            ..Speech::default()
        })
    }

    /// One tool call.
    #[must_use]
    pub fn call(id: &str, name: &str, arguments: &str) -> Self {
        Self::calls([(id, name, arguments)])
    }

    /// Tool calls, side by side: id, name, arguments.
    #[must_use]
    pub fn calls<'a>(calls: impl IntoIterator<Item = (&'a str, &'a str, &'a str)>) -> Self {
        let scripted = |(id, name, arguments): (&str, &str, &str)| ScriptedCall {
            id: id.to_owned(),
            name: name.to_owned(),
            arguments: arguments.to_owned(),
        };
        Self::Say(Speech {
            calls: calls.into_iter().map(scripted).collect(),
            ..Speech::default()
        })
    }

    /// 429 with `Retry-After` in seconds.
    #[must_use]
    pub fn rate_limited(seconds: u64) -> Self {
        Self::Fail {
            status: 429,
            retry_after: Some(seconds),
            code: "rate_limit_exceeded".to_owned(),
            message: "Rate limit reached".to_owned(),
        }
    }

    /// A failure with this status and no more than a word on it.
    #[must_use]
    pub fn status(status: u16) -> Self {
        Self::Fail {
            status,
            retry_after: None,
            code: "scripted".to_owned(),
            message: format!("scripted {status}"),
        }
    }
}
