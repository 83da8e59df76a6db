//! The double must refuse what the real server refuses.

use serde_json::{Value, json};

use super::refusal;

#[track_caller]
fn refused(request: &Value, needle: &str) {
    let message = refusal(request).expect("refused").message;
    assert!(message.contains(needle), "{message}");
}

fn with_messages(messages: &Value) -> Value {
    json!({"model": "m", "messages": messages})
}

fn call(id: &str) -> Value {
    json!({"role": "assistant", "content": null, "tool_calls": [
        {"id": id, "type": "function", "function": {"name": "f", "arguments": "{}"}}]})
}

fn result(id: &str) -> Value {
    json!({"role": "tool", "tool_call_id": id, "content": "done"})
}

#[test]
fn a_proper_conversation_is_accepted() {
    let user = json!({"role": "user", "content": [
        {"type": "text", "text": "see"}, {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAEC"}}]});
    let mut request = with_messages(
        &json!([{"role": "system", "content": "s"}, user, call("a"), result("a"),
        {"role": "assistant", "content": "ok"}, {"role": "user", "content": ""}]),
    );
    request["stream"] = json!(true);
    request["stream_options"] = json!({"include_usage": true});
    request["tools"] = json!([{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}]);
    assert_eq!(refusal(&request), None);
}

#[test]
fn calls_and_results_are_paired() {
    let user = json!({"role": "user", "content": "u"});
    refused(&with_messages(&json!([user, call("a")])), "no response to: a");
    refused(
        &with_messages(&json!([user, call("a"), user, result("a")])),
        "no response to: a",
    );
    refused(
        &with_messages(&json!([user, result("a")])),
        "there is none with the id a",
    );
    refused(
        &with_messages(&json!([user, call("a"), result("a"), result("a")])),
        "there is none",
    );
    refused(
        &with_messages(&json!([user, call(&"x".repeat(41)), result("a")])),
        "41 characters",
    );
}

#[test]
fn bodies_are_checked() {
    refused(&json!([]), "object");
    refused(&with_messages(&json!([])), "empty");
    refused(
        &with_messages(&json!([{"role": "robot", "content": "x"}])),
        "invalid role",
    );
    refused(&with_messages(&json!([{"role": "user", "content": null}])), "content");
    refused(
        &with_messages(&json!([{"role": "user", "content": "x", "extra": 1}])),
        "extra",
    );
    let mut request = with_messages(&json!([{"role": "user", "content": "x"}]));
    assert_eq!(refusal(&request), None);
    request["stream_options"] = json!({"include_usage": true});
    refused(&request, "stream_options");
    let ok = with_messages(&json!([{"role": "user", "content": "x"}]));
    for (key, value) in [
        ("frobnicate", json!(1)),
        ("temperature", json!(3)),
        ("max_tokens", json!(0)),
        ("tools", json!([])),
        ("tools", json!([{"type": "function", "function": {"name": "a b"}}])),
        ("response_format", json!("json")),
        ("stop", json!([])),
        ("reasoning_effort", json!(true)),
    ] {
        let mut request = ok.clone();
        request[key] = value;
        assert!(refusal(&request).is_some(), "{request}");
    }
}
