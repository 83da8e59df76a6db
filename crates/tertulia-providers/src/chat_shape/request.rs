//! The body of a request, in the provider's own types.

use serde::Serialize;
use serde_json::Value;
use tertulia_core::layout;
use tertulia_core::provider::{Capabilities, ModelRequest};
use tertulia_message::ToolOffer;

use super::echo::Owner;
use super::format::Form;
use super::lesson::Parameter;
use super::messages::{WireMessage, messages, question};
use super::model::{ChatLimit, ChatRole, Traits};
use super::neighbours;
use super::thought::Thought;
use crate::names::{Names, object_schema};
use crate::wording::{instructed, stops};

/// So many texts that end an answer are taken.
const STOPS: usize = 4;

/// Whom a request is made for.
#[derive(Clone, Copy)]
pub(crate) struct Audience<'a> {
    pub(crate) owner: Owner<'a>,
    pub(crate) able: Capabilities,
    pub(crate) traits: Traits,
    pub(crate) names: &'a Names,
}

/// The body.
#[derive(Debug, Serialize)]
pub(crate) struct Body<'a> {
    model: &'a str,
    messages: Vec<WireMessage>,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<StreamOptions>,
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
    #[serde(skip_serializing_if = "Vec::is_empty")]
    stop: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<Value>,
    #[serde(flatten)]
    thought: Thought,
    #[serde(skip)]
    system_role: Option<ChatRole>,
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

/// Makes the body: a conversation where the model holds one, else one prompt.
pub(crate) fn body<'a>(request: &'a ModelRequest, audience: &Audience<'a>) -> Body<'a> {
    let (generation, traits, able) = (&request.generation, &audience.traits, audience.able);
    let form = Form::of(generation.format.as_ref(), traits);
    let system = instructed(&request.system, form.words);
    let role = if able.system {
        traits.system_role
    } else {
        ChatRole::User
    };
    let messages = if able.conversation {
        let messages = messages(request, &system, role, audience);
        if traits.neighbours {
            messages
        } else {
            neighbours::joined(messages)
        }
    } else {
        question(&layout::prompt(&system, &request.messages), request, able.vision)
    };
    let limit = |field| generation.max_tokens.filter(|_| traits.limit == field);
    Body {
        model: audience.owner.model,
        messages,
        stream: true,
        stream_options: traits.stream_options.then_some(StreamOptions { include_usage: true }),
        tools: offers(&request.tools, audience),
        max_tokens: limit(ChatLimit::MaxTokens),
        max_completion_tokens: limit(ChatLimit::MaxCompletionTokens),
        temperature: generation.temperature.filter(|_| traits.temperature),
        top_p: generation.top_p.filter(|_| traits.top_p),
        stop: if traits.stop {
            stops(&generation.stop, !able.conversation, STOPS)
        } else {
            Vec::new()
        },
        seed: generation.seed.filter(|_| traits.seed),
        response_format: form.wire,
        thought: Thought::of(request, audience),
        system_role: (able.conversation && !system.is_empty()).then_some(role),
    }
}

impl Body<'_> {
    /// Whether a parameter is in it.
    pub(crate) fn carries(&self, parameter: Parameter) -> bool {
        let format = |kind: &str| {
            let format = self.response_format.as_ref();
            format.is_some_and(|format| format.get("type").and_then(Value::as_str) == Some(kind))
        };
        match parameter {
            Parameter::MaxTokens => self.max_tokens.is_some(),
            Parameter::MaxCompletionTokens => self.max_completion_tokens.is_some(),
            Parameter::SystemRole => self.system_role == Some(ChatRole::System),
            Parameter::DeveloperRole => self.system_role == Some(ChatRole::Developer),
            Parameter::Temperature => self.temperature.is_some(),
            Parameter::TopP => self.top_p.is_some(),
            Parameter::Stop => !self.stop.is_empty(),
            Parameter::Seed => self.seed.is_some(),
            Parameter::StreamOptions => self.stream_options.is_some(),
            Parameter::Thinking => self.thought.is_said(),
            Parameter::Schema => format("json_schema"),
            Parameter::Json => format("json_object"),
            Parameter::Neighbours => neighbours::are_there(&self.messages),
        }
    }
}

fn offers<'a>(tools: &'a [ToolOffer], audience: &Audience<'_>) -> Vec<WireTool<'a>> {
    // tools go with a conversation only
    let offered = tools
        .iter()
        .filter(|_| audience.able.conversation && audience.able.tool_calls);
    offered.map(|tool| offer(tool, audience.names)).collect()
}

fn offer<'a>(tool: &'a ToolOffer, names: &Names) -> WireTool<'a> {
    let function = WireOffer {
        name: names.to_wire(&tool.name),
        description: &tool.description,
        parameters: object_schema(tool),
    };
    WireTool {
        kind: "function",
        function,
    }
}

#[cfg(test)]
mod tests;
