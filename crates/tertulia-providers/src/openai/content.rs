//! The messages of a request, in the provider's own types.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use tertulia_core::chat::{ChatMessage, Part, ToolCall};
use tertulia_core::provider::ModelRequest;

use crate::names::Names;
use crate::pairs::{pair, wire_arguments, wire_id};

/// One message on the wire.
#[derive(Debug, Serialize, PartialEq)]
#[serde(tag = "role", rename_all = "lowercase")]
pub(crate) enum WireMessage {
    System {
        content: String,
    },
    User {
        content: WireContent,
    },
    Assistant {
        /// `null` beside calls.
        content: Option<String>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<WireCall>,
    },
    Tool {
        tool_call_id: String,
        content: String,
    },
}

/// Text alone, or parts.
#[derive(Debug, Serialize, PartialEq)]
#[serde(untagged)]
pub(crate) enum WireContent {
    Text(String),
    Parts(Vec<WirePart>),
}

/// One part of a user's message.
#[derive(Debug, Serialize, PartialEq)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum WirePart {
    Text { text: String },
    ImageUrl { image_url: WireImage },
}

/// A picture as a data URL.
#[derive(Debug, Serialize, PartialEq)]
pub(crate) struct WireImage {
    url: String,
}

/// A call in the history.
#[derive(Debug, Serialize, PartialEq)]
pub(crate) struct WireCall {
    id: String,
    #[serde(rename = "type")]
    kind: &'static str,
    function: WireFunction,
}

/// What was called.
#[derive(Debug, Serialize, PartialEq)]
pub(crate) struct WireFunction {
    name: String,
    arguments: String,
}

/// All messages of a request, calls and results paired.
pub(crate) fn messages(request: &ModelRequest, names: &Names) -> Vec<WireMessage> {
    let mut messages = Vec::new();
    if !request.system.is_empty() {
        messages.push(WireMessage::System {
            content: request.system.clone(),
        });
    }
    let mut open: &[ToolCall] = &[];
    for message in &request.messages {
        let results = match message {
            ChatMessage::Tool { results } => results.as_slice(),
            ChatMessage::User { .. } | ChatMessage::Assistant { .. } => &[],
        };
        let paired = pair(open, results);
        let ids = open.iter().map(|call| wire_id(&call.id));
        let answer = |(tool_call_id, content)| WireMessage::Tool { tool_call_id, content };
        messages.extend(ids.zip(paired.answers).map(answer));
        let stranger = |name: &str, content: &str| user_text(format!("Result of {name}:\n{content}"));
        messages.extend(
            paired
                .strangers
                .iter()
                .map(|result| stranger(&result.name, &result.content)),
        );
        open = &[];
        match message {
            ChatMessage::User { parts } => messages.push(WireMessage::User {
                content: content(parts),
            }),
            ChatMessage::Assistant { text, calls, .. } => {
                messages.push(assistant(text, calls, names));
                open = calls;
            }
            ChatMessage::Tool { .. } => {}
        }
    }
    let unanswered = pair(open, &[]).answers;
    messages.extend(open.iter().zip(unanswered).map(|(call, content)| WireMessage::Tool {
        tool_call_id: wire_id(&call.id),
        content,
    }));
    messages
}

fn user_text(text: String) -> WireMessage {
    WireMessage::User {
        content: WireContent::Text(text),
    }
}

fn content(parts: &[Part]) -> WireContent {
    let texts: Option<Vec<&str>> = parts
        .iter()
        .map(|part| match part {
            Part::Text(text) => Some(text.as_str()),
            Part::Picture(_) => None,
        })
        .collect();
    match texts {
        Some(texts) => WireContent::Text(texts.join("\n")),
        None => WireContent::Parts(parts.iter().map(part).collect()),
    }
}

fn part(part: &Part) -> WirePart {
    match part {
        Part::Text(text) => WirePart::Text { text: text.clone() },
        Part::Picture(picture) => {
            let url = format!("data:{};base64,{}", picture.mime, STANDARD.encode(&picture.bytes));
            WirePart::ImageUrl {
                image_url: WireImage { url },
            }
        }
    }
}

fn assistant(text: &str, calls: &[ToolCall], names: &Names) -> WireMessage {
    let wire = |call: &ToolCall| WireCall {
        id: wire_id(&call.id),
        kind: "function",
        function: WireFunction {
            name: names.to_wire(&call.name),
            arguments: wire_arguments(&call.arguments).to_owned(),
        },
    };
    let content = (calls.is_empty() || !text.is_empty()).then(|| text.to_owned());
    WireMessage::Assistant {
        content,
        tool_calls: calls.iter().map(wire).collect(),
    }
}
