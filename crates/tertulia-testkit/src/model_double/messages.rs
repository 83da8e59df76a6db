//! The rules for the messages of a request: roles, contents, and the pairing of calls and results.

use serde_json::{Map, Value};

use super::Habits;
use super::rules::{demand, is_function_name, known};

/// The longest id of a call.
const LONGEST_ID: usize = 40;

/// Checks the list of messages.
pub(crate) fn check(habits: Habits, messages: Option<&Value>) -> Result<(), String> {
    let messages = messages.and_then(Value::as_array).ok_or("messages must be an array")?;
    demand(!messages.is_empty(), "messages must not be empty")?;
    let mut open: Vec<String> = Vec::new();
    for (place, message) in messages.iter().enumerate() {
        let fields = message
            .as_object()
            .ok_or_else(|| format!("messages[{place}] must be an object"))?;
        check_message(habits, fields, &mut open).map_err(|error| format!("messages[{place}]: {error}"))?;
    }
    unanswered(&open)
}

fn check_message(habits: Habits, fields: &Map<String, Value>, open: &mut Vec<String>) -> Result<(), String> {
    let role = fields.get("role").and_then(Value::as_str).unwrap_or_default();
    if role != "tool" {
        unanswered(open)?;
    }
    match role {
        "system" | "developer" | "user" => {
            known(fields, &["role", "content", "name"], "key of a message")?;
            check_content(fields.get("content"), role == "user")
        }
        "assistant" => check_assistant(habits, fields, open),
        "tool" => check_tool(fields, open),
        other => Err(format!("invalid role {other:?}")),
    }
}

fn unanswered(open: &[String]) -> Result<(), String> {
    let text = "an assistant message with 'tool_calls' must be followed by tool messages; no response to";
    demand(open.is_empty(), format!("{text}: {}", open.join(", ")))
}

fn check_content(content: Option<&Value>, pictures: bool) -> Result<(), String> {
    match content {
        Some(Value::String(_)) => Ok(()),
        Some(Value::Array(parts)) if !parts.is_empty() => parts.iter().try_for_each(|part| check_part(part, pictures)),
        _ => Err("content must be a string or a non-empty array of parts".to_owned()),
    }
}

fn check_part(part: &Value, pictures: bool) -> Result<(), String> {
    match part.get("type").and_then(Value::as_str) {
        Some("text") => demand(part.get("text").is_some_and(Value::is_string), "a text part needs text"),
        Some("image_url") if pictures => {
            let url = part
                .pointer("/image_url/url")
                .and_then(Value::as_str)
                .unwrap_or_default();
            demand(
                is_picture(url),
                "image_url must be an address or a data URL of an image",
            )
        }
        other => Err(format!("a part of type {other:?} is not allowed here")),
    }
}

fn is_picture(url: &str) -> bool {
    let base64 = |text: &str| {
        !text.is_empty()
            && text
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte))
    };
    match url
        .strip_prefix("data:image/")
        .and_then(|rest| rest.split_once(";base64,"))
    {
        Some((kind, data)) => !kind.is_empty() && base64(data),
        None => url.starts_with("https://") || url.starts_with("http://"),
    }
}

fn check_assistant(habits: Habits, fields: &Map<String, Value>, open: &mut Vec<String>) -> Result<(), String> {
    let keys = ["role", "content", "name", "tool_calls", "refusal"];
    known(fields, &[&keys, habits.keys()].concat(), "key of a message")?;
    let Some(calls) = fields.get("tool_calls") else {
        return check_content(fields.get("content"), false);
    };
    let content = fields.get("content").filter(|content| !content.is_null());
    if content.is_some() {
        check_content(content, false)?;
    }
    let calls = calls
        .as_array()
        .filter(|calls| !calls.is_empty())
        .ok_or("tool_calls must be a non-empty array")?;
    for call in calls {
        let id = check_call(call)?;
        demand(!open.contains(&id), format!("two calls with the id {id}"))?;
        open.push(id);
    }
    Ok(())
}

fn check_call(call: &Value) -> Result<String, String> {
    let text = |pointer: &str| call.pointer(pointer).and_then(Value::as_str);
    let id = text("/id").unwrap_or_default();
    let length = id.chars().count();
    demand(
        (1..=LONGEST_ID).contains(&length),
        format!("the id of a call has {length} characters"),
    )?;
    demand(text("/type") == Some("function"), "the type of a call must be function")?;
    let name = text("/function/name").unwrap_or_default();
    demand(is_function_name(name), format!("invalid function name: {name:?}"))?;
    let arguments = text("/function/arguments").ok_or("arguments must be a string")?;
    let object = serde_json::from_str::<Map<String, Value>>(arguments).is_ok();
    demand(
        object,
        format!("arguments are not the text of a JSON object: {arguments:?}"),
    )?;
    Ok(id.to_owned())
}

fn check_tool(fields: &Map<String, Value>, open: &mut Vec<String>) -> Result<(), String> {
    known(fields, &["role", "content", "tool_call_id"], "key of a message")?;
    check_content(fields.get("content"), false)?;
    let id = fields
        .get("tool_call_id")
        .and_then(Value::as_str)
        .ok_or("a tool message needs a tool_call_id")?;
    match open.iter().position(|wanted| wanted == id) {
        Some(place) => {
            open.remove(place);
            Ok(())
        }
        None => Err(format!(
            "role 'tool' must answer a preceding call; there is none with the id {id}"
        )),
    }
}
