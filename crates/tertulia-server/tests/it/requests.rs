//! What the daemon is handed for what a client sends.

use serde_json::{Value, json};
use tertulia_message::{Addressed, PersonId, RequestHistory, Role, SuppliedMessage};

use crate::daemon::{chat, error, request, start};

fn supplied(history: &RequestHistory) -> &[SuppliedMessage] {
    match history {
        RequestHistory::Supplied(messages) => messages,
        RequestHistory::Stored(messages) => panic!("stored: {messages:?}"),
    }
}

#[tokio::test]
async fn a_request_is_a_direct_message_of_a_local_person() {
    let mut running = start().await;
    let inbound = running.handed(&chat("Hi")).await;
    assert_eq!(inbound.account.interface, "ollama_serve");
    assert_eq!(inbound.account.identity, "local");
    assert_eq!(inbound.sender, PersonId::new("ollama_serve", "local"));
    assert_eq!(inbound.addressed, Addressed::Direct);
    assert_eq!(inbound.path.as_str(), format!("ollama_serve/~{}", inbound.id));
    assert_eq!(inbound.sent_at, Some(1_796_025_600_500));
    let again = running.handed(&chat("Hi")).await;
    assert_ne!(inbound.id, again.id);
}

#[tokio::test]
async fn messages_are_read_with_all_they_carry() {
    let mut running = start().await;
    let body = json!({"model":"tertulia","tools":[],"unknown":{"a":1},"messages":[
        {"role":"System","content":"Be brief."},
        {"role":"USER","content":"What is this?","images":["iVBORw0KGgo=","data:image/jpeg;base64,/9j/4AAQ"]},
        {"role":"assistant","content":"","thinking":"Hm","tool_calls":[
            {"function":{"name":"look","arguments":{"at":1}}},
            {"id":"mine","function":{"name":"ask","arguments":{}}}]},
        {"role":"tool","content":"{\"ok\":true}"},
        {"role":"tool","content":"no","tool_call_id":"mine","tool_name":"ask"},
        {"role":"system","content":"And kind."}]});
    let inbound = running.handed(&body).await;
    let asked = request(&inbound);
    assert_eq!(asked.system.as_deref(), Some("Be brief.\n\nAnd kind."));
    let messages = supplied(&asked.history);
    let roles: Vec<Role> = messages.iter().map(|message| message.role).collect();
    assert_eq!(roles, [Role::User, Role::Assistant, Role::Tool, Role::Tool]);
    let mimes: Vec<_> = messages
        .iter()
        .flat_map(|message| &message.pictures)
        .map(|p| p.mime.as_str())
        .collect();
    assert_eq!(mimes, ["image/png", "image/jpeg"]);
    let calls: Vec<_> = messages.iter().flat_map(|message| &message.calls).collect();
    let calls: Vec<_> = calls
        .iter()
        .map(|c| (c.id.as_str(), c.name.as_str(), c.arguments.as_str()))
        .collect();
    assert_eq!(calls, [("call_2_0", "look", "{\"at\":1}"), ("mine", "ask", "{}")]);
    let answers: Vec<_> = messages
        .iter()
        .map(|m| (m.call_id.as_deref(), m.tool_name.as_deref()))
        .skip(2)
        .collect();
    assert_eq!(answers, [(Some("call_2_0"), Some("look")), (Some("mine"), Some("ask"))]);
}

#[tokio::test]
async fn tools_and_options_are_handed_on() {
    let mut running = start().await;
    let mut body = chat("Hi");
    body["tools"] = json!([{"type":"function","function":{"name":"lamp","description":"Light",
        "parameters":{"type":"object","properties":{"on":{"type":"boolean"}}}}},{"function":{"name":"bare"}}]);
    body["options"] = json!({"num_predict":99,"stop":["END"]});
    body["think"] = json!(false);
    body["conversation"] = json!("kept-by-the-client");
    let inbound = running.handed(&body).await;
    assert!(
        inbound.path.as_str().starts_with("ollama_serve/~"),
        "own tools mean own history"
    );
    let asked = request(&inbound);
    let names: Vec<_> = asked
        .tools
        .iter()
        .map(|tool| (tool.name.as_str(), tool.description.as_str()))
        .collect();
    assert_eq!(names, [("lamp", "Light"), ("bare", "")]);
    assert_eq!(
        asked.tools.last().unwrap().parameters,
        json!({"type":"object","properties":{}})
    );
    assert_eq!(asked.generation.max_tokens, Some(99));
    assert_eq!(asked.generation.stop, ["END"]);
    assert_eq!(asked.generation.think, Some(json!(false)));
}

#[tokio::test]
async fn wrong_requests_are_refused_in_the_words_of_the_real_server() {
    let mut running = start().await;
    let with = |key: &str, value: Value| {
        let mut body = chat("Hi");
        body[key] = value;
        body
    };
    let message = |message: Value| with("messages", json!([message]));
    for (body, status, expected) in [
        (json!({}), 400, "model is required"),
        (
            with("model", json!("gpt")),
            404,
            "model 'gpt' not found; there is tertulia:latest, poet:latest",
        ),
        (
            with("model", json!("tertulia:8b")),
            404,
            "model 'tertulia:8b' not found; there is tertulia:latest, poet:latest",
        ),
        (
            message(json!({"role":"user","content":[{"type":"text","text":"Hi"}]})),
            400,
            "json: cannot unmarshal array into Go struct field ChatRequest.messages.content of type string",
        ),
        (
            with("messages", json!("Hi")),
            400,
            "json: cannot unmarshal string into Go struct field ChatRequest.messages of type []api.Message",
        ),
        (
            with("stream", json!("yes")),
            400,
            "json: cannot unmarshal string into Go struct field ChatRequest.stream of type bool",
        ),
        (
            message(json!({"role":"robot","content":"Hi"})),
            400,
            "invalid role \"robot\"",
        ),
        (
            with("keep_alive", json!("soon")),
            400,
            "time: invalid duration \"soon\"",
        ),
        (
            message(json!({"role":"user","content":"","images":["?"]})),
            400,
            "illegal base64 data in an image",
        ),
        (
            message(json!({"role":"assistant","tool_calls":[{}]})),
            400,
            "a tool call has no function",
        ),
        (
            with("tools", json!([{"type":"function"}])),
            400,
            "a tool has no function",
        ),
        (
            message(json!({"role":"system","content":"only this"})),
            400,
            "there is no new message to answer",
        ),
    ] {
        let response = running.post("/api/chat", &body).send().await.unwrap();
        assert_eq!(error(response).await, (status, expected.to_owned()), "{body}");
    }
    assert!(running.is_idle());
}
