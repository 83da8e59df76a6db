//! What the provider wants back with a turn: its blocks, in order and unchanged.
//!
//! Texts and calls are the core's to keep; in what is kept here only their places stand. Where the turn no longer is what
//! the places were made for, the thinking goes first, which is where the provider insists on it.

use std::collections::HashSet;

use serde_json::{Value, json};
use tertulia_core::chat::ProviderData;

use super::KIND;
use super::content::Block;

/// The blocks of one answer to keep, in order.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    blocks: Vec<Value>,
    wanted: bool,
}

impl Kept {
    /// A text of so many bytes stands here.
    pub(crate) fn text(&mut self, length: usize) {
        self.blocks.push(json!({"type": "text", "length": length}));
    }

    /// A call stands here.
    pub(crate) fn call(&mut self) {
        self.blocks.push(json!({"type": "tool_use"}));
    }

    /// A block that must go back.
    pub(crate) fn block(&mut self, block: Value) {
        self.wanted = true;
        self.blocks.push(block);
    }

    /// What goes into the history, if there is anything but texts and calls.
    pub(crate) fn data(self, model: &str) -> Option<ProviderData> {
        self.wanted.then(|| ProviderData {
            kind: KIND.to_owned(),
            model: model.to_owned(),
            bytes: Value::Array(self.blocks).to_string().into_bytes(),
        })
    }
}

/// The blocks of a turn of the model: its text, its calls, and what is to come back with them if it is this very model's.
pub(crate) fn turn(text: &str, calls: Vec<Block>, data: Option<&ProviderData>, model: &str) -> Vec<Block> {
    let own = data.filter(|data| data.kind == KIND && data.model == model);
    let kept: Vec<Value> = own
        .and_then(|data| serde_json::from_slice(&data.bytes).ok())
        .unwrap_or_default();
    let mut blocks = match pieces(text, calls.len(), &kept) {
        Some(pieces) => in_place(pieces, calls, &kept),
        None => in_front(text, calls, &kept),
    };
    // a turn must not end with thinking
    while matches!(blocks.last(), Some(Block::Kept(block)) if is_thinking(block)) {
        blocks.pop();
    }
    blocks
}

/// The pieces of the text by their places; `None` if text or calls are not those of the places.
fn pieces<'a>(text: &'a str, calls: usize, kept: &[Value]) -> Option<Vec<&'a str>> {
    let (mut rest, mut pieces, mut places) = (text, Vec::new(), 0);
    for block in kept {
        match kind(block) {
            "text" => {
                let length = usize::try_from(block.get("length")?.as_u64()?).ok()?;
                let (piece, behind) = rest.split_at_checked(length)?;
                pieces.push(piece);
                rest = behind;
            }
            "tool_use" => places += 1,
            _ => {}
        }
    }
    (rest.is_empty() && places == calls).then_some(pieces)
}

fn in_place(pieces: Vec<&str>, calls: Vec<Block>, kept: &[Value]) -> Vec<Block> {
    let (mut pieces, mut calls) = (pieces.into_iter(), calls.into_iter());
    let answered = |block: &Value| block.get("tool_use_id").map(Value::to_string);
    let answered: HashSet<String> = kept.iter().filter_map(answered).collect();
    let block = |block: &Value| match kind(block) {
        "text" => pieces.next().and_then(Block::text),
        "tool_use" => calls.next(),
        _ => (!is_open(block, &answered)).then(|| Block::Kept(block.clone())),
    };
    kept.iter().filter_map(block).collect()
}

fn in_front(text: &str, calls: Vec<Block>, kept: &[Value]) -> Vec<Block> {
    let thinking = kept.iter().filter(|block| is_thinking(block)).cloned().map(Block::Kept);
    thinking.chain(Block::text(text)).chain(calls).collect()
}

/// A call that the provider runs itself and that has no result, which it refuses in a history.
fn is_open(block: &Value, answered: &HashSet<String>) -> bool {
    let has_result = |id: &Value| answered.contains(&id.to_string());
    kind(block).ends_with("_tool_use") && !block.get("id").is_some_and(has_result)
}

/// Whether a block is thinking, in the clear or not.
pub(crate) fn is_thinking(block: &Value) -> bool {
    matches!(kind(block), "thinking" | "redacted_thinking")
}

fn kind(block: &Value) -> &str {
    block.get("type").and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call() -> Block {
        Block::ToolUse {
            id: "a".into(),
            name: "f".into(),
            input: serde_json::Map::new(),
        }
    }

    fn thinking(text: &str) -> Value {
        json!({"type": "thinking", "thinking": text, "signature": "s"})
    }

    #[track_caller]
    fn check(text: &str, calls: usize, data: Option<&ProviderData>, expected: &Value) {
        let blocks = turn(text, (0..calls).map(|_| call()).collect(), data, "m");
        assert_eq!(&serde_json::to_value(blocks).unwrap(), expected);
    }

    #[test]
    fn blocks_return_to_their_places() {
        let mut kept = Kept::default();
        kept.block(thinking("1"));
        kept.text(3);
        kept.block(json!({"type": "server_tool_use", "id": "open"}));
        kept.block(json!({"type": "server_tool_use", "id": "x"}));
        kept.block(json!({"type": "some_tool_result", "tool_use_id": "x"}));
        kept.text(3);
        kept.block(thinking("2"));
        kept.call();
        let data = kept.data("m").unwrap();
        let wire_call = json!({"type": "tool_use", "id": "a", "name": "f", "input": {}});
        check(
            "ä: ok",
            1,
            Some(&data),
            &json!([
                thinking("1"),
                {"type": "text", "text": "ä:"},
                {"type": "server_tool_use", "id": "x"},
                {"type": "some_tool_result", "tool_use_id": "x"},
                {"type": "text", "text": " ok"},
                thinking("2"),
                wire_call,
            ]),
        );
        let changed = json!([thinking("1"), thinking("2"), {"type": "text", "text": "new"}, wire_call]);
        check("new", 1, Some(&data), &changed);
        check(
            "ä: ok",
            0,
            Some(&data),
            &json!([thinking("1"), thinking("2"), {"type": "text", "text": "ä: ok"}]),
        );
        let other = ProviderData {
            model: "n".into(),
            ..data.clone()
        };
        check(
            "new",
            1,
            Some(&other),
            &json!([{"type": "text", "text": "new"}, wire_call]),
        );
        let broken = ProviderData {
            bytes: b"[{".to_vec(),
            ..data
        };
        check("new", 0, Some(&broken), &json!([{"type": "text", "text": "new"}]));
        check(" \n", 0, None, &json!([]));
    }

    #[test]
    fn a_turn_never_ends_with_thinking() {
        let mut kept = Kept::default();
        kept.text(2);
        kept.block(thinking("1"));
        check(
            "ab",
            0,
            kept.data("m").as_ref(),
            &json!([{"type": "text", "text": "ab"}]),
        );
        let mut nothing = Kept::default();
        nothing.text(2);
        nothing.call();
        assert_eq!(nothing.data("m"), None);
    }
}
