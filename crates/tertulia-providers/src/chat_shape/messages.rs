//! The messages of a request, in the provider's own types.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use tertulia_core::chat::{ChatMessage, Part, ProviderData, ToolCall, ToolResult};
use tertulia_core::provider::ModelRequest;

use super::echo::Returned;
use super::model::ChatRole;
use super::request::Audience;
use crate::pairs::{Ids, pair, wire_arguments};
use crate::wording::{UNSEEN, told};

/// One message on the wire.
#[derive(Debug, Serialize, PartialEq)]
#[serde(tag = "role", rename_all = "lowercase")]
pub(crate) enum WireMessage {
    System {
        content: String,
    },
    Developer {
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
        #[serde(flatten)]
        returned: Returned,
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

/// A single question.
pub(crate) fn question(prompt: &str, request: &ModelRequest, sees: bool) -> Vec<WireMessage> {
    let parts = request.messages.iter().filter_map(|message| match message {
        ChatMessage::User { parts } => Some(parts),
        ChatMessage::Assistant { .. } | ChatMessage::Tool { .. } => None,
    });
    let pictures = parts.flatten().filter(|part| sees && matches!(part, Part::Picture(_)));
    let parts: Vec<Part> = pictures.cloned().chain([Part::Text(prompt.to_owned())]).collect();
    vec![WireMessage::User {
        content: content(&parts, sees),
    }]
}

/// All messages of a request, calls and results paired.
pub(crate) fn messages(
    request: &ModelRequest,
    system: &str,
    role: ChatRole,
    audience: &Audience<'_>,
) -> Vec<WireMessage> {
    let said = || system.to_owned();
    let mut messages = match role {
        _ if system.is_empty() => Vec::new(),
        ChatRole::System => vec![WireMessage::System { content: said() }],
        ChatRole::Developer => vec![WireMessage::Developer { content: said() }],
        ChatRole::User => Vec::new(),
    };
    messages.extend(conversation(request, audience));
    if role == ChatRole::User && !system.is_empty() {
        put_in_front(&mut messages, system);
    }
    messages
}

/// The system prompt in front of what the user says first.
fn put_in_front(messages: &mut Vec<WireMessage>, system: &str) {
    match messages.first_mut() {
        Some(WireMessage::User {
            content: WireContent::Text(text),
        }) => *text = format!("{system}\n\n{text}"),
        Some(WireMessage::User {
            content: WireContent::Parts(parts),
        }) => parts.insert(
            0,
            WirePart::Text {
                text: system.to_owned(),
            },
        ),
        _ => messages.insert(0, user_text(system.to_owned())),
    }
}

fn conversation(request: &ModelRequest, audience: &Audience<'_>) -> Vec<WireMessage> {
    let (mut messages, mut ids) = (Vec::new(), Ids::default());
    let mut open = Round::default();
    for message in &request.messages {
        let results = match message {
            ChatMessage::Tool { results } => results.as_slice(),
            ChatMessage::User { .. } | ChatMessage::Assistant { .. } => &[],
        };
        messages.extend(std::mem::take(&mut open).answered(results));
        match message {
            ChatMessage::User { parts } => messages.push(WireMessage::User {
                content: content(parts, audience.able.vision),
            }),
            ChatMessage::Assistant { text, calls, data } => {
                open = Round {
                    calls,
                    ids: calls.iter().map(|call| ids.next(&call.id)).collect(),
                };
                messages.push(assistant(text, &open, data.as_ref(), audience));
            }
            ChatMessage::Tool { .. } => {}
        }
    }
    messages.extend(open.answered(&[]));
    messages
}

/// Calls that wait for their results, with their ids on the wire.
#[derive(Default)]
struct Round<'a> {
    calls: &'a [ToolCall],
    ids: Vec<String>,
}

impl Round<'_> {
    /// One message for each call, and one for each result that answers none of them.
    fn answered(self, results: &[ToolResult]) -> Vec<WireMessage> {
        let paired = pair(self.calls, results);
        let answer = |(tool_call_id, content)| WireMessage::Tool { tool_call_id, content };
        let answers = self.ids.into_iter().zip(paired.answers).map(answer);
        let strangers = paired.strangers.iter().map(|result| user_text(told(result)));
        answers.chain(strangers).collect()
    }
}

fn user_text(text: String) -> WireMessage {
    WireMessage::User {
        content: WireContent::Text(text),
    }
}

fn content(parts: &[Part], sees: bool) -> WireContent {
    let texts: Option<Vec<&str>> = parts
        .iter()
        .map(|part| match part {
            Part::Text(text) => Some(text.as_str()),
            Part::Picture(_) => (!sees).then_some(UNSEEN),
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

fn assistant(text: &str, round: &Round<'_>, data: Option<&ProviderData>, audience: &Audience<'_>) -> WireMessage {
    let calls = round.calls;
    let wire = |(call, id): (&ToolCall, &String)| WireCall {
        id: id.clone(),
        kind: "function",
        function: WireFunction {
            name: audience.names.to_wire(&call.name),
            arguments: wire_arguments(&call.arguments).to_owned(),
        },
    };
    let content = (calls.is_empty() || !text.is_empty()).then(|| text.to_owned());
    WireMessage::Assistant {
        content,
        tool_calls: calls.iter().zip(&round.ids).map(wire).collect(),
        returned: audience.owner.returned(data, !calls.is_empty()),
    }
}
