//! How an answer in JSON is asked for: by the schema, by the mere wish for an object, and in words.

use serde_json::{Value, json};

use super::model::Traits;
use crate::wording::json_wish;

/// What the request says of the form of the answer.
#[derive(Debug, Default)]
pub(crate) struct Form {
    /// `response_format`.
    pub(crate) wire: Option<Value>,
    /// What stands behind the system prompt. Servers refuse the wish for an object where no message speaks of JSON.
    pub(crate) words: Option<String>,
}

impl Form {
    /// The form in the strongest way that the model takes.
    pub(crate) fn of(wanted: Option<&Value>, traits: &Traits) -> Self {
        let object = || traits.json.then(|| json!({"type": "json_object"}));
        match wanted {
            Some(schema @ Value::Object(_)) if traits.schema => Self {
                wire: Some(json!({"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}})),
                words: None,
            },
            _ => match wanted.and_then(json_wish) {
                Some(words) => Self {
                    wire: object(),
                    words: Some(words),
                },
                None => Self::default(),
            },
        }
    }
}
