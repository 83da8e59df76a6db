//! Bodies, field by field.

use std::sync::Arc;

use tertulia_core::chat::{ChatMessage, Part, ProviderData, ToolCall, ToolResult, ToolStatus};
use tertulia_core::provider::Capabilities;
use tertulia_message::Picture;

use super::super::config::AnthropicConfig;
use super::super::traits::abilities;
use super::*;

const OLD: &str = "claude-sonnet-4-5";
const NEW: &str = "claude-opus-4-7";

fn request(messages: Vec<ChatMessage>) -> ModelRequest {
    ModelRequest {
        model: OLD.into(),
        system: String::new(),
        messages,
        tools: Vec::new(),
        generation: Generation::default(),
    }
}

fn made(request: &ModelRequest, model: &str, able: Capabilities) -> Value {
    let names = Names::new(&request.tools);
    let audience = Audience {
        model,
        able,
        names: &names,
    };
    let traits = Traits::of(model, &AnthropicConfig::official());
    serde_json::to_value(body(request, &audience, &traits)).unwrap()
}

#[track_caller]
fn check(request: &ModelRequest, model: &str, expected: &Value) {
    assert_eq!(&made(request, model, abilities(model)), expected);
}

/// The messages alone.
#[track_caller]
fn check_messages(messages: Vec<ChatMessage>, expected: &Value) {
    let made = made(&request(messages), OLD, abilities(OLD));
    assert_eq!(&made["messages"], expected);
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn picture(mime: &str) -> Part {
    Part::Picture(Picture {
        mime: mime.into(),
        bytes: Arc::from([0, 1, 2]),
    })
}

fn call(id: &str, arguments: &str) -> ToolCall {
    ToolCall {
        id: id.into(),
        name: "dir.list".into(),
        arguments: arguments.into(),
    }
}

fn calling(text: &str, calls: Vec<ToolCall>) -> ChatMessage {
    ChatMessage::Assistant {
        text: text.into(),
        calls,
        data: None,
    }
}

fn result(id: &str, content: &str) -> ToolResult {
    ToolResult {
        call_id: id.into(),
        name: "dir.list".into(),
        status: ToolStatus::Ok,
        content: content.into(),
    }
}

fn wire_call(id: &str, input: &Value) -> Value {
    json!({"type": "tool_use", "id": id, "name": "dir_list", "input": input})
}

fn wire_result(id: &str, content: &str) -> Value {
    json!({"type": "tool_result", "tool_use_id": id, "content": content})
}

const LOST: &str = "The result of this call was lost.";

fn lost(id: &str) -> Value {
    json!({"type": "tool_result", "tool_use_id": id, "content": LOST, "is_error": true})
}

#[test]
fn a_bare_question() {
    check(
        &request(vec![ChatMessage::user("Hi")]),
        OLD,
        &json!({
            "model": OLD, "max_tokens": 4096, "stream": true,
            "messages": [{"role": "user", "content": [text("Hi")]}],
        }),
    );
}

#[test]
fn everything_that_can_be_asked() {
    let parts = vec![Part::Text("see".into()), picture("image/png"), picture("image/bmp")];
    let mut request = request(vec![
        ChatMessage::user("a"),
        ChatMessage::assistant("b"),
        ChatMessage::User { parts },
    ]);
    request.system = "Be kind.\n".into();
    request.tools = vec![
        ToolOffer {
            name: "now".into(),
            description: "the time".into(),
            parameters: json!({"type": "object"}),
        },
        ToolOffer {
            name: "dir.list".into(),
            description: String::new(),
            parameters: Value::Null,
        },
    ];
    request.generation = Generation {
        temperature: Some(1.5),
        top_p: Some(0.9),
        max_tokens: Some(100),
        stop: vec!["END".into(), "\n".into()],
        seed: Some(7),
        format: Some(json!({"type": "object", "properties": {"x": {"type": "object"}}})),
        think: None,
    };
    let image = json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAEC"}});
    let schema = json!({"type": "object", "additionalProperties": false,
        "properties": {"x": {"type": "object", "additionalProperties": false}}});
    let mut expected = json!({
        "model": OLD, "max_tokens": 100, "system": "Be kind.", "stream": true,
        "messages": [
            {"role": "user", "content": [text("a")]},
            {"role": "assistant", "content": [text("b")]},
            {"role": "user", "content": [text("see"), image, text("[a picture that you cannot see]")]},
        ],
        "tools": [
            {"name": "now", "description": "the time", "input_schema": {"type": "object"}},
            {"name": "dir_list", "input_schema": {"type": "object", "properties": {}}},
        ],
        "temperature": 1.0, "stop_sequences": ["END"],
        "output_config": {"format": {"type": "json_schema", "schema": schema}},
    });
    check(&request, OLD, &expected);
    let fields = expected.as_object_mut().unwrap();
    fields.remove("temperature");
    fields.insert("model".into(), json!(NEW));
    check(&request, NEW, &expected);
    let blind = made(&request, "claude-2.1", abilities("claude-2.1"));
    assert_eq!(
        blind["messages"][2]["content"][1],
        text("[a picture that you cannot see]")
    );
    assert_eq!(blind["output_config"], Value::Null);
    let system = blind["system"].as_str().unwrap();
    assert!(
        system.starts_with("Be kind.\n\nAnswer with JSON") && system.ends_with('}'),
        "{system}"
    );
}

#[test]
fn each_generation_is_told_to_think_in_its_own_way() {
    let mut request = request(vec![ChatMessage::user("Hi")]);
    request.generation.temperature = Some(0.5);
    let mut asked = |think: Value, model: &str| {
        request.generation.think = Some(think);
        let body = made(&request, model, abilities(model));
        let field = |name: &str| body[name].clone();
        [
            field("thinking"),
            field("output_config"),
            field("max_tokens"),
            field("temperature"),
        ]
    };
    let (none, sampled) = (Value::Null, json!(0.5));
    let enabled = |budget: u64| json!({"type": "enabled", "budget_tokens": budget});
    let disabled = json!({"type": "disabled"});
    let adaptive = json!({"type": "adaptive", "display": "summarized"});
    assert_eq!(
        asked(json!(true), OLD),
        [enabled(4096), none.clone(), json!(8192), none.clone()]
    );
    assert_eq!(
        asked(json!("low"), OLD),
        [enabled(1024), none.clone(), json!(5120), none.clone()]
    );
    assert_eq!(
        asked(json!(false), OLD),
        [disabled, none.clone(), json!(4096), sampled.clone()]
    );
    let low = json!({"effort": "low"});
    assert_eq!(
        asked(json!("Low"), "claude-opus-4-6"),
        [adaptive.clone(), low, json!(5120), none.clone()]
    );
    assert_eq!(
        asked(json!(true), NEW),
        [adaptive, none.clone(), json!(8192), none.clone()]
    );
    assert_eq!(
        asked(json!(true), "claude-3-haiku"),
        [none.clone(), none.clone(), json!(4096), sampled]
    );
}

#[test]
fn rounds_of_tools_are_paired_whatever_the_history_holds() {
    let calls = vec![call("a", "{\"x\": 1}"), call("functions.f:0", ""), call("c", "{\"cut")];
    check_messages(
        vec![
            ChatMessage::user("go"),
            calling(" ", calls),
            ChatMessage::Tool {
                results: vec![result("functions.f:0", "two"), result("a", "one"), result("z", "stray")],
            },
            ChatMessage::user("now?"),
            calling("more", vec![call("a", "{}")]),
            ChatMessage::user("and?"),
            ChatMessage::Tool {
                results: vec![result("a", "late")],
            },
        ],
        &json!([
            {"role": "user", "content": [text("go")]},
            {"role": "assistant", "content": [
                wire_call("a", &json!({"x": 1})),
                wire_call("call_4be0e962e9dcd7b8", &json!({})),
                wire_call("c", &json!({"unreadable": "{\"cut"})),
            ]},
            {"role": "user", "content": [
                wire_result("a", "one"),
                wire_result("call_4be0e962e9dcd7b8", "two"),
                lost("c"),
                text("Result of dir.list:\nstray"),
                text("now?"),
            ]},
            {"role": "assistant", "content": [text("more"), wire_call("call_e63fe9190483c082", &json!({}))]},
            {"role": "user", "content": [lost("call_e63fe9190483c082"), text("and?"), text("Result of dir.list:\nlate")]},
        ]),
    );
}

#[test]
fn a_conversation_begins_and_ends_with_the_user() {
    check_messages(
        vec![
            ChatMessage::assistant("a"),
            ChatMessage::user(" \n"),
            ChatMessage::assistant(""),
            ChatMessage::assistant("b"),
        ],
        &json!([
            {"role": "user", "content": [text("[what was said before is not shown]")]},
            {"role": "assistant", "content": [text("a"), text("b")]},
            {"role": "user", "content": [text("Please go on.")]},
        ]),
    );
    check_messages(
        Vec::new(),
        &json!([{"role": "user", "content": [text("[what was said before is not shown]")]}]),
    );
    check_messages(
        vec![ChatMessage::user("go"), calling("", vec![call("a", "{}")])],
        &json!([
            {"role": "user", "content": [text("go")]},
            {"role": "assistant", "content": [wire_call("a", &json!({}))]},
            {"role": "user", "content": [lost("a")]},
        ]),
    );
}

#[test]
fn failures_and_silence_of_tools_are_told() {
    let failed = ToolResult {
        status: ToolStatus::Failed,
        ..result("a", "no disk")
    };
    check_messages(
        vec![
            ChatMessage::user("go"),
            calling("", vec![call("a", "{}"), call("b", "{}")]),
            ChatMessage::Tool {
                results: vec![failed, result("b", "")],
            },
        ],
        &json!([
            {"role": "user", "content": [text("go")]},
            {"role": "assistant", "content": [wire_call("a", &json!({})), wire_call("b", &json!({}))]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "a", "content": "no disk", "is_error": true},
                {"type": "tool_result", "tool_use_id": "b"},
            ]},
        ]),
    );
}

#[test]
fn thinking_goes_back_to_its_own_model_only() {
    let thought = json!({"type": "thinking", "thinking": "hm", "signature": "s"});
    let round = |data: Option<ProviderData>| {
        let mut request = request(vec![
            ChatMessage::user("go"),
            ChatMessage::Assistant {
                text: String::new(),
                calls: vec![call("a", "{}")],
                data,
            },
            ChatMessage::Tool {
                results: vec![result("a", "one")],
            },
        ]);
        request.generation.think = Some(json!(true));
        let body = made(&request, OLD, abilities(OLD));
        [body["messages"][1]["content"].clone(), body["thinking"]["type"].clone()]
    };
    let data = ProviderData {
        kind: "anthropic".into(),
        model: OLD.into(),
        bytes: json!([thought, {"type": "tool_use"}]).to_string().into_bytes(),
    };
    let bare = wire_call("a", &json!({}));
    let own = [json!([thought, bare]), json!("enabled")];
    // a round that began without thinking goes on without
    let strange = [json!([bare]), Value::Null];
    assert_eq!(round(Some(data.clone())), own);
    assert_eq!(round(None), strange);
    let other_model = ProviderData {
        model: NEW.into(),
        ..data.clone()
    };
    assert_eq!(round(Some(other_model)), strange);
    let other_kind = ProviderData {
        kind: "google".into(),
        ..data
    };
    assert_eq!(round(Some(other_kind)), strange);
}
