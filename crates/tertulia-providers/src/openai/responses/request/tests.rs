//! Bodies, field by field.

use std::sync::Arc;

use tertulia_core::chat::{ChatMessage, Part, ToolCall, ToolResult, ToolStatus};
use tertulia_core::provider::Format;
use tertulia_message::{Generation, Picture};

use super::*;

const ABLE: Capabilities = Capabilities {
    conversation: true,
    system: true,
    tool_calls: true,
    vision: true,
    thinking: true,
    format: Format::Standard,
    max_context: 1_000,
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
    let aim = Aim {
        model: "m",
        able,
        temperature: true,
        top_p: false,
    };
    let body = body(request, &Names::new(&request.tools), aim);
    assert_eq!(&serde_json::to_value(body).unwrap(), expected);
}

fn said(role: &str, text: &str) -> Value {
    json!({"type": "message", "role": role, "content": text})
}

#[test]
fn a_bare_question() {
    let able = Capabilities {
        thinking: false,
        ..ABLE
    };
    check(
        &request(vec![ChatMessage::user("Hi")]),
        able,
        &json!({"model": "m", "stream": true, "store": false, "input": [said("user", "Hi")]}),
    );
    let nothing = json!({"model": "m", "stream": true, "store": false,
        "input": [said("user", "[what was said before is not here]")]});
    check(&request(Vec::new()), able, &nothing);
}

fn full() -> ModelRequest {
    let picture = Part::Picture(Picture {
        mime: "image/png".into(),
        bytes: Arc::from([0, 1, 2]),
    });
    let tool = |name: &str, parameters: Value| ToolOffer {
        name: name.into(),
        description: "d".into(),
        parameters,
    };
    ModelRequest {
        system: "Be kind.".into(),
        tools: vec![tool("a.b", Value::Null), tool("now", json!({"type": "object"}))],
        generation: Generation {
            temperature: Some(0.5),
            top_p: Some(0.5),
            max_tokens: Some(3),
            stop: vec!["x".into()],
            seed: Some(1),
            format: Some(json!({"type": "object"})),
            think: Some("low".into()),
        },
        ..request(vec![
            ChatMessage::User {
                parts: vec![Part::Text("see".into()), picture],
            },
            ChatMessage::assistant("nice"),
        ])
    }
}

#[test]
fn everything_that_can_be_asked() {
    let offer = |name: &str, parameters: Value| json!({"type": "function", "name": name, "description": "d", "parameters": parameters, "strict": false});
    let see = json!({"type": "input_text", "text": "see"});
    let picture = json!({"type": "input_image", "image_url": "data:image/png;base64,AAEC", "detail": "auto"});
    let with_picture = json!({"type": "message", "role": "user", "content": [see, picture]});
    let mut expected = json!({
        "model": "m", "stream": true, "store": false, "instructions": "Be kind.",
        "input": [with_picture, said("assistant", "nice")],
        "include": ["reasoning.encrypted_content"],
        "tools": [offer("a_b", json!({"type": "object", "properties": {}})), offer("now", json!({"type": "object"}))],
        "max_output_tokens": 16, "temperature": 0.5,
        "text": {"format": {"type": "json_schema", "name": "answer", "schema": {"type": "object"}}},
        "reasoning": {"effort": "low", "summary": "auto"},
    });
    check(&full(), ABLE, &expected);
    for (think, reasoning) in [
        (Value::Bool(true), json!({"summary": "auto"})),
        (Value::Bool(false), Value::Null),
    ] {
        let mut request = full();
        request.generation.think = Some(think);
        if reasoning.is_null() {
            expected.as_object_mut().unwrap().remove("reasoning");
        } else {
            expected["reasoning"] = reasoning;
        }
        check(&request, ABLE, &expected);
    }
}

#[test]
fn what_a_model_cannot_is_not_asked_of_it() {
    let able = Capabilities {
        system: false,
        tool_calls: false,
        vision: false,
        thinking: false,
        ..ABLE
    };
    let mut request = full();
    request.generation = Generation {
        format: Some("json".into()),
        think: Some(true.into()),
        ..Generation::default()
    };
    let parts = json!([{"type": "input_text", "text": "see"},
        {"type": "input_text", "text": "[a picture that you cannot see]"}]);
    let unseen = json!({"type": "message", "role": "user", "content": parts});
    let wish = "Answer with one JSON object and with nothing before or behind it.";
    let mut expected = json!({
        "model": "m", "stream": true, "store": false,
        "input": [said("user", wish), said("user", "Be kind."), unseen, said("assistant", "nice")],
        "text": {"format": {"type": "json_object"}},
    });
    check(&request, able, &expected);
    let any = body(
        &request,
        &Names::new(&[]),
        Aim {
            model: "m",
            able: ABLE,
            temperature: true,
            top_p: true,
        },
    );
    assert_eq!(serde_json::to_value(any).unwrap()["input"][0], said("system", wish));
    request.messages.truncate(1);
    let prompt = json!({"type": "input_text", "text": "System: Be kind.\n\nHuman: see\n\nAssistant:"});
    expected["input"] = json!([said("user", wish), {"type": "message", "role": "user", "content": [prompt]}]);
    check(
        &request,
        Capabilities {
            conversation: false,
            ..able
        },
        &expected,
    );
}

#[test]
fn every_call_has_one_output_right_behind_its_round() {
    let call = |id: &str| ToolCall {
        id: id.into(),
        name: "f".into(),
        arguments: "{\"a\":".into(),
    };
    let result = |id: &str, content: &str| ToolResult {
        call_id: id.into(),
        name: "f".into(),
        status: ToolStatus::Ok,
        content: content.into(),
    };
    let turn = |calls: Vec<ToolCall>| ChatMessage::Assistant {
        text: String::new(),
        calls,
        data: None,
    };
    let long = "x".repeat(80);
    let request = request(vec![
        ChatMessage::user("a"),
        turn(vec![call("1"), call(&long)]),
        ChatMessage::Tool {
            results: vec![result(&long, "two"), result("9", "nobody's")],
        },
        turn(vec![call("1")]),
        ChatMessage::user("b"),
        turn(vec![call("2")]),
    ]);
    let aim = Aim {
        model: "m",
        able: ABLE,
        temperature: true,
        top_p: true,
    };
    let body = serde_json::to_value(body(&request, &Names::new(&[]), aim)).unwrap();
    let input = body["input"].as_array().unwrap();
    let order: Vec<(&str, &str)> = input
        .iter()
        .map(|item| {
            (
                item["type"].as_str().unwrap(),
                item["output"].as_str().unwrap_or_default(),
            )
        })
        .collect();
    let lost = "The result of this call was lost.";
    assert_eq!(
        order,
        [
            ("message", ""),
            ("function_call", ""),
            ("function_call", ""),
            ("function_call_output", lost),
            ("function_call_output", "two"),
            ("message", ""),
            ("function_call", ""),
            ("function_call_output", lost),
            ("message", ""),
            ("function_call", ""),
            ("function_call_output", lost),
        ]
    );
    let ids: Vec<&str> = input.iter().filter_map(|item| item["call_id"].as_str()).collect();
    assert_eq!(ids[..2], ids[2..4]);
    assert!(ids[4] == ids[5] && ids[4] != ids[0], "{ids:?}");
    assert!(ids.iter().all(|id| id.len() <= 40) && input[1]["arguments"] == "{}");
}
