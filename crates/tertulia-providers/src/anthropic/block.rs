//! One block of an answer as it comes in, piece by piece.

use serde_json::{Map, Value};

use super::echo::Kept;

/// The block, with what came so far.
#[derive(Debug)]
pub(crate) struct Block {
    fields: Map<String, Value>,
    /// The input of a call, as text.
    pub(crate) input: String,
    /// Bytes of text so far.
    length: usize,
}

/// What a piece says.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Said {
    Text(String),
    Thinking(String),
    /// A piece of the input of a call that is for us.
    Input(String),
    /// Nothing for anybody to see.
    Nothing,
}

impl Block {
    /// A block begins, and may say something with it.
    pub(crate) fn begin(fields: Map<String, Value>) -> (Self, Said) {
        let mut block = Self {
            fields,
            input: String::new(),
            length: 0,
        };
        let said = |name: &str| block.field(name).to_owned();
        let said = match block.kind() {
            "text" => Said::Text(said("text")),
            "thinking" => Said::Thinking(said("thinking")),
            _ => Said::Nothing,
        };
        if let Said::Text(text) = &said {
            block.length = text.len();
        }
        (block, said)
    }

    /// The block goes on.
    pub(crate) fn add(&mut self, delta: &Value) -> Said {
        let piece = |name: &str| delta.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        match (self.kind(), delta.get("type").and_then(Value::as_str)) {
            ("text", Some("text_delta")) => {
                let text = piece("text");
                self.length += text.len();
                Said::Text(text)
            }
            ("tool_use", Some("input_json_delta")) => {
                let input = piece("partial_json");
                self.input.push_str(&input);
                Said::Input(input)
            }
            ("text" | "tool_use", _) => Said::Nothing,
            (_, Some("input_json_delta")) => {
                self.input.push_str(&piece("partial_json"));
                Said::Nothing
            }
            ("thinking", Some("thinking_delta")) => {
                self.grow(delta);
                Said::Thinking(piece("thinking"))
            }
            _ => {
                self.grow(delta);
                Said::Nothing
            }
        }
    }

    /// A call that is for us; those that the provider runs itself are not.
    pub(crate) fn is_call(&self) -> bool {
        self.kind() == "tool_use"
    }

    /// A field that is a text; empty if it is missing.
    pub(crate) fn field(&self, name: &str) -> &str {
        self.fields.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// The input of a call that came with its beginning, or `{}`.
    pub(crate) fn whole_input(&self) -> String {
        match self.fields.get("input") {
            Some(input @ Value::Object(_)) => input.to_string(),
            _ => "{}".to_owned(),
        }
    }

    /// The block has ended: keeps what must go back.
    pub(crate) fn keep(mut self, kept: &mut Kept) {
        match self.kind() {
            "text" => kept.text(self.length),
            "tool_use" => kept.call(),
            // one that was cut off is refused
            "thinking" if self.field("signature").is_empty() => {}
            _ => {
                if let Ok(input) = serde_json::from_str::<Map<String, Value>>(&self.input) {
                    self.fields.insert("input".to_owned(), Value::Object(input));
                }
                kept.block(Value::Object(self.fields));
            }
        }
    }

    fn kind(&self) -> &str {
        self.field("type")
    }

    /// The texts of a piece go behind those of the same name.
    fn grow(&mut self, delta: &Value) {
        let pieces = delta
            .as_object()
            .into_iter()
            .flatten()
            .filter(|(name, _)| *name != "type");
        for (name, piece) in pieces {
            match (self.fields.get_mut(name), piece) {
                (Some(Value::String(text)), Value::String(piece)) => text.push_str(piece),
                (_, Value::Null) => {}
                _ => {
                    self.fields.insert(name.clone(), piece.clone());
                }
            }
        }
    }
}
