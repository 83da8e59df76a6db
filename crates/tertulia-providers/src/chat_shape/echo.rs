//! What a provider wants back with a turn of its own: what the model thought, in the clear or signed.

use serde::Serialize;
use serde_json::{Map, Value};
use tertulia_core::chat::{ChatMessage, ProviderData};
use tertulia_core::provider::ModelRequest;

/// A piece goes on with one of so many of the latest details.
const LATEST: usize = 256;

/// What a kind wants back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Echo {
    Nothing,
    /// `reasoning_content`, on turns with calls.
    Reasoning,
    /// `reasoning_details`, unchanged.
    Details,
}

/// Whose turn it must have been.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Owner<'a> {
    pub(crate) kind: &'a str,
    pub(crate) model: &'a str,
    pub(crate) echo: Echo,
}

/// What is kept of one answer.
#[derive(Debug)]
pub(crate) struct Kept {
    echo: Echo,
    reasoning: String,
    details: Vec<Map<String, Value>>,
}

/// What goes back with a turn.
#[derive(Debug, Default, PartialEq, Serialize)]
pub(crate) struct Returned {
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_content: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reasoning_details: Vec<Map<String, Value>>,
}

impl Kept {
    pub(crate) fn new(echo: Echo) -> Self {
        Self {
            echo,
            reasoning: String::new(),
            details: Vec::new(),
        }
    }

    /// A piece of the thinking.
    pub(crate) fn thought(&mut self, text: &str) {
        if self.echo == Echo::Reasoning {
            self.reasoning.push_str(text);
        }
    }

    /// Details. Those of a stream are pieces; what belongs to one index and type is joined.
    pub(crate) fn details(&mut self, details: &Value, in_pieces: bool) {
        if self.echo != Echo::Details {
            return;
        }
        for detail in details.as_array().into_iter().flatten().filter_map(Value::as_object) {
            match self
                .details
                .iter_mut()
                .rev()
                .take(LATEST)
                .find(|begun| in_pieces && goes_on(begun, detail))
            {
                Some(begun) => join(begun, detail),
                None => self.details.push(detail.clone()),
            }
        }
    }

    /// What goes into the history.
    pub(crate) fn data(&self, kind: &str, model: &str, has_calls: bool) -> Option<ProviderData> {
        let bytes = match self.echo {
            Echo::Reasoning if has_calls && !self.reasoning.is_empty() => serde_json::to_vec(&self.reasoning),
            Echo::Details if !self.details.is_empty() => serde_json::to_vec(&self.details),
            _ => return None,
        };
        Some(ProviderData {
            kind: kind.to_owned(),
            model: model.to_owned(),
            bytes: bytes.ok()?,
        })
    }
}

/// Pieces of one detail have its index and its type, and never two ids.
fn goes_on(begun: &Map<String, Value>, piece: &Map<String, Value>) -> bool {
    let same = |field: &str| begun.get(field) == piece.get(field);
    let id = |detail: &Map<String, Value>| detail.get("id").filter(|id| !id.is_null()).cloned();
    let ids = id(begun).zip(id(piece));
    same("index") && same("type") && ids.is_none_or(|(begun, piece)| begun == piece)
}

fn join(begun: &mut Map<String, Value>, piece: &Map<String, Value>) {
    for (field, value) in piece {
        match (field.as_str(), begun.get_mut(field), value) {
            ("text" | "summary" | "data", Some(Value::String(text)), Value::String(more)) => text.push_str(more),
            (_, Some(known), Value::Null) if !known.is_null() => {}
            _ => {
                begun.insert(field.clone(), value.clone());
            }
        }
    }
}

impl Owner<'_> {
    /// What goes back with a turn, if it is this very model's.
    pub(crate) fn returned(self, data: Option<&ProviderData>, has_calls: bool) -> Returned {
        let Some(data) = data.filter(|data| data.kind == self.kind && data.model == self.model) else {
            return Returned::default();
        };
        match self.echo {
            Echo::Reasoning if has_calls => Returned {
                reasoning_content: serde_json::from_slice(&data.bytes).ok(),
                ..Returned::default()
            },
            Echo::Details => Returned {
                reasoning_details: serde_json::from_slice(&data.bytes).unwrap_or_default(),
                ..Returned::default()
            },
            _ => Returned::default(),
        }
    }

    /// A turn with calls has nothing to go back with it, as it is another model's or was not thought about: a model that
    /// wants it back for every such turn must not think then.
    pub(crate) fn lacks_thoughts(self, request: &ModelRequest) -> bool {
        let lacks = |message: &ChatMessage| match message {
            ChatMessage::Assistant { calls, data, .. } => {
                !calls.is_empty() && self.returned(data.as_ref(), true).reasoning_content.is_none()
            }
            ChatMessage::User { .. } | ChatMessage::Tool { .. } => false,
        };
        self.echo == Echo::Reasoning && request.messages.iter().any(lacks)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(pieces: &[Value], in_pieces: bool, expected: &Value) {
        let mut kept = Kept::new(Echo::Details);
        for piece in pieces {
            kept.details(piece, in_pieces);
        }
        let data = kept.data("k", "m", false).unwrap();
        assert_eq!(serde_json::from_slice::<Value>(&data.bytes).unwrap(), *expected);
    }

    #[test]
    fn pieces_of_one_detail_are_joined() {
        let text = |text: &str| json!({"type": "reasoning.text", "index": 0, "text": text, "signature": null});
        let signed = json!({"type": "reasoning.text", "index": 0, "signature": "s", "format": "f"});
        let secret = |id: &str| json!({"type": "reasoning.encrypted", "index": 0, "data": "x", "id": id});
        check(
            &[
                json!([text("a")]),
                json!([text("b")]),
                json!([signed, secret("1"), secret("2")]),
            ],
            true,
            &json!([
                {"type": "reasoning.text", "index": 0, "text": "ab", "signature": "s", "format": "f"},
                secret("1"),
                secret("2"),
            ]),
        );
        check(&[json!([text("a"), text("b")])], false, &json!([text("a"), text("b")]));
    }

    #[test]
    fn only_the_model_itself_gets_its_thoughts_back() {
        let mut kept = Kept::new(Echo::Reasoning);
        kept.thought("Hm");
        assert_eq!(kept.data("k", "m", false), None);
        let data = kept.data("k", "m", true).unwrap();
        let returned = |kind, model, calls| {
            let owner = Owner {
                kind,
                model,
                echo: Echo::Reasoning,
            };
            owner.returned(Some(&data), calls).reasoning_content
        };
        assert_eq!(returned("k", "m", true).as_deref(), Some("Hm"));
        assert_eq!((returned("k", "m", false), returned("k", "n", true)), (None, None));
        assert_eq!(returned("l", "m", true), None);
    }
}
