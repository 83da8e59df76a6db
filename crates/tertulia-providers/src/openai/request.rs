//! The body of a request, in the provider's own types.

use serde::Serialize;
use serde_json::{Value, json};
use tertulia_core::provider::ModelRequest;
use tertulia_message::ToolOffer;

use super::content::{WireMessage, messages};
use crate::names::Names;

/// In what the official server and all the others differ.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Dialect {
    /// It is OpenAI itself, which wants `max_completion_tokens` instead of `max_tokens`.
    pub(crate) official: bool,
}

/// The body.
#[derive(Debug, Serialize)]
pub(crate) struct Body<'a> {
    model: &'a str,
    messages: Vec<WireMessage>,
    stream: bool,
    stream_options: StreamOptions,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<WireTool<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_p: Option<f64>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    stop: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_effort: Option<&'a str>,
}

#[derive(Debug, Serialize)]
struct StreamOptions {
    include_usage: bool,
}

#[derive(Debug, Serialize)]
struct WireTool<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    function: WireOffer<'a>,
}

#[derive(Debug, Serialize)]
struct WireOffer<'a> {
    name: String,
    #[serde(skip_serializing_if = "str::is_empty")]
    description: &'a str,
    parameters: Value,
}

/// Makes the body of a request to `model`.
pub(crate) fn body<'a>(model: &'a str, request: &'a ModelRequest, names: &Names, dialect: Dialect) -> Body<'a> {
    let generation = &request.generation;
    let limit = generation.max_tokens;
    Body {
        model,
        messages: messages(request, names),
        stream: true,
        stream_options: StreamOptions { include_usage: true },
        tools: request.tools.iter().map(|tool| offer(tool, names)).collect(),
        max_tokens: limit.filter(|_| !dialect.official),
        max_completion_tokens: limit.filter(|_| dialect.official),
        temperature: generation.temperature,
        top_p: generation.top_p,
        stop: &generation.stop,
        seed: generation.seed,
        response_format: generation.format.as_ref().and_then(response_format),
        // Whether to think at all is not to be said in this protocol, only how hard.
        reasoning_effort: generation.think.as_ref().and_then(Value::as_str),
    }
}

fn offer<'a>(tool: &'a ToolOffer, names: &Names) -> WireTool<'a> {
    let parameters = match &tool.parameters {
        schema @ Value::Object(fields) if fields.contains_key("type") => schema.clone(),
        _ => json!({"type": "object", "properties": {}}),
    };
    let function = WireOffer {
        name: names.to_wire(&tool.name),
        description: &tool.description,
        parameters,
    };
    WireTool {
        kind: "function",
        function,
    }
}

fn response_format(format: &Value) -> Option<Value> {
    match format {
        Value::String(word) if word == "json" => Some(json!({"type": "json_object"})),
        schema @ Value::Object(_) => {
            Some(json!({"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}}))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
