//! Bodies, field by field.

use std::sync::Arc;

use serde_json::{Value, json};
use tertulia_core::chat::{ChatMessage, Part, ToolCall, ToolResult, ToolStatus};
use tertulia_core::provider::{Capabilities, Format, ModelRequest};
use tertulia_message::{Generation, Picture, ToolOffer};

use super::{Audience, body};
use crate::chat_shape::echo::{Echo, Owner};
use crate::chat_shape::model::{ChatLimit, Traits};
use crate::names::Names;

const ABLE: Capabilities = Capabilities {
    conversation: true,
    system: true,
    tool_calls: true,
    vision: true,
    thinking: true,
    format: Format::Standard,
    max_context: 8_192,
};
const OFFICIAL: Traits = Traits {
    limit: ChatLimit::MaxCompletionTokens,
    ..Traits::USUAL
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

fn asked(request: &ModelRequest, able: Capabilities, traits: Traits, echo: Echo) -> Value {
    let names = Names::new(&request.tools);
    let owner = Owner {
        kind: "k",
        model: "m",
        echo,
    };
    let audience = Audience {
        owner,
        able,
        traits,
        names: &names,
    };
    let body = serde_json::to_value(body(request, &audience)).unwrap();
    assert_eq!(tertulia_testkit::model_double::refusal(&body), None, "{body}");
    body
}

#[track_caller]
fn check(request: &ModelRequest, official: bool, expected: &Value) {
    let traits = if official { OFFICIAL } else { Traits::USUAL };
    assert_eq!(&asked(request, ABLE, traits, Echo::Nothing), expected);
}

#[test]
fn a_bare_question() {
    check(
        &request(vec![ChatMessage::user("Hi")]),
        true,
        &json!({
            "model": "m", "stream": true, "stream_options": {"include_usage": true},
            "messages": [{"role": "user", "content": "Hi"}],
        }),
    );
}

#[test]
fn everything_that_can_be_asked() {
    let mut request = request(vec![
        ChatMessage::user("a"),
        ChatMessage::assistant("b"),
        ChatMessage::User {
            parts: vec![
                Part::Text("see".into()),
                Part::Picture(Picture {
                    mime: "image/png".into(),
                    bytes: Arc::from([0, 1, 2]),
                }),
            ],
        },
    ]);
    request.system = "Be kind.".into();
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
        temperature: Some(0.5),
        top_p: Some(0.9),
        max_tokens: Some(100),
        stop: vec!["END".into()],
        seed: Some(7),
        format: Some(json!({"type": "object", "properties": {}})),
        think: Some(json!("low")),
    };
    let mut expected = json!({
        "model": "m", "stream": true, "stream_options": {"include_usage": true},
        "messages": [
            {"role": "system", "content": "Be kind."},
            {"role": "user", "content": "a"},
            {"role": "assistant", "content": "b"},
            {"role": "user", "content": [
                {"type": "text", "text": "see"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAEC"}},
            ]},
        ],
        "tools": [
            {"type": "function", "function":
                {"name": "now", "description": "the time", "parameters": {"type": "object"}}},
            {"type": "function", "function":
                {"name": "dir_list", "parameters": {"type": "object", "properties": {}}}},
        ],
        "temperature": 0.5, "top_p": 0.9, "max_tokens": 100, "stop": ["END"], "seed": 7,
        "response_format": {"type": "json_schema",
            "json_schema": {"name": "answer", "schema": {"type": "object", "properties": {}}}},
        "reasoning_effort": "low",
    });
    check(&request, false, &expected);
    request.generation.think = Some(json!(true));
    request.generation.format = Some(json!("json"));
    let fields = expected.as_object_mut().unwrap();
    fields.remove("reasoning_effort");
    fields.remove("max_tokens");
    fields.insert("max_completion_tokens".into(), json!(100));
    fields.insert("response_format".into(), json!({"type": "json_object"}));
    let wish = "Be kind.\n\nAnswer with one JSON object and with nothing before or behind it.";
    fields["messages"][0]["content"] = json!(wish);
    check(&request, true, &expected);
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

fn wire_call(id: &str, arguments: &str) -> Value {
    json!({"id": id, "type": "function", "function": {"name": "dir_list", "arguments": arguments}})
}

#[test]
fn rounds_of_tools_are_paired_whatever_the_history_holds() {
    let calls = vec![call("a", "{\"x\": 1}"), call("b", ""), call("c", "{\"cut")];
    let request = request(vec![
        ChatMessage::user("go"),
        ChatMessage::Assistant {
            text: String::new(),
            calls,
            data: None,
        },
        ChatMessage::Tool {
            results: vec![result("b", "two"), result("a", "one"), result("z", "stray")],
        },
        ChatMessage::Assistant {
            text: "more".into(),
            calls: vec![call("d", "{}")],
            data: None,
        },
        ChatMessage::user("and?"),
        ChatMessage::Tool {
            results: vec![result("d", "late")],
        },
    ]);
    let lost = "The result of this call was lost.";
    check(
        &request,
        false,
        &json!({
            "model": "m", "stream": true, "stream_options": {"include_usage": true},
            "messages": [
                {"role": "user", "content": "go"},
                {"role": "assistant", "content": null,
                    "tool_calls": [wire_call("a", "{\"x\": 1}"), wire_call("b", "{}"), wire_call("c", "{}")]},
                {"role": "tool", "tool_call_id": "a", "content": "one"},
                {"role": "tool", "tool_call_id": "b", "content": "two"},
                {"role": "tool", "tool_call_id": "c", "content": lost},
                {"role": "user", "content": "Result of dir.list:\nstray"},
                {"role": "assistant", "content": "more", "tool_calls": [wire_call("d", "{}")]},
                {"role": "tool", "tool_call_id": "d", "content": lost},
                {"role": "user", "content": "and?"},
                {"role": "user", "content": "Result of dir.list:\nlate"},
            ],
        }),
    );
}

#[test]
fn an_open_call_at_the_end_is_closed() {
    let last = ChatMessage::Assistant {
        text: String::new(),
        calls: vec![call(&"i".repeat(50), "{}")],
        data: None,
    };
    let request = request(vec![ChatMessage::user("go"), last]);
    let body = asked(&request, ABLE, OFFICIAL, Echo::Nothing);
    assert_eq!(
        body["messages"][2]["tool_call_id"],
        body["messages"][1]["tool_calls"][0]["id"]
    );
}
