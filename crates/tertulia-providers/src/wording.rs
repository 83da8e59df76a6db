//! What every kind says in the same words, where a protocol has no field for it.

use serde_json::Value;
use tertulia_core::chat::ToolResult;

/// What a model reads in place of a picture that it cannot see.
pub(crate) const UNSEEN: &str = "[a picture that you cannot see]";
/// Where a prompt's next turn would begin: what a model writes from there on is nobody's.
pub(crate) const NEXT_TURN: &str = "\n\nHuman:";

/// A result that answers none of the calls.
pub(crate) fn told(result: &ToolResult) -> String {
    format!("Result of {}:\n{}", result.name, result.content)
}

/// The wish for an answer in JSON, by a schema or of any form; `None` for what is no such wish.
pub(crate) fn json_wish(format: &Value) -> Option<String> {
    match format {
        Value::String(word) if word == "json" => {
            Some("Answer with one JSON object and with nothing before or behind it.".to_owned())
        }
        schema @ Value::Object(_) => Some(format!(
            "Answer with JSON that follows this schema and with nothing before or behind it:\n{schema}"
        )),
        _ => None,
    }
}
