//! Bodies, field by field.

use std::sync::Arc;

use serde_json::{Value, json};
use tertulia_core::chat::{ChatMessage, Part, ProviderData, ToolCall, ToolResult, ToolStatus};
use tertulia_core::provider::{Capabilities, ModelRequest};
use tertulia_message::{Generation, Picture, ToolOffer};
use tertulia_testkit::ollama_double::refusal;

use super::{Aim, Body};
use crate::kinds::OLLAMA;
use crate::names::Names;

const ABLE: Capabilities = Capabilities {
    conversation: true,
    system: true,
    tool_calls: true,
    vision: true,
    thinking: true,
    ..OLLAMA
};

fn request(messages: Vec<ChatMessage>) -> ModelRequest {
    ModelRequest {
        model: "m".into(),
        system: String::new(),
        messages,
        tools: Vec::new(),
        generation: Generation::default(),
    }
}

#[track_caller]
fn check(request: &ModelRequest, able: Capabilities, expected: &Value) {
    let names = Names::new(&request.tools);
    let aim = Aim {
        model: "m",
        able,
        window: 8_192,
        keep_alive: None,
    };
    let body = Body::new(request, &names, &aim);
    let chat = body.is_chat();
    let body = serde_json::to_value(body).unwrap();
    assert_eq!(&body, expected);
    let abilities = [
        (able.conversation, "completion"),
        (able.tool_calls, "tools"),
        (able.vision, "vision"),
        (able.thinking, "thinking"),
    ];
    let abilities: Vec<&str> = abilities
        .iter()
        .filter(|(has, _)| *has)
        .map(|(_, name)| *name)
        .collect();
    assert_eq!(refusal(&body, chat, &abilities), None);
}

fn picture() -> Part {
    Part::Picture(Picture {
        mime: "image/png".into(),
        bytes: Arc::from([0, 1, 2]),
    })
}

fn everything() -> ModelRequest {
    let seen = ChatMessage::User {
        parts: vec![Part::Text("see".into()), picture()],
    };
    ModelRequest {
        system: "Be kind.".into(),
        tools: vec![
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
        ],
        generation: Generation {
            temperature: Some(0.5),
            top_p: Some(0.9),
            max_tokens: Some(100),
            stop: vec!["END".into()],
            seed: Some(7),
            format: Some(json!({"type": "object", "properties": {}})),
            think: Some(json!("low")),
        },
        ..request(vec![ChatMessage::user("a"), ChatMessage::assistant("b"), seen])
    }
}

#[test]
fn a_bare_question() {
    let mut expected = json!({
        "model": "m", "stream": true, "truncate": false, "shift": false, "think": true,
        "options": {"num_ctx": 8192}, "messages": [{"role": "user", "content": "Hi"}],
    });
    let request = request(vec![ChatMessage::user("Hi")]);
    check(&request, ABLE, &expected);
    expected.as_object_mut().unwrap().remove("think");
    let thoughtless = Capabilities {
        thinking: false,
        ..ABLE
    };
    check(&request, thoughtless, &expected);
}

#[test]
fn everything_that_can_be_asked() {
    let expected = json!({
        "model": "m", "stream": true, "truncate": false, "shift": false, "think": "low",
        "messages": [
            {"role": "system", "content": "Be kind."},
            {"role": "user", "content": "a"},
            {"role": "assistant", "content": "b"},
            {"role": "user", "content": "see", "images": ["AAEC"]},
        ],
        "tools": [
            {"type": "function", "function":
                {"name": "now", "description": "the time", "parameters": {"type": "object"}}},
            {"type": "function", "function":
                {"name": "dir_list", "parameters": {"type": "object", "properties": {}}}},
        ],
        "format": {"type": "object", "properties": {}},
        "options": {"num_ctx": 8192, "num_predict": 100, "temperature": 0.5, "top_p": 0.9, "stop": ["END"], "seed": 7},
    });
    check(&everything(), ABLE, &expected);
}

#[test]
fn a_model_gets_nothing_that_it_cannot_take() {
    let least = Capabilities {
        conversation: true,
        ..OLLAMA
    };
    let expected = json!({
        "model": "m", "stream": true, "truncate": false, "shift": false,
        "messages": [
            {"role": "user", "content": "Be kind."},
            {"role": "user", "content": "a"},
            {"role": "assistant", "content": "b"},
            {"role": "user", "content": "see\n[a picture that you cannot see]"},
        ],
        "format": {"type": "object", "properties": {}},
        "options": {"num_ctx": 8192, "num_predict": 100, "temperature": 0.5, "top_p": 0.9, "stop": ["END"], "seed": 7},
    });
    check(&everything(), least, &expected);
}

#[test]
fn without_a_conversation_there_is_one_prompt() {
    let expected = json!({
        "model": "m", "stream": true, "truncate": false, "shift": false,
        "prompt": "System: Be kind.\n\nConversation History:\nuser: a\n\nassistant: b\n\nHuman: see\n\nAssistant:",
        "format": {"type": "object", "properties": {}},
        "options": {"num_ctx": 8192, "num_predict": 100, "temperature": 0.5, "top_p": 0.9, "stop": ["END", "\n\nHuman:"],
            "seed": 7},
    });
    check(&everything(), OLLAMA, &expected);
    let mut expected = expected;
    let fields = expected.as_object_mut().unwrap();
    fields.insert("images".into(), json!(["AAEC"]));
    fields.insert("think".into(), json!("low"));
    let able = Capabilities {
        conversation: false,
        tool_calls: false,
        ..ABLE
    };
    check(&everything(), able, &expected);
}

fn call(id: &str, arguments: &str) -> ToolCall {
    ToolCall {
        id: id.into(),
        name: "dir.list".into(),
        arguments: arguments.into(),
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

fn thought(model: &str) -> ProviderData {
    ProviderData {
        kind: "ollama".into(),
        model: model.into(),
        bytes: "Hm.".into(),
    }
}

#[test]
fn rounds_of_tools_are_paired_and_thinking_returns_to_its_model() {
    let request = request(vec![
        ChatMessage::user("go"),
        ChatMessage::Assistant {
            text: String::new(),
            calls: vec![call("a", "{\"x\": 1}"), call("b", ""), call("c", "{\"cut")],
            data: Some(thought("m")),
        },
        ChatMessage::Tool {
            results: vec![result("b", "two"), result("a", "one"), result("z", "stray")],
        },
        ChatMessage::Assistant {
            text: "more".into(),
            calls: vec![call("d", "[1]")],
            data: Some(thought("other")),
        },
        ChatMessage::user("and?"),
        ChatMessage::Assistant {
            text: String::new(),
            calls: vec![call("e", "{}")],
            data: None,
        },
    ]);
    let wire = |index: usize, id: &str, arguments: Value| json!({"id": id, "function": {"index": index, "name": "dir_list", "arguments": arguments}});
    let answer = |id: &str, content: &str| json!({"role": "tool", "tool_call_id": id, "tool_name": "dir_list", "content": content});
    let lost = "The result of this call was lost.";
    check(
        &request,
        ABLE,
        &json!({
            "model": "m", "stream": true, "truncate": false, "shift": false, "think": true, "options": {"num_ctx": 8192},
            "messages": [
                {"role": "user", "content": "go"},
                {"role": "assistant", "content": "", "thinking": "Hm.", "tool_calls":
                    [wire(0, "a", json!({"x": 1})), wire(1, "b", json!({})), wire(2, "c", json!({"unreadable": "{\"cut"}))]},
                answer("a", "one"), answer("b", "two"), answer("c", lost),
                {"role": "user", "content": "Result of dir.list:\nstray"},
                {"role": "assistant", "content": "more", "tool_calls": [wire(0, "d", json!({"unreadable": "[1]"}))]},
                answer("d", lost),
                {"role": "user", "content": "and?"},
                {"role": "assistant", "content": "", "tool_calls": [wire(0, "e", json!({}))]},
                answer("e", lost),
            ],
        }),
    );
}

#[test]
fn the_weight_is_of_texts_and_not_of_pictures() {
    let request = everything();
    let names = Names::new(&request.tools);
    let weigh = |able| {
        let aim = Aim {
            model: "m",
            able,
            window: 1,
            keep_alive: Some("-1"),
        };
        let body = Body::new(&request, &names, &aim);
        assert_eq!(serde_json::to_value(&body).unwrap()["keep_alive"], json!(-1));
        let weight = body.weight();
        (weight.bytes, weight.pictures)
    };
    let (bytes, pictures) = weigh(ABLE);
    assert!((300..600).contains(&bytes) && pictures == 1, "{bytes} {pictures}");
    assert_eq!(weigh(OLLAMA), (107, 0));
}
