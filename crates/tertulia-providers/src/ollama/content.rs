//! The messages of a chat, in Ollama's own types.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use serde_json::{Map, Value};
use tertulia_core::chat::{ChatMessage, Part, ProviderData, ToolCall, ToolResult};
use tertulia_core::provider::{Capabilities, ModelRequest};

use super::KIND;
use crate::names::Names;
use crate::pairs::{argument_object, pair, wire_id};
use crate::wording::{UNSEEN, told};

/// One message on the wire; its content is always a text.
#[derive(Debug, Serialize, PartialEq)]
pub(crate) struct WireMessage {
    role: &'static str,
    content: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking: Option<String>,
    /// Base64, without anything in front of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) images: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<WireCall>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_call_id: Option<String>,
}

/// A call in the history.
#[derive(Debug, Serialize, PartialEq)]
struct WireCall {
    id: String,
    function: WireFunction,
}

/// What was called.
#[derive(Debug, Serialize, PartialEq)]
struct WireFunction {
    index: usize,
    name: String,
    arguments: Map<String, Value>,
}

/// What the messages are made for.
pub(crate) struct Audience<'a> {
    pub(crate) model: &'a str,
    pub(crate) able: Capabilities,
    pub(crate) names: &'a Names,
}

/// All messages of a request, calls and results paired.
pub(crate) fn messages(request: &ModelRequest, audience: &Audience<'_>) -> Vec<WireMessage> {
    let mut messages = Vec::new();
    if !request.system.is_empty() {
        // a model that takes no system message reads it as the first thing a person says
        let role = if audience.able.system { "system" } else { "user" };
        messages.push(plain(role, request.system.clone()));
    }
    let mut open: &[ToolCall] = &[];
    for message in &request.messages {
        let results = match message {
            ChatMessage::Tool { results } => results.as_slice(),
            ChatMessage::User { .. } | ChatMessage::Assistant { .. } => &[],
        };
        messages.extend(answers(open, results, audience.names));
        open = &[];
        match message {
            ChatMessage::User { parts } => messages.push(user(parts, audience.able.vision)),
            ChatMessage::Assistant { text, calls, data } => {
                messages.push(assistant(text, calls, data.as_ref(), audience));
                open = calls;
            }
            ChatMessage::Tool { .. } => {}
        }
    }
    messages.extend(answers(open, &[], audience.names));
    messages
}

/// The pictures of a request, for a model that sees.
pub(crate) fn pictures(request: &ModelRequest) -> Vec<String> {
    let parts = request.messages.iter().filter_map(|message| match message {
        ChatMessage::User { parts } => Some(parts),
        ChatMessage::Assistant { .. } | ChatMessage::Tool { .. } => None,
    });
    parts.flatten().filter_map(picture).collect()
}

/// One message for each open call, and one for each result that answers none of them.
fn answers(open: &[ToolCall], results: &[ToolResult], names: &Names) -> Vec<WireMessage> {
    let paired = pair(open, results);
    let answer = |(call, content): (&ToolCall, String)| WireMessage {
        tool_name: Some(names.to_wire(&call.name)),
        tool_call_id: Some(wire_id(&call.id)),
        ..plain("tool", content)
    };
    let stranger = |result: &ToolResult| plain("user", told(result));
    let answered = open.iter().zip(paired.answers).map(answer);
    answered.chain(paired.strangers.iter().map(stranger)).collect()
}

fn user(parts: &[Part], sees: bool) -> WireMessage {
    let texts = parts.iter().filter_map(|part| match part {
        Part::Text(text) => Some(text.as_str()),
        Part::Picture(_) => (!sees).then_some(UNSEEN),
    });
    WireMessage {
        images: parts.iter().filter(|_| sees).filter_map(picture).collect(),
        ..plain("user", texts.collect::<Vec<_>>().join("\n"))
    }
}

fn picture(part: &Part) -> Option<String> {
    match part {
        Part::Text(_) => None,
        Part::Picture(picture) => Some(STANDARD.encode(&picture.bytes)),
    }
}

fn assistant(text: &str, calls: &[ToolCall], data: Option<&ProviderData>, audience: &Audience<'_>) -> WireMessage {
    let wire = |(index, call): (usize, &ToolCall)| WireCall {
        id: wire_id(&call.id),
        function: WireFunction {
            index,
            name: audience.names.to_wire(&call.name),
            arguments: argument_object(&call.arguments),
        },
    };
    WireMessage {
        thinking: data.and_then(|data| thinking(data, audience)),
        tool_calls: calls.iter().enumerate().map(wire).collect(),
        ..plain("assistant", text.to_owned())
    }
}

/// What this very model thought.
fn thinking(data: &ProviderData, audience: &Audience<'_>) -> Option<String> {
    let own = data.kind == KIND && data.model == audience.model && audience.able.thinking;
    let text = own.then(|| String::from_utf8(data.bytes.clone()).ok())??;
    (!text.is_empty()).then_some(text)
}

fn plain(role: &'static str, content: String) -> WireMessage {
    WireMessage {
        role,
        content,
        thinking: None,
        images: Vec::new(),
        tool_calls: Vec::new(),
        tool_name: None,
        tool_call_id: None,
    }
}
