//! The contents of a conversation, in Gemini's own types.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use serde_json::{Map, Value, json};
use tertulia_core::chat::{ChatMessage, Part, ProviderData, ToolCall, ToolResult, ToolStatus};
use tertulia_core::provider::ModelRequest;

use super::owned::Owned;
use crate::names::Names;
use crate::pairs::{argument_object, pair, wire_id};
use crate::wording::{self, UNSEEN};

/// What a person says where a conversation would begin with the model, or have nothing in it.
const BEGIN: &str = "[what was said before is not here]";

const USER: &str = "user";
const MODEL: &str = "model";

/// What one side says.
#[derive(Debug, Serialize, PartialEq)]
pub(crate) struct Content {
    role: &'static str,
    parts: Vec<WirePart>,
}

/// A part of it, with the signature it came with.
#[derive(Debug, Serialize, PartialEq)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WirePart {
    #[serde(flatten)]
    said: Said,
    #[serde(skip_serializing_if = "Option::is_none")]
    thought_signature: Option<String>,
}

/// What a part is.
#[derive(Debug, Serialize, PartialEq)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
enum Said {
    Text(String),
    InlineData {
        mime_type: String,
        data: String,
    },
    FunctionCall {
        id: String,
        name: String,
        args: Map<String, Value>,
    },
    FunctionResponse {
        id: String,
        name: String,
        response: Value,
    },
}

/// Whom the contents are made for.
pub(crate) struct Audience<'a> {
    pub(crate) model: &'a str,
    pub(crate) sees: bool,
    pub(crate) names: &'a Names,
}

/// All contents of a request: the first a user's, neighbours of one role as one, calls and results paired.
///
/// Results stand alone: nothing was ever seen beside them, while a user's content after them is taken.
pub(crate) fn contents(request: &ModelRequest, begin: Option<&str>, audience: &Audience<'_>) -> Vec<Content> {
    let mut contents = Contents::default();
    contents.add(USER, begin.map(text).into_iter().collect());
    let mut open: &[ToolCall] = &[];
    for message in &request.messages {
        let results = match message {
            ChatMessage::Tool { results } => results.as_slice(),
            ChatMessage::User { .. } | ChatMessage::Assistant { .. } => &[],
        };
        contents.answer(open, results, audience.names);
        open = &[];
        match message {
            ChatMessage::User { parts } => contents.add(USER, user(parts, audience.sees)),
            ChatMessage::Assistant {
                text: said,
                calls,
                data,
            } => match own(calls, data.as_ref(), audience) {
                Some(owned) => {
                    contents.add(MODEL, assistant(said, calls, &owned, audience.names));
                    open = calls;
                }
                None => contents.add(MODEL, told(said, calls)),
            },
            ChatMessage::Tool { .. } => {}
        }
    }
    contents.answer(open, &[], audience.names);
    contents.finish()
}

/// A conversation of one prompt.
pub(crate) fn prompt(prompt: &str, request: &ModelRequest, sees: bool) -> Vec<Content> {
    let parts = request.messages.iter().filter_map(|message| match message {
        ChatMessage::User { parts } => Some(parts),
        ChatMessage::Assistant { .. } | ChatMessage::Tool { .. } => None,
    });
    let pictures = parts.flatten().filter(|_| sees).filter_map(|part| match part {
        Part::Text(_) => None,
        Part::Picture(_) => Some(shown(part, sees)),
    });
    let parts = std::iter::once(text(prompt)).chain(pictures).collect();
    vec![Content { role: USER, parts }]
}

/// An instruction: parts without a role.
pub(crate) fn instruction(system: &str) -> Value {
    json!({"parts": [{"text": system}]})
}

/// The contents as they grow.
#[derive(Default)]
struct Contents(Vec<Content>);

impl Contents {
    fn add(&mut self, role: &'static str, parts: Vec<WirePart>) {
        if parts.is_empty() {
            return;
        }
        if role == MODEL && self.0.is_empty() {
            self.add(USER, vec![text(BEGIN)]);
        }
        match self.0.last_mut() {
            Some(last) if last.role == role && !last.answers() => last.parts.extend(parts),
            _ => self.0.push(Content { role, parts }),
        }
    }

    /// One content with an answer for each open call, and one with the results that answer none of them.
    fn answer(&mut self, open: &[ToolCall], results: &[ToolResult], names: &Names) {
        let paired = pair(open, results);
        let answers: Vec<WirePart> = open
            .iter()
            .zip(paired.answers)
            .map(|(call, content)| answer(call, &content, results, names))
            .collect();
        if !answers.is_empty() {
            self.0.push(Content {
                role: USER,
                parts: answers,
            });
        }
        let stranger = |result: &ToolResult| text(&wording::told(result));
        self.add(USER, paired.strangers.iter().map(stranger).collect());
    }

    fn finish(mut self) -> Vec<Content> {
        if self.0.is_empty() {
            self.add(USER, vec![text(BEGIN)]);
        }
        self.0
    }
}

impl Content {
    fn answers(&self) -> bool {
        let answers = |part: &WirePart| matches!(part.said, Said::FunctionResponse { .. });
        self.parts.iter().any(answers)
    }
}

fn user(parts: &[Part], sees: bool) -> Vec<WirePart> {
    let nothing = |part: &&Part| matches!(part, Part::Text(text) if text.is_empty());
    parts
        .iter()
        .filter(|part| !nothing(part))
        .map(|part| shown(part, sees))
        .collect()
}

fn shown(part: &Part, sees: bool) -> WirePart {
    match part {
        Part::Text(said) => text(said),
        Part::Picture(_) if !sees => text(UNSEEN),
        Part::Picture(picture) => plain(Said::InlineData {
            mime_type: picture.mime.clone(),
            data: STANDARD.encode(&picture.bytes),
        }),
    }
}

/// What the model itself has kept; a turn without calls needs nothing. Calls of other models have no signatures, and
/// newer models refuse a call without.
fn own(calls: &[ToolCall], data: Option<&ProviderData>, audience: &Audience<'_>) -> Option<Owned> {
    let kept = data.and_then(|data| Owned::unpack(data, audience.model));
    kept.or_else(|| calls.is_empty().then(Owned::default))
}

fn assistant(said: &str, calls: &[ToolCall], owned: &Owned, names: &Names) -> Vec<WirePart> {
    let texts = owned.pieces(said).into_iter().map(|(piece, signature)| WirePart {
        said: Said::Text(piece.to_owned()),
        thought_signature: signature.map(str::to_owned),
    });
    let calls = calls.iter().enumerate().map(|(place, call)| WirePart {
        said: Said::FunctionCall {
            id: wire_id(&call.id),
            name: names.to_wire(&call.name),
            args: argument_object(&call.arguments),
        },
        thought_signature: owned.calls.get(&place).cloned(),
    });
    texts.chain(calls).collect()
}

/// A turn with calls of another model, as text; the results follow as text, too.
fn told(said: &str, calls: &[ToolCall]) -> Vec<WirePart> {
    let call = |call: &ToolCall| text(&format!("Called {} with {}", call.name, call.arguments));
    let said = (!said.is_empty()).then(|| text(said));
    said.into_iter().chain(calls.iter().map(call)).collect()
}

/// A response is an object; these names for what came, or went wrong, are the documented ones.
fn answer(call: &ToolCall, content: &str, results: &[ToolResult], names: &Names) -> WirePart {
    let result = results.iter().find(|result| result.call_id == call.id);
    let succeeded = result.is_some_and(|result| result.status == ToolStatus::Ok);
    let response = if succeeded {
        json!({"output": content})
    } else {
        json!({"error": content})
    };
    plain(Said::FunctionResponse {
        id: wire_id(&call.id),
        name: names.to_wire(&call.name),
        response,
    })
}

fn text(text: &str) -> WirePart {
    plain(Said::Text(text.to_owned()))
}

fn plain(said: Said) -> WirePart {
    WirePart {
        said,
        thought_signature: None,
    }
}
