//! The rules of the double, and how it cuts.

use serde_json::{Value, json};

use super::window::{Read, read};
use super::*;

const ALL: [&str; 4] = ["completion", "tools", "vision", "thinking"];

#[track_caller]
fn chat(messages: &Value, more: &Value, expected: Option<&str>) {
    let mut request = json!({"model": "m", "messages": messages, "options": {"num_ctx": 100}});
    let fields = request.as_object_mut().unwrap();
    fields.extend(more.as_object().unwrap().clone());
    let refused = refusal(&request, true, &ALL);
    match expected {
        None => assert_eq!(refused, None),
        Some(part) => assert!(refused.as_ref().is_some_and(|why| why.contains(part)), "{refused:?}"),
    }
}

#[test]
fn rules_are_enforced() {
    let hello = json!([{"role": "user", "content": "Hi"}]);
    chat(&hello, &json!({}), None);
    chat(&hello, &json!({"max_tokens": 5}), Some("max_tokens"));
    chat(&hello, &json!({"options": {}}), Some("num_ctx"));
    chat(&hello, &json!({"think": "hard"}), Some("think"));
    chat(&json!([]), &json!({}), Some("only loaded"));
    chat(
        &json!([{"role": "user", "content": [{"type": "text"}]}]),
        &json!({}),
        Some("string"),
    );
    let image = |image: &str| json!([{"role": "user", "content": "", "images": [image]}]);
    chat(&image("AAEC"), &json!({}), None);
    chat(&image("data:image/png;base64,AAEC"), &json!({}), Some("base64"));
    let call = |arguments: Value| json!({"role": "assistant", "content": "", "tool_calls": [{"id": "a", "function": {"name": "f", "arguments": arguments}}]});
    let answer = json!({"role": "tool", "content": "1", "tool_call_id": "a", "tool_name": "f"});
    chat(&json!([call(json!({})), answer]), &json!({}), None);
    chat(&json!([call(json!("{}")), answer]), &json!({}), Some("object"));
    chat(&json!([call(json!({}))]), &json!({}), Some("no answer"));
    chat(&json!([answer]), &json!({}), Some("is open"));
}

#[test]
fn what_a_model_cannot_is_refused() {
    let ask = |more: Value| {
        let mut request =
            json!({"model": "m", "messages": [{"role": "user", "content": "Hi"}], "options": {"num_ctx": 9}});
        request
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        refusal(&request, true, &["completion"]).unwrap_or_default()
    };
    assert_eq!(ask(json!({"think": false})), "");
    assert!(ask(json!({"think": true})).contains("does not support thinking"));
    let tool = json!({"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}});
    assert!(ask(json!({"tools": [tool]})).contains("does not support tools"));
}

#[test]
fn what_is_too_long_is_refused_or_cut() {
    let long = "x".repeat(200);
    let mut request = json!({
        "messages": [{"content": long}, {"content": long}, {"content": long}], "options": {"num_ctx": 120}, "truncate": false,
    });
    assert!(read(&request, true).is_err());
    assert_eq!(read(&request, false), Ok(Read { read: 108, cut: 54 }));
    request["truncate"] = json!(true);
    assert_eq!(read(&request, true), Ok(Read { read: 108, cut: 54 }));
    let prompt = json!({"prompt": long, "options": {"num_ctx": 20}});
    assert_eq!(read(&prompt, false), Ok(Read { read: 20, cut: 34 }));
}
