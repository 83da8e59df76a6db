//! Tool calls as Ollama's clients read them: arguments are an object, not a text.

use serde_json::{Map, Value, json};
use tertulia_message::Props;

use super::Call;

/// The call in a message's props: `name` and `arguments`, or the same below `function`.
pub(super) fn call(props: &Props) -> Option<Call> {
    let nested = props.get("function").and_then(Value::as_object);
    let get = |key: &str| props.get(key).or_else(|| nested?.get(key));
    let name = get("name").and_then(Value::as_str).filter(|name| !name.is_empty())?;
    Some(Call {
        id: props.get("id").and_then(Value::as_str).unwrap_or_default().to_owned(),
        name: name.to_owned(),
        arguments: arguments(get("arguments")),
    })
}

/// Arguments that are no object are kept below `arguments`, so that the client's tool can complain about them.
fn arguments(given: Option<&Value>) -> Map<String, Value> {
    let read = match given {
        Some(Value::String(text)) if text.trim().is_empty() => Value::Null,
        Some(Value::String(text)) => serde_json::from_str(text).unwrap_or_else(|_| json!(text)),
        Some(value) => value.clone(),
        None => Value::Null,
    };
    match read {
        Value::Object(map) => map,
        Value::Null => Map::new(),
        other => Map::from_iter([("arguments".to_owned(), other)]),
    }
}

impl Call {
    pub(super) fn to_json(&self, index: usize) -> Value {
        let function = json!({"index": index, "name": self.name, "arguments": self.arguments});
        if self.id.is_empty() {
            return json!({"function": function});
        }
        json!({"id": self.id, "function": function})
    }
}
