//! The double must refuse what the real server refuses.

use serde_json::{Value, json};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::{Ending, Habits, ModelDouble, Script, Strictness, refusal, refusal_by};

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

/// Status line, headers and body of the answer to one request.
async fn exchange(double: &ModelDouble, key: &str, body: &Value) -> String {
    let body = body.to_string();
    let mut connection = TcpStream::connect(double.address).await.unwrap();
    let request = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nhost: double\r\nconnection: close\r\n\
         authorization: Bearer {key}\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    connection.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    connection.read_to_end(&mut answer).await.unwrap();
    String::from_utf8(answer).unwrap()
}

#[tokio::test]
async fn it_answers_what_is_scripted_and_keeps_the_log() {
    let strictness = Strictness {
        key: Some("k".into()),
        models: vec!["big".into()],
    };
    let double = ModelDouble::start_strict(strictness).await.unwrap();
    let question = json!({"model": "big", "messages": [{"role": "user", "content": "x"}]});
    double.push(Script::call("a", "f", "{\"n\": 1}"));
    assert!(exchange(&double, "wrong", &question).await.starts_with("HTTP/1.1 401 "));
    let unknown = json!({"model": "none", "messages": [{"role": "user", "content": "x"}]});
    assert!(exchange(&double, "k", &unknown).await.contains("model_not_found"));
    assert!(
        exchange(&double, "k", &json!({"model": "big"}))
            .await
            .starts_with("HTTP/1.1 400 ")
    );
    assert_eq!(
        (double.scripts_left(), double.requests().len(), double.refusals().len()),
        (1, 0, 3)
    );
    let whole = exchange(&double, "k", &question).await;
    assert!(
        whole.contains(r#""finish_reason":"tool_calls""#) && whole.contains("application/json"),
        "{whole}"
    );
    let mut streamed = question.clone();
    streamed["stream"] = json!(true);
    let events = exchange(&double, "k", &streamed).await;
    assert!(
        events.contains(ModelDouble::DEFAULT_ANSWER) && events.contains("data: [DONE]\n\n"),
        "{events}"
    );
    assert!(!events.contains("usage"), "{events}");
    assert_eq!(double.requests(), [question, streamed]);
    assert!(
        double
            .until(|calls| calls.iter().all(|call| call.ending == Ending::Said))
            .await
    );
}

#[test]
fn other_servers_have_rules_of_their_own() {
    let user = json!({"role": "user", "content": "u"});
    let mut thought = call("a");
    thought["reasoning_content"] = json!("Hm.");
    let told = |habits, request: &Value| refusal_by(habits, request).map(|refusal| refusal.message);
    let forgotten = with_messages(&json!([user, call("a"), result("a")]));
    let message = told(Habits::DeepSeek, &forgotten).unwrap();
    assert!(message.contains("must be passed back"), "{message}");
    assert_eq!(told(Habits::OpenAi, &forgotten), None);
    let returned = with_messages(&json!([user, thought, result("a")]));
    assert_eq!(told(Habits::DeepSeek, &returned), None);
    assert!(told(Habits::OpenRouter, &returned).is_some());
    let mut silent = forgotten.clone();
    silent["thinking"] = json!({"type": "disabled"});
    assert_eq!(told(Habits::DeepSeek, &silent), None);
    assert!(told(Habits::OpenAi, &silent).is_some());
    let mut reasoned = forgotten;
    reasoned["reasoning"] = json!({"effort": "low"});
    assert_eq!(told(Habits::OpenRouter, &reasoned), None);
    reasoned["reasoning"] = json!(true);
    assert!(told(Habits::OpenRouter, &reasoned).is_some());
}
