//! The messages of a request, in the provider's own types.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use serde_json::{Map, Value};
use tertulia_core::chat::{ChatMessage, Part, ToolCall, ToolResult, ToolStatus};
use tertulia_core::provider::{Capabilities, ModelRequest};
use tertulia_message::Picture;

use super::echo;
use crate::names::Names;
use crate::pairs::{Ids, argument_object, pair};
use crate::wording::{UNSEEN, told};

/// What stands in front of a conversation that would begin with the model's own words, which the provider refuses.
const BEFORE: &str = "[what was said before is not shown]";
/// What stands behind the model's own words at the end: newer models refuse to go on with a half answer.
const ONWARD: &str = "Please go on.";
/// The kinds of pictures the provider takes.
const PICTURES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// One message on the wire. Never empty, and never two of a role in a row.
#[derive(Debug, Serialize, PartialEq)]
pub(crate) struct WireMessage {
    role: Role,
    content: Vec<Block>,
}

/// Whose message it is.
#[derive(Debug, Clone, Copy, Serialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Role {
    User,
    Assistant,
}

/// One block of a message.
#[derive(Debug, Serialize, PartialEq)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Block {
    Text {
        text: String,
    },
    Image {
        source: Source,
    },
    ToolUse {
        id: String,
        name: String,
        input: Map<String, Value>,
    },
    ToolResult {
        tool_use_id: String,
        #[serde(skip_serializing_if = "String::is_empty")]
        content: String,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        is_error: bool,
    },
    /// A block of the provider's own, unchanged.
    #[serde(untagged)]
    Kept(Value),
}

/// The bytes of a picture.
#[derive(Debug, Serialize, PartialEq)]
pub(crate) struct Source {
    #[serde(rename = "type")]
    kind: &'static str,
    media_type: String,
    data: String,
}

/// What the messages are made for.
pub(crate) struct Audience<'a> {
    pub(crate) model: &'a str,
    pub(crate) able: Capabilities,
    pub(crate) names: &'a Names,
}

impl Block {
    /// A text, unless it is blank: the provider refuses those.
    pub(crate) fn text(text: &str) -> Option<Self> {
        (!text.trim().is_empty()).then(|| Self::Text { text: text.to_owned() })
    }
}

impl WireMessage {
    /// It is the model's turn, it calls, and it does not begin with what the model thought.
    fn calls_without_thinking(&self) -> bool {
        let calls = self.content.iter().any(|block| matches!(block, Block::ToolUse { .. }));
        let thinks = matches!(self.content.first(), Some(Block::Kept(block)) if echo::is_thinking(block));
        calls && !thinks
    }
}

/// The round of calls that the model is in the middle of was begun without thinking, by another model, say. With a budget
/// to think the provider refuses that.
pub(crate) fn is_thoughtless_round(messages: &[WireMessage]) -> bool {
    let last = messages.iter().rfind(|message| message.role == Role::Assistant);
    last.is_some_and(WireMessage::calls_without_thinking)
}

/// A single question.
pub(crate) fn question(prompt: &str, request: &ModelRequest, sees: bool) -> Vec<WireMessage> {
    let mut talk = Talk::default();
    let parts = request.messages.iter().filter_map(|message| match message {
        ChatMessage::User { parts } => Some(parts),
        ChatMessage::Assistant { .. } | ChatMessage::Tool { .. } => None,
    });
    let pictures = parts.flatten().filter(|part| sees && matches!(part, Part::Picture(_)));
    talk.say(Role::User, pictures.filter_map(|part| user_block(part, sees)));
    talk.say(Role::User, Block::text(prompt));
    talk.finish()
}

/// All messages of a request, calls and results paired, behind what is said before them.
pub(crate) fn messages(request: &ModelRequest, before: &str, audience: &Audience<'_>) -> Vec<WireMessage> {
    let mut talk = Talk::default();
    talk.say(Role::User, Block::text(before));
    let mut open = Round::default();
    for message in &request.messages {
        let results = match message {
            ChatMessage::Tool { results } => results.as_slice(),
            ChatMessage::User { .. } | ChatMessage::Assistant { .. } => &[],
        };
        talk.say(Role::User, std::mem::take(&mut open).answered(results));
        match message {
            ChatMessage::User { parts } => {
                let sees = audience.able.vision;
                talk.say(Role::User, parts.iter().filter_map(|part| user_block(part, sees)));
            }
            ChatMessage::Assistant { text, calls, data } => {
                open = talk.round(calls);
                let uses = open.uses(audience.names);
                talk.say(Role::Assistant, echo::turn(text, uses, data.as_ref(), audience.model));
            }
            ChatMessage::Tool { .. } => {}
        }
    }
    talk.say(Role::User, open.answered(&[]));
    talk.finish()
}

/// The messages so far, and the ids of calls in them.
#[derive(Debug)]
struct Talk {
    messages: Vec<WireMessage>,
    ids: Ids,
}

impl Default for Talk {
    fn default() -> Self {
        Self {
            messages: Vec::new(),
            ids: Ids::narrow(),
        }
    }
}

impl Talk {
    /// Adds blocks to the turn of a role, which goes on if it was this role's already.
    fn say(&mut self, role: Role, blocks: impl IntoIterator<Item = Block>) {
        let mut blocks = blocks.into_iter().peekable();
        if blocks.peek().is_none() {
            return;
        }
        if self.messages.is_empty() && role == Role::Assistant {
            self.say(Role::User, Block::text(BEFORE));
        }
        match self.messages.last_mut() {
            Some(message) if message.role == role => message.content.extend(blocks),
            _ => self.messages.push(WireMessage {
                role,
                content: blocks.collect(),
            }),
        }
    }

    fn round<'a>(&mut self, calls: &'a [ToolCall]) -> Round<'a> {
        let ids = calls.iter().map(|call| self.ids.next(&call.id)).collect();
        Round { calls, ids }
    }

    fn finish(mut self) -> Vec<WireMessage> {
        match self.messages.last().map(|message| message.role) {
            None => self.say(Role::User, Block::text(BEFORE)),
            Some(Role::Assistant) => self.say(Role::User, Block::text(ONWARD)),
            Some(Role::User) => {}
        }
        self.messages
    }
}

/// Calls that wait for their results.
#[derive(Debug, Default)]
struct Round<'a> {
    calls: &'a [ToolCall],
    ids: Vec<String>,
}

impl Round<'_> {
    fn uses(&self, names: &Names) -> Vec<Block> {
        let block = |(call, id): (&ToolCall, &String)| Block::ToolUse {
            id: id.clone(),
            name: names.to_wire(&call.name),
            input: argument_object(&call.arguments),
        };
        self.calls.iter().zip(&self.ids).map(block).collect()
    }

    /// All results first, then what answers none of the calls.
    fn answered(self, results: &[ToolResult]) -> Vec<Block> {
        let paired = pair(self.calls, results);
        let failed = |call: &ToolCall| {
            let mut own = results.iter().filter(|result| result.call_id == call.id);
            own.next().is_none_or(|result| result.status == ToolStatus::Failed)
        };
        let answer = |((id, call), content): ((String, &ToolCall), String)| Block::ToolResult {
            tool_use_id: id,
            content,
            is_error: failed(call),
        };
        let stranger = |result: &ToolResult| Block::text(&told(result));
        let answers = self.ids.into_iter().zip(self.calls).zip(paired.answers).map(answer);
        answers.chain(paired.strangers.iter().filter_map(stranger)).collect()
    }
}

fn user_block(part: &Part, sees: bool) -> Option<Block> {
    match part {
        Part::Text(text) => Block::text(text),
        Part::Picture(picture) => image(picture, sees).or_else(|| Block::text(UNSEEN)),
    }
}

fn image(picture: &Picture, sees: bool) -> Option<Block> {
    let media_type = picture.mime.to_lowercase();
    let media_type = if media_type == "image/jpg" {
        "image/jpeg".to_owned()
    } else {
        media_type
    };
    let taken = sees && PICTURES.contains(&media_type.as_str());
    taken.then(|| Block::Image {
        source: Source {
            kind: "base64",
            media_type,
            data: STANDARD.encode(&picture.bytes),
        },
    })
}
