//! Bodies, field by field.

use std::sync::Arc;

use serde_json::{Value, json};
use tertulia_core::chat::{ChatMessage, Part, ProviderData, ToolCall, ToolResult, ToolStatus};
use tertulia_core::provider::{Capabilities, ModelRequest};
use tertulia_message::{Generation, Picture, ToolOffer};
use tertulia_testkit::gemini_double::refusal;

use super::{Aim, body};
use crate::google::traits;
use crate::names::Names;

const NEWEST: &str = "gemini-3-flash-preview";
const OLDER: &str = "gemini-2.0-flash";

fn request(messages: Vec<ChatMessage>) -> ModelRequest {
    ModelRequest {
        model: NEWEST.into(),
        system: String::new(),
        messages,
        tools: Vec::new(),
        generation: Generation::default(),
    }
}

#[track_caller]
fn check_able(request: &ModelRequest, model: &str, able: Capabilities, expected: &Value) {
    let names = Names::new(&request.tools);
    let aim = Aim {
        model,
        able,
        traits: traits::of(model),
    };
    let body = serde_json::to_value(body(request, &names, aim)).unwrap();
    assert_eq!(&body, expected);
    assert_eq!(refusal(&body), None);
}

#[track_caller]
fn check(request: &ModelRequest, model: &str, expected: &Value) {
    check_able(request, model, traits::of(model).abilities(None), expected);
}

fn everything() -> ModelRequest {
    let seen = ChatMessage::User {
        parts: vec![
            Part::Text("see".into()),
            Part::Picture(Picture {
                mime: "image/png".into(),
                bytes: Arc::from([0, 1, 2]),
            }),
        ],
    };
    let schema = json!({"type": "object", "properties": {"path": {"type": "string"}}, "additionalProperties": false});
    ModelRequest {
        system: "Be kind.".into(),
        tools: vec![
            ToolOffer {
                name: "now".into(),
                description: "the time".into(),
                parameters: json!({"type": "object", "properties": {}}),
            },
            ToolOffer {
                name: "dir.list".into(),
                description: String::new(),
                parameters: schema.clone(),
            },
        ],
        generation: Generation {
            temperature: Some(0.5),
            top_p: Some(0.9),
            max_tokens: Some(100),
            stop: vec!["END".into()],
            seed: Some(-1),
            format: Some(schema),
            think: Some(json!("low")),
        },
        ..request(vec![
            ChatMessage::user("a"),
            ChatMessage::user("and"),
            ChatMessage::assistant("b"),
            ChatMessage::assistant(""),
            seen,
        ])
    }
}

#[test]
fn a_bare_question() {
    let expected = json!({"contents": [{"role": "user", "parts": [{"text": "Hi"}]}], "generationConfig": {}});
    check(&request(vec![ChatMessage::user("Hi")]), NEWEST, &expected);
}

#[test]
fn everything_that_can_be_asked() {
    let schema = json!({"type": "object", "properties": {"path": {"type": "string"}}, "additionalProperties": false});
    let subset = json!({"type": "object", "properties": {"path": {"type": "string"}}});
    let mut expected = json!({
        "systemInstruction": {"parts": [{"text": "Be kind."}]},
        "contents": [
            {"role": "user", "parts": [{"text": "a"}, {"text": "and"}]},
            {"role": "model", "parts": [{"text": "b"}]},
            {"role": "user", "parts": [{"text": "see"}, {"inlineData": {"mimeType": "image/png", "data": "AAEC"}}]},
        ],
        "tools": [{"functionDeclarations": [
            {"name": "now", "description": "the time"},
            {"name": "dir_list", "parametersJsonSchema": schema},
        ]}],
        "generationConfig": {
            "temperature": 0.5, "topP": 0.9, "maxOutputTokens": 100, "stopSequences": ["END"], "seed": 0x7fff_ffff,
            "responseMimeType": "application/json", "responseJsonSchema": schema,
            "thinkingConfig": {"includeThoughts": true, "thinkingLevel": "LOW"},
        },
    });
    check(&everything(), NEWEST, &expected);
    // an older model takes no tools beside a format, and no thinking
    let fields = expected.as_object_mut().unwrap();
    let tools = fields.remove("tools");
    let generation = fields["generationConfig"].as_object_mut().unwrap();
    generation.remove("thinkingConfig");
    generation.remove("responseJsonSchema");
    generation.insert("responseSchema".into(), subset.clone());
    check(&everything(), OLDER, &expected);
    let fields = expected.as_object_mut().unwrap();
    let generation = fields["generationConfig"].as_object_mut().unwrap();
    generation.remove("responseSchema");
    generation.remove("responseMimeType");
    let mut tools = tools.unwrap();
    tools[0]["functionDeclarations"][1] = json!({"name": "dir_list", "parameters": subset});
    fields.insert("tools".into(), tools);
    let mut formless = everything();
    formless.generation.format = None;
    check(&formless, OLDER, &expected);
}

#[test]
fn a_model_gets_nothing_that_it_cannot_take() {
    let able = Capabilities {
        vision: false,
        tool_calls: false,
        thinking: false,
        ..traits::of("gemma-3-27b-it").abilities(None)
    };
    let mut request = everything();
    request.generation = Generation {
        format: Some(json!("json")),
        ..Generation::default()
    };
    let mut expected = json!({
        "contents": [
            {"role": "user", "parts": [{"text": "Be kind."}, {"text": "a"}, {"text": "and"}]},
            {"role": "model", "parts": [{"text": "b"}]},
            {"role": "user", "parts": [{"text": "see"}, {"text": "[a picture that you cannot see]"}]},
        ],
        "generationConfig": {"responseMimeType": "application/json"},
    });
    check_able(&request, "gemma-3-27b-it", able, &expected);
    let prompt =
        "System: Be kind.\n\nConversation History:\nuser: a\n\nuser: and\n\nassistant: b\n\nHuman: see\n\nAssistant:";
    expected["contents"] = json!([{"role": "user", "parts": [
        {"text": prompt}, {"inlineData": {"mimeType": "image/png", "data": "AAEC"}}]}]);
    expected["generationConfig"]["stopSequences"] = json!(["\n\nHuman:"]);
    let completes = Capabilities {
        conversation: false,
        vision: true,
        ..able
    };
    request.messages.remove(3);
    check_able(&request, NEWEST, completes, &expected);
}

#[test]
fn a_conversation_begins_with_a_person() {
    let begin = "[what was said before is not here]";
    let mut expected = json!({"contents": [{"role": "user", "parts": [{"text": begin}]}], "generationConfig": {}});
    check(&request(vec![ChatMessage::user("")]), NEWEST, &expected);
    let model = json!({"role": "model", "parts": [{"text": "b"}]});
    expected["contents"].as_array_mut().unwrap().push(model);
    check(&request(vec![ChatMessage::assistant("b")]), NEWEST, &expected);
}

fn call(id: &str, arguments: &str) -> ToolCall {
    ToolCall {
        id: id.into(),
        name: "dir.list".into(),
        arguments: arguments.into(),
    }
}

fn result(id: &str, status: ToolStatus, content: &str) -> ToolResult {
    ToolResult {
        call_id: id.into(),
        name: "dir.list".into(),
        status,
        content: content.into(),
    }
}

fn kept(model: &str, owned: &Value) -> ProviderData {
    ProviderData {
        kind: "google".into(),
        model: model.into(),
        bytes: owned.to_string().into_bytes(),
    }
}

#[test]
fn rounds_of_tools_are_paired_and_signatures_return_to_their_parts() {
    let signed = json!({"length": 4, "texts": [{"from": 4, "to": 4, "signature": "t"}], "calls": {"0": "s"}});
    let request = request(vec![
        ChatMessage::user("go"),
        ChatMessage::Assistant {
            text: "Wait".into(),
            calls: vec![call("a", "{\"x\": 1}"), call("b", ""), call("c", "{\"cut")],
            data: Some(kept(NEWEST, &signed)),
        },
        ChatMessage::Tool {
            results: vec![
                result("b", ToolStatus::Failed, "two"),
                result("a", ToolStatus::Ok, "one"),
                result("z", ToolStatus::Ok, "stray"),
            ],
        },
        ChatMessage::user("and?"),
        ChatMessage::Assistant {
            text: String::new(),
            calls: vec![call("d", "{}")],
            data: Some(kept(NEWEST, &json!({"length": 0}))),
        },
    ]);
    let wire = |id: &str, args: Value| json!({"id": id, "name": "dir_list", "args": args});
    let answer =
        |id: &str, response: Value| json!({"functionResponse": {"id": id, "name": "dir_list", "response": response}});
    let lost = json!({"error": "The result of this call was lost."});
    let expected = json!({
        "contents": [
            {"role": "user", "parts": [{"text": "go"}]},
            {"role": "model", "parts": [
                {"text": "Wait"}, {"text": "", "thoughtSignature": "t"},
                {"functionCall": wire("a", json!({"x": 1})), "thoughtSignature": "s"},
                {"functionCall": wire("b", json!({}))},
                {"functionCall": wire("c", json!({"unreadable": "{\"cut"}))},
            ]},
            {"role": "user", "parts": [
                answer("a", json!({"output": "one"})), answer("b", json!({"error": "two"})), answer("c", lost.clone())]},
            {"role": "user", "parts": [{"text": "Result of dir.list:\nstray"}, {"text": "and?"}]},
            {"role": "model", "parts": [{"functionCall": wire("d", json!({}))}]},
            {"role": "user", "parts": [answer("d", lost)]},
        ],
        "generationConfig": {},
    });
    check(&request, NEWEST, &expected);
}

#[test]
fn calls_of_another_model_go_as_text() {
    for data in [
        None,
        Some(kept("gemini-2.5-pro", &json!({"length": 4, "calls": {"0": "s"}}))),
    ] {
        let request = request(vec![
            ChatMessage::user("go"),
            ChatMessage::Assistant {
                text: "Wait".into(),
                calls: vec![call("a", "{\"x\": 1}")],
                data,
            },
            ChatMessage::Tool {
                results: vec![result("a", ToolStatus::Ok, "one")],
            },
        ]);
        let expected = json!({
            "contents": [
                {"role": "user", "parts": [{"text": "go"}]},
                {"role": "model", "parts": [{"text": "Wait"}, {"text": "Called dir.list with {\"x\": 1}"}]},
                {"role": "user", "parts": [{"text": "Result of dir.list:\none"}]},
            ],
            "generationConfig": {},
        });
        check(&request, NEWEST, &expected);
    }
}
