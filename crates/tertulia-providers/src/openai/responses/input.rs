//! The items of a request, in the provider's own types.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use serde_json::Value;
use tertulia_core::chat::{ChatMessage, Part, ToolCall, ToolResult};
use tertulia_core::provider::{Capabilities, ModelRequest};

use super::echo;
use crate::names::Names;
use crate::pairs::{Ids, pair};
use crate::wording::{UNSEEN, told};

/// What stands for a conversation of which nothing is there: the provider refuses one without any item.
const BEGIN: &str = "[what was said before is not here]";

/// One item on the wire.
#[derive(Debug, Serialize, PartialEq)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Item {
    Message {
        role: Role,
        content: Content,
    },
    FunctionCall {
        /// The item's own id; only beside the thoughts that led to it.
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<String>,
        call_id: String,
        name: String,
        arguments: String,
    },
    FunctionCallOutput {
        call_id: String,
        output: String,
    },
    /// A call whose input is plain text.
    CustomToolCall {
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<String>,
        call_id: String,
        name: String,
        input: String,
    },
    CustomToolCallOutput {
        call_id: String,
        output: String,
    },
    /// An item of the provider's own, unchanged.
    #[serde(untagged)]
    Kept(Value),
}

/// Whose message it is.
#[derive(Debug, Clone, Copy, Serialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Role {
    System,
    User,
    Assistant,
}

/// Text alone, or parts.
#[derive(Debug, Serialize, PartialEq)]
#[serde(untagged)]
pub(crate) enum Content {
    Text(String),
    Parts(Vec<WirePart>),
}

/// One part of a person's message.
#[derive(Debug, Serialize, PartialEq)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum WirePart {
    InputText { text: String },
    InputImage { image_url: String, detail: &'static str },
}

/// A call of a turn, with its id on the wire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Called {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) arguments: String,
}

/// Whom the items are made for.
pub(crate) struct Audience<'a> {
    pub(crate) model: &'a str,
    pub(crate) able: Capabilities,
    pub(crate) names: &'a Names,
}

impl Item {
    /// What somebody says, if it says anything.
    pub(crate) fn said(role: Role, text: &str) -> Option<Self> {
        let content = Content::Text(text.to_owned());
        (!text.is_empty()).then_some(Self::Message { role, content })
    }

    /// What answers the item, if it is a call.
    fn answered(&self, output: String) -> Option<Self> {
        match self {
            Self::FunctionCall { call_id, .. } => Some(Self::FunctionCallOutput {
                call_id: call_id.clone(),
                output,
            }),
            Self::CustomToolCall { call_id, .. } => Some(Self::CustomToolCallOutput {
                call_id: call_id.clone(),
                output,
            }),
            _ => None,
        }
    }

    fn is_call(&self) -> bool {
        matches!(self, Self::FunctionCall { .. } | Self::CustomToolCall { .. })
    }
}

/// A single question, with the pictures of the conversation.
pub(crate) fn question(prompt: &str, request: &ModelRequest, sees: bool) -> Vec<Item> {
    let parts = request.messages.iter().filter_map(|message| match message {
        ChatMessage::User { parts } => Some(parts),
        ChatMessage::Assistant { .. } | ChatMessage::Tool { .. } => None,
    });
    let pictures = parts.flatten().filter(|part| matches!(part, Part::Picture(_)));
    let pictures = pictures.filter(|_| sees).map(|part| wire_part(part, sees));
    let text = WirePart::InputText {
        text: prompt.to_owned(),
    };
    let content = Content::Parts(std::iter::once(text).chain(pictures).collect());
    vec![Item::Message {
        role: Role::User,
        content,
    }]
}

/// All items of a request. The results of a round follow right behind it, one for each call: a call without its output is
/// refused, and by some servers also one that anything stands behind.
pub(crate) fn items(request: &ModelRequest, audience: &Audience<'_>) -> Vec<Item> {
    let mut talk = Talk::default();
    for message in &request.messages {
        match message {
            ChatMessage::User { parts } => {
                talk.answer(&[]);
                talk.items.extend(user(parts, audience.able.vision));
            }
            ChatMessage::Assistant { text, calls, data } => {
                talk.answer(&[]);
                let called = calls.iter().map(|call| talk.called(call, audience.names)).collect();
                talk.begun = talk.items.len();
                talk.items
                    .extend(echo::turn(text, called, data.as_ref(), audience.model));
                talk.open = calls;
            }
            ChatMessage::Tool { results } => talk.answer(results),
        }
    }
    talk.answer(&[]);
    if talk.items.is_empty() {
        talk.items.extend(Item::said(Role::User, BEGIN));
    }
    talk.items
}

/// The items so far, the calls that wait for their results, and the ids of calls.
#[derive(Debug, Default)]
struct Talk<'a> {
    items: Vec<Item>,
    /// Where the model's last turn begins.
    begun: usize,
    open: &'a [ToolCall],
    ids: Ids,
}

impl Talk<'_> {
    fn called(&mut self, call: &ToolCall, names: &Names) -> Called {
        Called {
            id: self.ids.next(&call.id),
            name: names.to_wire(&call.name),
            arguments: call.arguments.clone(),
        }
    }

    /// Answers the open round; what answers none of its calls is told.
    fn answer(&mut self, results: &[ToolResult]) {
        let paired = pair(std::mem::take(&mut self.open), results);
        let mut answers = paired.answers.into_iter();
        let turn = self.items.get(self.begun..).unwrap_or_default();
        let calls = turn.iter().filter(|item| item.is_call());
        let outputs: Vec<Item> = calls
            .zip(&mut answers)
            .filter_map(|(call, output)| call.answered(output))
            .collect();
        self.items.extend(outputs);
        let strangers = paired.strangers.iter().map(told);
        self.items
            .extend(strangers.filter_map(|text| Item::said(Role::User, &text)));
    }
}

fn user(parts: &[Part], sees: bool) -> Option<Item> {
    let texts: Option<Vec<&str>> = parts
        .iter()
        .map(|part| match part {
            Part::Text(text) => Some(text.as_str()),
            Part::Picture(_) => None,
        })
        .collect();
    if let Some(texts) = texts {
        return Item::said(Role::User, &texts.join("\n"));
    }
    let content = Content::Parts(parts.iter().map(|part| wire_part(part, sees)).collect());
    Some(Item::Message {
        role: Role::User,
        content,
    })
}

fn wire_part(part: &Part, sees: bool) -> WirePart {
    match part {
        Part::Text(text) => WirePart::InputText { text: text.clone() },
        Part::Picture(picture) if sees => WirePart::InputImage {
            image_url: format!("data:{};base64,{}", picture.mime, STANDARD.encode(&picture.bytes)),
            detail: "auto",
        },
        Part::Picture(_) => WirePart::InputText {
            text: UNSEEN.to_owned(),
        },
    }
}
