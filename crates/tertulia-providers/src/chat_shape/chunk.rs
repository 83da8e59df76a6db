//! The pieces of an answer, in the provider's own types: lenient, since each server has its own habits.

use serde::Deserialize;
use serde_json::Value;

/// One chunk of a stream, or a whole answer.
#[derive(Debug, Deserialize)]
pub(crate) struct Chunk {
    /// An error in the middle of a stream, or in place of an answer.
    #[serde(default)]
    pub(crate) error: Option<Value>,
    /// `error` for the errors of vLLM.
    #[serde(default)]
    pub(crate) object: Option<String>,
    #[serde(default)]
    pub(crate) choices: Option<Vec<Choice>>,
    /// Counts, and whatever else a server tells about the cost.
    #[serde(default)]
    pub(crate) usage: Value,
}

/// One choice; only the first is read.
#[derive(Debug, Deserialize)]
pub(crate) struct Choice {
    #[serde(default)]
    pub(crate) index: Option<u32>,
    /// A whole answer says `message` for it.
    #[serde(default, alias = "message")]
    pub(crate) delta: Option<WireDelta>,
    #[serde(default)]
    pub(crate) finish_reason: Option<String>,
}

/// What is new.
#[derive(Debug, Deserialize)]
pub(crate) struct WireDelta {
    /// A string, null, or a list of parts.
    #[serde(default)]
    pub(crate) content: Value,
    /// What it says instead of an answer.
    #[serde(default)]
    pub(crate) refusal: Value,
    #[serde(default)]
    pub(crate) reasoning_content: Value,
    #[serde(default)]
    pub(crate) reasoning: Value,
    /// What OpenRouter wants back.
    #[serde(default)]
    pub(crate) reasoning_details: Value,
    #[serde(default)]
    pub(crate) tool_calls: Option<Vec<WireFragment>>,
}

/// A fragment of a call, or a whole one.
#[derive(Debug, Deserialize)]
pub(crate) struct WireFragment {
    #[serde(default)]
    pub(crate) index: Option<u32>,
    #[serde(default)]
    pub(crate) id: Option<String>,
    #[serde(default)]
    pub(crate) function: Option<WireCalled>,
}

/// What is called.
#[derive(Debug, Deserialize)]
pub(crate) struct WireCalled {
    #[serde(default)]
    pub(crate) name: Option<String>,
    /// Text; some servers send the object itself.
    #[serde(default)]
    pub(crate) arguments: Value,
}

/// A content, sorted into thinking and text in the order of its parts.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Said {
    Text(String),
    Thinking(String),
}

/// What a `content` says: a text, or a list of parts as Mistral sends them.
pub(crate) fn said(content: &Value) -> Vec<Said> {
    match content {
        Value::String(text) => vec![Said::Text(text.clone())],
        Value::Array(parts) => parts.iter().map(part).collect(),
        _ => Vec::new(),
    }
}

fn part(part: &Value) -> Said {
    match part.get("thinking") {
        Some(thinking) => Said::Thinking(plain(thinking)),
        None => Said::Text(plain(part)),
    }
}

/// The text of a string, of a part with `text`, or of a list of such.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().map(plain).collect(),
        Value::Object(fields) => fields.get("text").map(plain).unwrap_or_default(),
        _ => String::new(),
    }
}
