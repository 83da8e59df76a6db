//! One item of an answer while it comes: what of it was given out already, and what it says in whole.

use serde_json::{Map, Value};

/// An item that is under way.
#[derive(Debug, Default)]
pub(crate) struct Open {
    /// The id that pieces name it by.
    pub(crate) id: String,
    /// It is a call.
    pub(crate) is_call: bool,
    /// It came as a whole, or is made up for pieces of nothing.
    pub(crate) is_over: bool,
    /// How much of its text was given out, in bytes.
    pub(crate) text: usize,
    /// How much of its thoughts.
    pub(crate) thoughts: usize,
    /// How much of its input.
    pub(crate) input: usize,
}

/// What an item says in whole.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Whole {
    pub(crate) text: String,
    pub(crate) thoughts: String,
    pub(crate) input: String,
    /// A part of it is a refusal.
    pub(crate) refuses: bool,
}

impl Whole {
    /// Reads an item.
    pub(crate) fn of(item: &Map<String, Value>) -> Self {
        let mut whole = Self::default();
        match kind(item) {
            "message" => {
                for part in parts(item, "content") {
                    whole.refuses |= part.get("refusal").is_some_and(Value::is_string);
                    whole.text.extend([string(part, "text"), string(part, "refusal")]);
                }
            }
            "reasoning" => {
                let said = parts(item, "summary").chain(parts(item, "content"));
                whole.thoughts = said.map(|part| string(part, "text")).collect();
            }
            "function_call" => whole.input = input(item.get("arguments")),
            "custom_tool_call" => whole.input = input(item.get("input")),
            _ => {}
        }
        whole
    }
}

/// The item's type.
pub(crate) fn kind(item: &Map<String, Value>) -> &str {
    item.get("type").and_then(Value::as_str).unwrap_or_default()
}

/// A text of an item; empty without one.
pub(crate) fn field<'a>(item: &'a Map<String, Value>, name: &str) -> &'a str {
    item.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// The name of an item: its id, or a call's where it has none.
pub(crate) fn id(item: &Map<String, Value>) -> &str {
    match field(item, "id") {
        "" => field(item, "call_id"),
        id => id,
    }
}

fn parts<'a>(item: &'a Map<String, Value>, name: &str) -> impl Iterator<Item = &'a Value> {
    item.get(name).and_then(Value::as_array).into_iter().flatten()
}

fn string<'a>(part: &'a Value, name: &str) -> &'a str {
    part.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// Text; some servers send the object itself.
fn input(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(whole) => whole.to_string(),
    }
}
