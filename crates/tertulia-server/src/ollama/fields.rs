//! Reading the fields of a JSON object as the real server does, down to the words of its errors.

use serde_json::{Map, Value};

use crate::refusal::Refusal;

/// The fields of an object; `null` reads as absent, and unknown fields are not looked at.
#[derive(Clone, Copy)]
pub(super) struct Fields<'a> {
    map: &'a Map<String, Value>,
    at: &'a str,
}

impl<'a> Fields<'a> {
    /// `at` is the object's place, as errors name it: `ChatRequest.messages`.
    pub(super) fn new(map: &'a Map<String, Value>, at: &'a str) -> Self {
        Self { map, at }
    }

    pub(super) fn get(&self, key: &str) -> Option<&'a Value> {
        self.map.get(key).filter(|value| !value.is_null())
    }

    /// A text; empty if it is absent.
    pub(super) fn text(&self, key: &str) -> Result<&'a str, Refusal> {
        match self.get(key) {
            None => Ok(""),
            Some(Value::String(text)) if text.contains('\0') => {
                Err(Refusal::bad(format!("{}.{key} contains a NUL character", self.at)))
            }
            Some(Value::String(text)) => Ok(text),
            Some(other) => Err(self.wrong(key, other, "string")),
        }
    }

    pub(super) fn flag(&self, key: &str) -> Result<Option<bool>, Refusal> {
        match self.get(key) {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(*flag)),
            Some(other) => Err(self.wrong(key, other, "bool")),
        }
    }

    /// A list; empty if it is absent.
    pub(super) fn list(&self, key: &str, of: &str) -> Result<&'a [Value], Refusal> {
        match self.get(key) {
            None => Ok(&[]),
            Some(Value::Array(list)) => Ok(list),
            Some(other) => Err(self.wrong(key, other, of)),
        }
    }

    /// The objects of a list.
    pub(super) fn objects(&self, key: &str, of: &str) -> Result<Vec<&'a Map<String, Value>>, Refusal> {
        let list = self.list(key, &format!("[]{of}"))?;
        list.iter()
            .map(|value| value.as_object().ok_or_else(|| self.wrong(key, value, of)))
            .collect()
    }

    pub(super) fn object(&self, key: &str) -> Result<Option<&'a Map<String, Value>>, Refusal> {
        match self.get(key) {
            None => Ok(None),
            Some(Value::Object(map)) => Ok(Some(map)),
            Some(other) => Err(self.wrong(key, other, "map[string]interface {}")),
        }
    }

    pub(super) fn wrong(&self, key: &str, value: &Value, wanted: &str) -> Refusal {
        let found = match value {
            Value::Null => "null",
            Value::Bool(_) => "bool",
            Value::Number(_) => "number",
            Value::String(_) => "string",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
        };
        let at = self.at;
        Refusal::bad(format!(
            "json: cannot unmarshal {found} into Go struct field {at}.{key} of type {wanted}"
        ))
    }
}
