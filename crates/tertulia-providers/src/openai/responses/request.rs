//! The body of a request, in the provider's own types.

use serde::Serialize;
use serde_json::{Value, json};
use tertulia_core::layout;
use tertulia_core::provider::{Capabilities, ModelRequest};
use tertulia_message::ToolOffer;

use super::input::{self, Audience, Item, Role};
use crate::names::{Names, object_schema};
use crate::wording::json_wish;

/// The shortest bound of an answer that OpenAI takes, in tokens.
const SHORTEST: u64 = 16;
/// Without this, what a model thought could not go back: nothing is stored there.
const THOUGHTS: &[&str] = &["reasoning.encrypted_content"];

/// The body. This API has neither texts that end an answer nor seeds.
#[derive(Debug, Serialize)]
pub(crate) struct Body<'a> {
    model: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    instructions: &'a str,
    input: Vec<Item>,
    stream: bool,
    store: bool,
    #[serde(skip_serializing_if = "<[&str]>::is_empty")]
    include: &'static [&'static str],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<WireTool<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_p: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<Reasoning<'a>>,
}

#[derive(Debug, Serialize)]
struct WireTool<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    name: String,
    #[serde(skip_serializing_if = "str::is_empty")]
    description: &'a str,
    parameters: Value,
    /// Where it is not said, OpenAI refuses every schema that is not closed.
    strict: bool,
}

#[derive(Debug, Serialize)]
struct Reasoning<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    effort: Option<&'a str>,
    summary: &'static str,
}

/// What a request is made for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Aim<'a> {
    pub(crate) model: &'a str,
    pub(crate) able: Capabilities,
    /// It takes `temperature`.
    pub(crate) temperature: bool,
    /// It takes `top_p`.
    pub(crate) top_p: bool,
}

/// Makes the body: a conversation, or one prompt where the operator wants that.
pub(crate) fn body<'a>(request: &'a ModelRequest, names: &Names, aim: Aim<'a>) -> Body<'a> {
    let Aim { able, model, .. } = aim;
    let (instructions, items) = if able.conversation {
        let audience = Audience { model, able, names };
        let (apart, begin) = if able.system {
            (request.system.as_str(), "")
        } else {
            ("", request.system.as_str())
        };
        let mut items = input::items(request, &audience);
        items.splice(0..0, Item::said(Role::User, begin));
        (apart, items)
    } else {
        let prompt = layout::prompt(&request.system, &request.messages);
        ("", input::question(&prompt, request, able.vision))
    };
    let role = if able.system { Role::System } else { Role::User };
    let wish = wish(request).and_then(|wish| Item::said(role, &wish));
    let offers = able.conversation && able.tool_calls;
    let generation = &request.generation;
    Body {
        model,
        instructions,
        input: wish.into_iter().chain(items).collect(),
        stream: true,
        store: false,
        include: if able.thinking { THOUGHTS } else { &[] },
        tools: request
            .tools
            .iter()
            .filter(|_| offers)
            .map(|tool| offer(tool, names))
            .collect(),
        max_output_tokens: generation.max_tokens.map(|limit| limit.max(SHORTEST)),
        temperature: generation.temperature.filter(|_| aim.temperature),
        top_p: generation.top_p.filter(|_| aim.top_p),
        text: generation.format.as_ref().and_then(text),
        reasoning: generation.think.as_ref().filter(|_| able.thinking).and_then(reasoning),
    }
}

fn offer<'a>(tool: &'a ToolOffer, names: &Names) -> WireTool<'a> {
    WireTool {
        kind: "function",
        name: names.to_wire(&tool.name),
        description: &tool.description,
        parameters: object_schema(tool),
        strict: false,
    }
}

/// OpenAI refuses the wish for some JSON object where no message speaks of JSON; instructions do not count.
fn wish(request: &ModelRequest) -> Option<String> {
    let format = request.generation.format.as_ref();
    format.filter(|format| format.is_string()).and_then(json_wish)
}

fn text(format: &Value) -> Option<Value> {
    let format = match format {
        Value::String(word) if word == "json" => json!({"type": "json_object"}),
        schema @ Value::Object(_) => json!({"type": "json_schema", "name": "answer", "schema": schema}),
        _ => return None,
    };
    Some(json!({"format": format}))
}

/// Thoughts are summed up only for who asks for them: OpenAI does that for verified organisations alone. Not to think is
/// not to be said in this protocol.
fn reasoning(think: &Value) -> Option<Reasoning<'_>> {
    (think != &Value::Bool(false)).then(|| Reasoning {
        effort: think.as_str(),
        summary: "auto",
    })
}

#[cfg(test)]
mod tests;
