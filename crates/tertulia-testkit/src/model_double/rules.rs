//! The documented rules for a request to `/chat/completions`, as a pure check.

use serde_json::{Map, Value};

use super::{Habits, messages};

const FIELDS: [&str; 21] = [
    "model",
    "messages",
    "stream",
    "stream_options",
    "tools",
    "tool_choice",
    "parallel_tool_calls",
    "max_tokens",
    "max_completion_tokens",
    "temperature",
    "top_p",
    "stop",
    "seed",
    "response_format",
    "reasoning_effort",
    "n",
    "user",
    "metadata",
    "presence_penalty",
    "frequency_penalty",
    "store",
];

/// Why a request is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The HTTP status.
    pub status: u16,
    /// The machine-readable word.
    pub code: String,
    /// What is wrong, for people.
    pub message: String,
}

impl Refusal {
    /// Names a refusal.
    pub(crate) fn new(status: u16, code: &str, message: impl Into<String>) -> Self {
        Self {
            status,
            code: code.to_owned(),
            message: message.into(),
        }
    }
}

/// What the documented rules say against a request's body; `None` when it is fine.
///
/// Neither the model's existence nor the key are looked at. Rules: known fields of the right type; roles and contents;
/// every call answered by exactly one tool message before any other role, none without a call; arguments as the text of
/// a JSON object; ids of 1 to 40 characters; names of `[a-zA-Z0-9_-]{1,64}`; `stream_options` only with `stream`.
#[must_use]
pub fn refusal(request: &Value) -> Option<Refusal> {
    refusal_by(Habits::OpenAi, request)
}

/// The same by the rules of another server of the shape.
#[must_use]
pub fn refusal_by(habits: Habits, request: &Value) -> Option<Refusal> {
    check(habits, request)
        .err()
        .map(|message| Refusal::new(400, "invalid_request_error", message))
}

fn check(habits: Habits, request: &Value) -> Result<(), String> {
    let Value::Object(fields) = request else {
        return Err("the body must be an object".to_owned());
    };
    known(fields, &[&FIELDS, habits.fields()].concat(), "argument")?;
    let model = fields.get("model").and_then(Value::as_str);
    demand(
        model.is_some_and(|model| !model.is_empty()),
        "you must provide a model parameter",
    )?;
    check_options(fields)?;
    check_numbers(fields)?;
    check_tools(fields.get("tools"))?;
    check_format(fields.get("response_format"))?;
    messages::check(habits, fields.get("messages"))?;
    habits.check(fields)
}

/// Refuses fields that are not listed.
pub(crate) fn known(fields: &Map<String, Value>, names: &[&str], what: &str) -> Result<(), String> {
    match fields.keys().find(|key| !names.contains(&key.as_str())) {
        Some(key) => Err(format!("unrecognized {what}: {key}")),
        None => Ok(()),
    }
}

/// An error with this text unless the condition holds.
pub(crate) fn demand(condition: bool, otherwise: impl Into<String>) -> Result<(), String> {
    if condition { Ok(()) } else { Err(otherwise.into()) }
}

/// Whether it can be the name of a function.
pub(crate) fn is_function_name(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
}

fn check_options(fields: &Map<String, Value>) -> Result<(), String> {
    let stream = fields.get("stream");
    demand(stream.is_none_or(Value::is_boolean), "stream must be a boolean")?;
    let streams = stream == Some(&Value::Bool(true));
    demand(
        streams || !fields.contains_key("stream_options"),
        "stream_options is only allowed when stream is enabled",
    )?;
    let efforts = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];
    let effort = fields.get("reasoning_effort");
    let fits = effort.is_none_or(|effort| effort.as_str().is_some_and(|word| efforts.contains(&word)));
    demand(fits, "invalid reasoning_effort")?;
    let stops = fields.get("stop").is_none_or(|stop| match stop {
        Value::String(_) => true,
        Value::Array(texts) => (1..=4).contains(&texts.len()) && texts.iter().all(Value::is_string),
        _ => false,
    });
    demand(stops, "stop must be a string or an array of one to four strings")
}

fn check_numbers(fields: &Map<String, Value>) -> Result<(), String> {
    let limits = ["max_tokens", "max_completion_tokens"];
    demand(
        limits.iter().filter(|limit| fields.contains_key(**limit)).count() < 2,
        "max_tokens and max_completion_tokens are mutually exclusive",
    )?;
    for limit in limits {
        let fits = fields
            .get(limit)
            .is_none_or(|value| value.as_u64().is_some_and(|tokens| tokens > 0));
        demand(fits, format!("{limit} must be a positive integer"))?;
    }
    for (name, most) in [("temperature", 2.0), ("top_p", 1.0)] {
        let fits = |value: &Value| value.as_f64().is_some_and(|number| (0.0..=most).contains(&number));
        demand(
            fields.get(name).is_none_or(fits),
            format!("{name} must be between 0 and {most}"),
        )?;
    }
    demand(fields.get("seed").is_none_or(Value::is_i64), "seed must be an integer")
}

fn check_tools(tools: Option<&Value>) -> Result<(), String> {
    let Some(tools) = tools else { return Ok(()) };
    let tools = tools
        .as_array()
        .filter(|tools| !tools.is_empty())
        .ok_or("tools must be a non-empty array")?;
    let mut names = Vec::new();
    for tool in tools {
        demand(
            tool.get("type") == Some(&Value::from("function")),
            "a tool's type must be function",
        )?;
        let function = tool
            .get("function")
            .and_then(Value::as_object)
            .ok_or("a tool needs a function")?;
        known(
            function,
            &["name", "description", "parameters", "strict"],
            "key of a function",
        )?;
        let name = function.get("name").and_then(Value::as_str).unwrap_or_default();
        demand(is_function_name(name), format!("invalid function name: {name:?}"))?;
        demand(!names.contains(&name), format!("function {name} is there twice"))?;
        let schema = function
            .get("parameters")
            .is_none_or(|schema| schema.get("type") == Some(&Value::from("object")));
        demand(
            schema,
            format!("the parameters of {name} must be a schema of type object"),
        )?;
        names.push(name);
    }
    Ok(())
}

fn check_format(format: Option<&Value>) -> Result<(), String> {
    let Some(format) = format else { return Ok(()) };
    match format.get("type").and_then(Value::as_str) {
        Some("text" | "json_object") => Ok(()),
        Some("json_schema") => {
            let name = format
                .pointer("/json_schema/name")
                .and_then(Value::as_str)
                .unwrap_or_default();
            demand(is_function_name(name), "json_schema needs a name")?;
            demand(
                format.pointer("/json_schema/schema").is_some_and(Value::is_object),
                "json_schema needs a schema",
            )
        }
        _ => Err("unknown response_format".to_owned()),
    }
}
