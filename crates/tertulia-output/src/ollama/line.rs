//! The JSON objects of an answer.

use jiff::Timestamp;
use serde_json::{Map, Value, json};
use tertulia_message::{Finish, Spent};

use super::Chunk;

/// Which of the two routes is answered; they name the same things differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route {
    /// `/api/chat`: the text is in `message.content`.
    Chat,
    /// `/api/generate`: the text is in `response`.
    Generate,
}

/// What every object of one answer has in common.
#[derive(Debug, Clone, Copy)]
pub struct Line<'a> {
    /// Which route is answered.
    pub route: Route,
    /// The model, as the client wrote it.
    pub model: &'a str,
    /// When the object is made.
    pub at: Timestamp,
}

/// How an answer ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Done {
    /// `stop`, `length`, `load` or `unload`.
    pub reason: &'static str,
    /// What it cost.
    pub spent: Spent,
}

impl Done {
    /// The end of a turn; its failure is no end but an error of its own.
    #[must_use]
    pub fn of(finish: &Finish, spent: Spent) -> Self {
        let reason = if *finish == Finish::Length { "length" } else { "stop" };
        Self { reason, spent }
    }
}

impl Line<'_> {
    /// One piece of a streamed answer; `index` is the place of a call among the calls of the answer.
    #[must_use]
    pub fn chunk(&self, chunk: &Chunk, index: usize) -> Value {
        let mut parts = Parts::default();
        match chunk {
            Chunk::Error(text) => return error(text),
            Chunk::Content(text) => text.clone_into(&mut parts.content),
            Chunk::Thinking(text) => text.clone_into(&mut parts.thinking),
            Chunk::Call(call) => parts.calls.push(call.to_json(index)),
        }
        let mut object = self.with(parts);
        object.insert("done".to_owned(), Value::Bool(false));
        Value::Object(object)
    }

    /// The last object of an answer; with `parts` it is the whole answer in one.
    #[must_use]
    pub(super) fn last(&self, parts: Parts, done: &Done) -> Value {
        let mut object = self.with(parts);
        object.insert("done".to_owned(), Value::Bool(true));
        object.insert("done_reason".to_owned(), done.reason.into());
        object.extend(costs(self.route, done));
        Value::Object(object)
    }

    /// The last object of a streamed answer.
    #[must_use]
    pub fn done(&self, done: &Done) -> Value {
        self.last(Parts::default(), done)
    }

    fn with(&self, parts: Parts) -> Map<String, Value> {
        let mut inner = Map::new();
        match self.route {
            Route::Chat => {
                inner.insert("role".to_owned(), "assistant".into());
                inner.insert("content".to_owned(), parts.content.into());
            }
            Route::Generate => {
                inner.insert("response".to_owned(), parts.content.into());
            }
        }
        if !parts.thinking.is_empty() {
            inner.insert("thinking".to_owned(), parts.thinking.into());
        }
        if !parts.calls.is_empty() {
            inner.insert("tool_calls".to_owned(), parts.calls.into());
        }
        let mut object = Map::new();
        object.insert("model".to_owned(), self.model.into());
        object.insert("created_at".to_owned(), rfc3339(self.at).into());
        match self.route {
            Route::Chat => {
                object.insert("message".to_owned(), inner.into());
            }
            Route::Generate => object.extend(inner),
        }
        object
    }
}

/// An error, as an answer of its own and as a line.
#[must_use]
pub fn error(text: &str) -> Value {
    json!({"error": text})
}

/// RFC 3339 with nanoseconds, as the real server writes it.
#[must_use]
pub fn rfc3339(at: Timestamp) -> String {
    format!("{at:.9}")
}

/// What an object says beside its frame.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Parts {
    pub(super) content: String,
    pub(super) thinking: String,
    pub(super) calls: Vec<Value>,
}

/// Counts and durations in nanoseconds. Counts that the provider did not tell are left out; of the durations only
/// the whole is known, so the evaluation is said to have taken all of it.
fn costs(route: Route, done: &Done) -> Map<String, Value> {
    let mut costs = Map::new();
    if matches!(done.reason, "load" | "unload") {
        return costs;
    }
    let nanos = done.spent.millis.saturating_mul(1_000_000);
    for (key, value) in [
        ("total_duration", Some(nanos)),
        ("load_duration", Some(0)),
        ("prompt_eval_count", done.spent.tokens_in),
        ("prompt_eval_duration", Some(0)),
        ("eval_count", done.spent.tokens_out),
        ("eval_duration", Some(nanos)),
    ] {
        costs.extend(value.map(|value| (key.to_owned(), value.into())));
    }
    if route == Route::Generate {
        // an encoded conversation of the real server; conversations are remembered by id here
        costs.insert("context".to_owned(), Value::Array(Vec::new()));
    }
    costs
}
