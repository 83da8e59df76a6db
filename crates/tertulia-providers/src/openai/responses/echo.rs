//! What the provider wants back with a turn: its items, in order and unchanged.
//!
//! Texts and calls are the core's to keep; of their items only the places and the ids are kept here. A thought is refused
//! without the very item that followed it, so a turn that is no longer what it was goes back without any of this.

use serde_json::{Map, Value, json};
use tertulia_core::chat::ProviderData;

use super::KIND;
use super::input::{Called, Item, Role};
use crate::pairs::wire_arguments;

/// Of a call that is kept, what the core keeps.
const OF_CALLS: [&str; 4] = ["call_id", "name", "arguments", "input"];

/// The items of one answer to keep, in order.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    items: Vec<Value>,
    wanted: bool,
}

impl Kept {
    /// Keeps an item whose text has so many bytes.
    pub(crate) fn item(&mut self, mut item: Map<String, Value>, length: usize) {
        match item.get("type").and_then(Value::as_str) {
            Some("message") => {
                item.remove("content");
                item.insert("length".to_owned(), length.into());
                // what a text is for is to come back with it
                self.wanted |= item.get("phase").is_some_and(|phase| !phase.is_null());
            }
            Some("function_call" | "custom_tool_call") => item.retain(|field, _| !OF_CALLS.contains(&field.as_str())),
            _ => self.wanted = true,
        }
        self.items.push(Value::Object(item));
    }

    /// What goes into the history, if there is anything but texts and calls.
    pub(crate) fn data(self, model: &str) -> Option<ProviderData> {
        self.wanted.then(|| ProviderData {
            kind: KIND.to_owned(),
            model: model.to_owned(),
            bytes: Value::Array(self.items).to_string().into_bytes(),
        })
    }
}

/// The items of a turn of the model: its text, its calls, and what is to come back with them if it is this very model's.
pub(crate) fn turn(text: &str, calls: Vec<Called>, data: Option<&ProviderData>, model: &str) -> Vec<Item> {
    let own = data.filter(|data| data.kind == KIND && data.model == model);
    let kept: Option<Vec<Value>> = own.and_then(|data| serde_json::from_slice(&data.bytes).ok());
    if let Some(items) = kept.and_then(|kept| in_place(text, &calls, kept)) {
        return items;
    }
    let calls = calls.into_iter().map(|call| call.item("function_call", None));
    Item::said(Role::Assistant, text).into_iter().chain(calls).collect()
}

/// The items as they were, if text and calls are those of the answer and nothing is missing.
fn in_place(text: &str, calls: &[Called], kept: Vec<Value>) -> Option<Vec<Item>> {
    let (mut rest, mut calls, mut items) = (text, calls.iter(), Vec::new());
    let mut called = false;
    for item in kept {
        match kind(&item) {
            // nothing said may stand between a call and its output
            "message" if called => return None,
            "message" => {
                let length = usize::try_from(item.get("length")?.as_u64()?).ok()?;
                let (piece, behind) = rest.split_at_checked(length)?;
                items.push(message(item, piece));
                rest = behind;
            }
            kind @ ("function_call" | "custom_tool_call") => {
                let id = item.get("id").and_then(Value::as_str);
                items.push(calls.next()?.clone().item(kind, id));
                called = true;
            }
            "reasoning" if !is_complete(&item) => return None,
            _ => items.push(Item::Kept(item)),
        }
    }
    while matches!(items.last(), Some(Item::Kept(item)) if kind(item) == "reasoning") {
        items.pop();
    }
    (rest.is_empty() && calls.next().is_none()).then_some(items)
}

/// The provider keeps nothing, so a thought of which only the id came cannot be told it.
fn is_complete(reasoning: &Value) -> bool {
    let there = |field: &str| match reasoning.get(field) {
        Some(Value::String(text)) => !text.is_empty(),
        Some(Value::Array(parts)) => !parts.is_empty(),
        _ => false,
    };
    there("encrypted_content") || there("content")
}

fn message(mut item: Value, text: &str) -> Item {
    if let Some(fields) = item.as_object_mut() {
        fields.remove("length");
        let content = json!([{"type": "output_text", "text": text, "annotations": []}]);
        fields.insert("content".to_owned(), content);
    }
    Item::Kept(item)
}

impl Called {
    fn item(self, kind: &str, id: Option<&str>) -> Item {
        let (id, call_id, name) = (id.map(str::to_owned), self.id, self.name);
        if kind == "custom_tool_call" {
            let input = self.arguments;
            return Item::CustomToolCall {
                id,
                call_id,
                name,
                input,
            };
        }
        let arguments = wire_arguments(&self.arguments).to_owned();
        Item::FunctionCall {
            id,
            call_id,
            name,
            arguments,
        }
    }
}

fn kind(item: &Value) -> &str {
    item.get("type").and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thought(id: &str) -> Value {
        json!({"type": "reasoning", "id": id, "summary": [], "encrypted_content": "x"})
    }

    fn call() -> Called {
        Called {
            id: "c".into(),
            name: "f".into(),
            arguments: "{\"a\":1}".into(),
        }
    }

    fn kept(items: &[(Value, usize)]) -> ProviderData {
        let mut kept = Kept::default();
        for (item, length) in items {
            kept.item(item.as_object().unwrap().clone(), *length);
        }
        kept.data("m").unwrap()
    }

    #[track_caller]
    fn check(text: &str, calls: usize, data: &ProviderData, expected: &Value) {
        let items = turn(text, vec![call(); calls], Some(data), "m");
        assert_eq!(&serde_json::to_value(items).unwrap(), expected);
    }

    fn said(text: &str) -> Value {
        json!({"type": "message", "role": "assistant", "content": text})
    }

    fn bare_call() -> Value {
        json!({"type": "function_call", "call_id": "c", "name": "f", "arguments": "{\"a\":1}"})
    }

    #[test]
    fn items_return_to_their_places() {
        let message = json!({"type": "message", "id": "msg", "role": "assistant", "status": "completed",
            "content": [{"type": "output_text", "text": "ä:", "logprobs": []}], "phase": "commentary"});
        let wire_call =
            json!({"type": "function_call", "id": "fc", "call_id": "old", "name": "old", "arguments": "{}"});
        let data = kept(&[(thought("1"), 0), (message, 3), (thought("2"), 0), (wire_call, 0)]);
        let returned = json!([
            thought("1"),
            {"type": "message", "id": "msg", "role": "assistant", "status": "completed", "phase": "commentary",
             "content": [{"type": "output_text", "text": "ä:", "annotations": []}]},
            thought("2"),
            {"type": "function_call", "id": "fc", "call_id": "c", "name": "f", "arguments": "{\"a\":1}"},
        ]);
        check("ä:", 1, &data, &returned);
        check("newer", 1, &data, &json!([said("newer"), bare_call()]));
        check("ä:", 0, &data, &json!([said("ä:")]));
        check("ä:", 2, &data, &json!([said("ä:"), bare_call(), bare_call()]));
        let other = ProviderData {
            model: "n".into(),
            ..data.clone()
        };
        check("ä:", 1, &other, &json!([said("ä:"), bare_call()]));
        let other_api = ProviderData {
            kind: "openai".into(),
            ..data.clone()
        };
        check("ä:", 1, &other_api, &json!([said("ä:"), bare_call()]));
        let broken = ProviderData {
            bytes: b"[{".to_vec(),
            ..data
        };
        check("", 0, &broken, &json!([]));
    }

    #[test]
    fn thoughts_go_back_only_whole_and_with_what_followed_them() {
        let wire_call = json!({"type": "function_call", "id": "fc"});
        let bare = json!({"type": "reasoning", "id": "1", "summary": [], "content": []});
        let unsealed = kept(&[(bare, 0), (wire_call.clone(), 0)]);
        check("", 1, &unsealed, &json!([bare_call()]));
        let message = json!({"type": "message", "id": "msg", "role": "assistant"});
        let between = kept(&[(thought("1"), 0), (wire_call, 0), (message.clone(), 1)]);
        check("a", 1, &between, &json!([said("a"), bare_call()]));
        let last = kept(&[(message, 1), (thought("1"), 0)]);
        let content = json!([{"type": "output_text", "text": "a", "annotations": []}]);
        check(
            "a",
            0,
            &last,
            &json!([{"type": "message", "id": "msg", "role": "assistant", "content": content}]),
        );
    }

    #[test]
    fn texts_and_calls_alone_are_not_kept() {
        let mut kept = Kept::default();
        for item in [
            json!({"type": "message", "phase": null}),
            json!({"type": "function_call"}),
        ] {
            kept.item(item.as_object().unwrap().clone(), 0);
        }
        assert_eq!(kept.data("m"), None);
    }

    #[test]
    fn plain_input_stays_plain() {
        let data = kept(&[
            (json!({"type": "custom_tool_call", "id": "ct", "input": "x"}), 0),
            (thought("1"), 0),
        ]);
        let plain = Called {
            arguments: "SELECT 1".into(),
            ..call()
        };
        let items = serde_json::to_value(turn("", vec![plain], Some(&data), "m")).unwrap();
        let expected =
            json!([{"type": "custom_tool_call", "id": "ct", "call_id": "c", "name": "f", "input": "SELECT 1"}]);
        assert_eq!(items, expected);
    }
}
