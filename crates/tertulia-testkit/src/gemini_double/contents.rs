//! The rules for the contents of a conversation.

use serde_json::{Map, Value};

use crate::model_double::{demand, known};

const KINDS: [&str; 4] = ["text", "inlineData", "functionCall", "functionResponse"];

/// A call that waits for its response: its name and its id.
type Open = (String, Option<String>);

/// Checks the contents.
pub(super) fn check(contents: Option<&Value>) -> Result<(), String> {
    let contents = contents.and_then(Value::as_array).ok_or("contents is not specified")?;
    demand(!contents.is_empty(), "contents is not specified")?;
    let mut open: Vec<Open> = Vec::new();
    let mut before = "";
    for (place, content) in contents.iter().enumerate() {
        let role = content.get("role").and_then(Value::as_str).unwrap_or_default();
        let parts = content.get("parts").and_then(Value::as_array);
        let parts = parts.filter(|parts| !parts.is_empty());
        let parts = parts.ok_or_else(|| format!("contents[{place}].parts must not be empty"))?;
        check_content(role, before, parts, &mut open).map_err(|error| format!("contents[{place}]: {error}"))?;
        before = role;
    }
    demand(open.is_empty(), COUNT)
}

const COUNT: &str = "Please ensure that the number of function response parts is equal to the number of function call \
                     parts of the function call turn.";

fn check_content(role: &str, before: &str, parts: &[Value], open: &mut Vec<Open>) -> Result<(), String> {
    demand(
        matches!(role, "user" | "model"),
        "Please use a valid role: user, model.",
    )?;
    demand(
        !(before.is_empty() && role == "model"),
        "the first content must be a user's",
    )?;
    for part in parts {
        check_part(part.as_object().ok_or("a part must be an object")?)?;
    }
    let of_kind = |kind: &str| parts.iter().filter_map(|part| part.get(kind)).map(named).collect();
    let (calls, responses): (Vec<Open>, Vec<Open>) = (of_kind("functionCall"), of_kind("functionResponse"));
    demand(calls.is_empty() || role == "model", "only the model calls")?;
    demand(responses.is_empty() || role == "user", "only a user answers")?;
    demand(
        calls.is_empty() || before == "user",
        "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
    )?;
    demand(responses == *open, COUNT)?;
    *open = calls;
    Ok(())
}

fn check_part(part: &Map<String, Value>) -> Result<(), String> {
    let kinds: Vec<&str> = KINDS.into_iter().filter(|kind| part.contains_key(*kind)).collect();
    let [kind] = kinds.as_slice() else {
        return Err("a part must have exactly one kind of data".to_owned());
    };
    known(part, &[*kind, "thoughtSignature"], "name at a part")?;
    let signed = part.get("thoughtSignature").map(Value::as_str);
    demand(
        signed.is_none_or(|text| text.is_some_and(|text| !text.is_empty())),
        "a signature must be a text",
    )?;
    let data = part.get(*kind).unwrap_or(&Value::Null);
    match *kind {
        "text" => {
            let text = data.as_str().ok_or("a text must be a text")?;
            demand(!text.is_empty() || signed.is_some(), "a part must not be empty")
        }
        "inlineData" => {
            let text = |field: &str| data.get(field).and_then(Value::as_str).unwrap_or_default();
            let base64 = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte);
            let fits = !text("data").is_empty() && text("data").bytes().all(base64);
            demand(
                fits && text("mimeType").contains('/'),
                "inlineData must be base64 with a type",
            )
        }
        "functionCall" => demand(data.get("args").is_none_or(Value::is_object), "args must be an object"),
        _ => demand(
            data.get("response").is_some_and(Value::is_object),
            "response must be an object",
        ),
    }
}

fn named(call: &Value) -> Open {
    let text = |field: &str| call.get(field).and_then(Value::as_str).map(str::to_owned);
    (text("name").unwrap_or_default(), text("id"))
}
