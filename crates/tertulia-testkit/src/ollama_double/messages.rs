//! The rules for the messages of a chat.

use serde_json::{Map, Value};

use crate::model_double::{demand, known};

/// A call that waits for its answer: its id and the tool's name.
type Open = (String, String);

/// Checks the list of messages.
pub(super) fn check(messages: Option<&Value>, sees: bool) -> Result<(), String> {
    let messages = messages.and_then(Value::as_array).ok_or("messages must be an array")?;
    demand(!messages.is_empty(), "without messages the model is only loaded")?;
    let mut open: Vec<Open> = Vec::new();
    for (place, message) in messages.iter().enumerate() {
        let fields = message
            .as_object()
            .ok_or_else(|| format!("messages[{place}] must be an object"))?;
        check_message(fields, &mut open, sees).map_err(|error| format!("messages[{place}]: {error}"))?;
    }
    demand(open.is_empty(), "a call has no answer")
}

fn check_message(fields: &Map<String, Value>, open: &mut Vec<Open>, sees: bool) -> Result<(), String> {
    let role = fields.get("role").and_then(Value::as_str).unwrap_or_default();
    demand(role == "tool" || open.is_empty(), "a call has no answer")?;
    demand(
        fields.get("content").is_some_and(Value::is_string),
        "content must be a string",
    )?;
    match role {
        "system" => known(fields, &["role", "content"], "key"),
        "user" => {
            known(fields, &["role", "content", "images"], "key")?;
            check_images(fields.get("images"), sees)
        }
        "assistant" => {
            known(fields, &["role", "content", "thinking", "tool_calls"], "key")?;
            demand(
                fields.get("thinking").is_none_or(Value::is_string),
                "thinking must be a string",
            )?;
            let calls = fields.get("tool_calls").and_then(Value::as_array);
            *open = calls.into_iter().flatten().map(call).collect::<Result<_, _>>()?;
            Ok(())
        }
        "tool" => {
            known(fields, &["role", "content", "tool_name", "tool_call_id"], "key")?;
            answer(fields, open)
        }
        other => Err(format!("invalid role {other:?}")),
    }
}

fn call(call: &Value) -> Result<Open, String> {
    let text = |pointer: &str| call.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    demand(
        call.pointer("/function/arguments").is_some_and(Value::is_object),
        "the arguments of a call must be an object",
    )?;
    demand(!text("/function/name").is_empty(), "a call needs a name")?;
    Ok((text("/id").to_owned(), text("/function/name").to_owned()))
}

fn answer(fields: &Map<String, Value>, open: &mut Vec<Open>) -> Result<(), String> {
    let text = |field: &str| fields.get(field).and_then(Value::as_str).unwrap_or_default();
    let (id, name) = (text("tool_call_id"), text("tool_name"));
    let place = open.iter().position(|(call, tool)| call == id && tool == name);
    match place {
        Some(place) => {
            open.remove(place);
            Ok(())
        }
        None => Err(format!("no call {id:?} of {name:?} is open")),
    }
}

/// Pictures are bare base64, and nothing for the blind.
pub(super) fn check_images(images: Option<&Value>, sees: bool) -> Result<(), String> {
    let Some(images) = images else { return Ok(()) };
    let images = images.as_array().ok_or("images must be an array")?;
    demand(
        images.is_empty() || sees,
        "this model is missing data required for image input",
    )?;
    let bare = |image: &Value| {
        image.as_str().is_some_and(|text| {
            let base64 = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte);
            !text.is_empty() && text.bytes().all(base64)
        })
    };
    demand(images.iter().all(bare), "illegal base64 data")
}
