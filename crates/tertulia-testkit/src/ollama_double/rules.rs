//! The documented rules for a request for an answer, as a pure check.

use serde_json::{Map, Value};

use super::messages;
use crate::model_double::{demand, known};

const COMMON: [&str; 9] = [
    "model",
    "stream",
    "think",
    "format",
    "options",
    "keep_alive",
    "truncate",
    "shift",
    "logprobs",
];
const OPTIONS: [&str; 8] = [
    "num_ctx",
    "num_predict",
    "temperature",
    "top_p",
    "top_k",
    "stop",
    "seed",
    "num_keep",
];

/// What the documented rules say against the body of a request to `/api/chat`, or to `/api/generate`, for a model with
/// these capabilities; `None` when it is fine.
///
/// Rules: known fields of the right type; contents as texts; pictures as bare base64, only for models that see; arguments
/// as objects; every call answered, no answer without a call; tools and thinking only for models that can. And one rule of
/// our own: `options.num_ctx` is there, since without it the server takes a window that nobody knows.
#[must_use]
pub fn refusal(request: &Value, chat: bool, capabilities: &[&str]) -> Option<String> {
    check(request, chat, capabilities).err()
}

fn check(request: &Value, chat: bool, capabilities: &[&str]) -> Result<(), String> {
    let fields = request.as_object().ok_or("the body must be an object")?;
    let own: &[&str] = if chat {
        &["messages", "tools"]
    } else {
        &["prompt", "images", "system", "raw", "suffix", "template"]
    };
    let all: Vec<&str> = COMMON.iter().chain(own).copied().collect();
    known(fields, &all, "field")?;
    let model = fields.get("model").and_then(Value::as_str).unwrap_or_default();
    demand(!model.is_empty(), "model is required")?;
    for flag in ["stream", "truncate", "shift", "raw"] {
        demand(
            fields.get(flag).is_none_or(Value::is_boolean),
            format!("{flag} must be a boolean"),
        )?;
    }
    check_options(fields.get("options"))?;
    check_think(fields.get("think"), model, capabilities)?;
    check_format(fields.get("format"))?;
    let sees = capabilities.contains(&"vision");
    if chat {
        demand(
            capabilities.contains(&"completion"),
            format!("\"{model}\" does not support chat"),
        )?;
        check_tools(fields.get("tools"), model, capabilities)?;
        messages::check(fields.get("messages"), sees)
    } else {
        demand(
            fields.get("prompt").is_some_and(Value::is_string),
            "prompt must be a string",
        )?;
        messages::check_images(fields.get("images"), sees)
    }
}

fn check_options(options: Option<&Value>) -> Result<(), String> {
    let options = options.and_then(Value::as_object).ok_or("options must be an object")?;
    known(options, &OPTIONS, "option")?;
    let window = options.get("num_ctx").and_then(Value::as_u64);
    demand(window.is_some_and(|window| window > 0), "options.num_ctx is missing")?;
    let whole = |name: &str| options.get(name).is_none_or(Value::is_i64);
    demand(
        whole("num_predict") && whole("seed"),
        "num_predict and seed must be integers",
    )?;
    let number = |name: &str| options.get(name).is_none_or(Value::is_number);
    demand(
        number("temperature") && number("top_p"),
        "temperature and top_p must be numbers",
    )?;
    let texts = |list: &Value| list.as_array().is_some_and(|list| list.iter().all(Value::is_string));
    demand(
        options.get("stop").is_none_or(texts),
        "stop must be an array of strings",
    )
}

fn check_think(think: Option<&Value>, model: &str, capabilities: &[&str]) -> Result<(), String> {
    let wanted = match think {
        None | Some(Value::Bool(false)) => false,
        Some(Value::Bool(true)) => true,
        Some(Value::String(word)) if ["low", "medium", "high", "max"].contains(&word.as_str()) => true,
        Some(other) => return Err(format!("invalid think value: {other}")),
    };
    demand(
        !wanted || capabilities.contains(&"thinking"),
        format!("\"{model}\" does not support thinking"),
    )
}

fn check_format(format: Option<&Value>) -> Result<(), String> {
    demand(
        format.is_none_or(|format| format.is_object() || format == "json"),
        "format must be \"json\" or a schema",
    )
}

fn check_tools(tools: Option<&Value>, model: &str, capabilities: &[&str]) -> Result<(), String> {
    let Some(tools) = tools else { return Ok(()) };
    let tools = tools.as_array().ok_or("tools must be an array")?;
    demand(
        tools.is_empty() || capabilities.contains(&"tools"),
        format!("registry.ollama.ai/library/{model} does not support tools"),
    )?;
    tools.iter().try_for_each(check_tool)
}

fn check_tool(tool: &Value) -> Result<(), String> {
    demand(
        tool.get("type") == Some(&Value::from("function")),
        "a tool's type must be function",
    )?;
    let function: &Map<String, Value> = tool
        .get("function")
        .and_then(Value::as_object)
        .ok_or("a tool needs a function")?;
    known(function, &["name", "description", "parameters"], "key of a function")?;
    let name = function.get("name").and_then(Value::as_str).unwrap_or_default();
    demand(!name.is_empty(), "a function needs a name")?;
    let schema = function.get("parameters").and_then(|schema| schema.get("type"));
    demand(
        schema == Some(&Value::from("object")),
        format!("the parameters of {name} must be a schema of type object"),
    )
}
