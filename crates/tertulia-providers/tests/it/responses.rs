//! The Responses API against a strict server.

pub(crate) mod double;
pub(crate) mod rules;

use std::time::Duration;

use serde_json::json;
use tertulia_core::chat::{ChatMessage, ProviderData, ToolCall, ToolResult, ToolStatus};
use tertulia_core::provider::{ModelRequest, ProviderFault, Stop};
use tertulia_message::ToolOffer;
use tertulia_ports::Provider;
use tertulia_providers::{OpenAi, OpenAiApi, OpenAiConfig, ServerConfig};

use crate::asking::{Answer, CANARY, ask, question};

use double::{ResponsesDouble, Scene, event};

async fn answer_to(scene: Scene) -> Answer {
    let double = ResponsesDouble::start().await;
    double.push(scene);
    let answer = ask(&double.provider(), asking(question().messages)).await;
    assert_eq!(double.refusals(), Vec::<String>::new());
    answer
}

fn asking(messages: Vec<ChatMessage>) -> ModelRequest {
    ModelRequest {
        model: ResponsesDouble::MODEL.into(),
        messages,
        ..question()
    }
}

fn events(events: &[serde_json::Value]) -> Scene {
    Scene::Events(events.iter().map(event).collect(), Duration::ZERO)
}

fn ended(status: &str, more: &serde_json::Value) -> serde_json::Value {
    let mut response = json!({"status": status, "output": []});
    response
        .as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    json!({"type": format!("response.{status}"), "response": response})
}

#[tokio::test]
async fn thoughts_come_back_with_the_calls_they_led_to() {
    let double = ResponsesDouble::start().await;
    let thought = json!({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "sealed"});
    let call = json!({"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "a_b", "arguments": "{}",
        "status": "completed"});
    double.push(events(&[
        json!({"type": "response.output_item.done", "output_index": 0, "item": thought}),
        json!({"type": "response.output_item.done", "output_index": 1, "item": call}),
        ended("completed", &json!({})),
    ]));
    let provider = double.provider();
    let tools = vec![ToolOffer {
        name: "a.b".into(),
        description: String::new(),
        parameters: json!(null),
    }];
    let first = ModelRequest {
        tools,
        ..asking(vec![ChatMessage::user("Hi")])
    };
    let answer = ask(&provider, first.clone()).await;
    assert_eq!(
        (answer.stop, answer.calls[0].name.as_deref()),
        (Some(Stop::ToolCalls), Some("a.b"))
    );
    let calls = vec![ToolCall {
        id: "call_1".into(),
        name: "a.b".into(),
        arguments: "{}".into(),
    }];
    let results = vec![ToolResult {
        call_id: "call_1".into(),
        name: "a.b".into(),
        status: ToolStatus::Ok,
        content: "7".into(),
    }];
    let round = |data: Option<ProviderData>| {
        let text = String::new();
        let mut messages = first.messages.clone();
        messages.push(ChatMessage::Assistant {
            text,
            calls: calls.clone(),
            data,
        });
        messages.push(ChatMessage::Tool {
            results: results.clone(),
        });
        ModelRequest {
            messages,
            ..first.clone()
        }
    };
    ask(&provider, round(answer.data.clone())).await;
    ask(
        &provider,
        ModelRequest {
            model: "gpt-4o".into(),
            ..round(answer.data)
        },
    )
    .await;
    assert_eq!(double.refusals(), Vec::<String>::new());
    let asked = double.asked();
    let output = json!({"type": "function_call_output", "call_id": "call_1", "output": "7"});
    let bare = json!({"type": "function_call", "call_id": "call_1", "name": "a_b", "arguments": "{}"});
    let mut with_id = bare.clone();
    with_id["id"] = "fc_1".into();
    let question = json!({"type": "message", "role": "user", "content": "Hi"});
    assert_eq!(asked[1]["input"], json!([question, thought, with_id, output]));
    assert_eq!(asked[2]["input"], json!([question, bare, output]));
    assert_eq!(asked[1]["include"], json!(["reasoning.encrypted_content"]));
    assert_eq!(asked[2].get("include"), None);
}

#[tokio::test]
async fn ends_say_why() {
    let text = json!({"type": "response.output_text.delta", "output_index": 0, "delta": "Hi"});
    let reason = |reason: &str| json!({"incomplete_details": {"reason": reason}});
    for (end, expected) in [
        (ended("completed", &json!({})), Stop::Done),
        (ended("incomplete", &reason("max_output_tokens")), Stop::Length),
        (ended("incomplete", &reason("content_filter")), Stop::Filtered),
    ] {
        let answer = answer_to(events(&[text.clone(), end])).await;
        assert_eq!((answer.text.as_str(), answer.stop), ("Hi", Some(expected)));
    }
    let failed = json!({"error": {"code": "rate_limit_exceeded", "message": "slow"}});
    for (last, expected) in [
        (
            vec![ended("failed", &failed)],
            ProviderFault::RateLimited { after: None },
        ),
        (vec![ended("incomplete", &json!({}))], ProviderFault::Broken),
        (vec![ended("cancelled", &json!({}))], ProviderFault::Broken),
        (
            vec![json!({"type": "error", "code": "server_error", "message": "oh"})],
            ProviderFault::Unavailable { after: None },
        ),
        (vec![], ProviderFault::Broken),
    ] {
        let said: Vec<_> = std::iter::once(text.clone()).chain(last).collect();
        let answer = answer_to(events(&said)).await;
        assert_eq!((answer.text.as_str(), answer.error.unwrap().kind), ("Hi", expected));
    }
}

#[tokio::test]
async fn a_refusal_is_read_and_marked() {
    let refusal = answer_to(events(&[
        json!({"type": "response.refusal.delta", "output_index": 0, "delta": "I will "}),
        json!({"type": "response.refusal.delta", "output_index": 0, "delta": "not."}),
        json!({"type": "response.output_item.done", "output_index": 0, "item": {"type": "message",
            "content": [{"type": "refusal", "refusal": "I will not."}]}}),
        ended("completed", &json!({})),
    ]))
    .await;
    assert_eq!(
        (refusal.text.as_str(), refusal.stop),
        ("I will not.", Some(Stop::Filtered))
    );
}

#[tokio::test]
async fn whole_answers_of_other_shapes_are_no_answers() {
    for body in [
        "{}",
        "[]",
        "7",
        r#"{"output":[],"status":"queued"}"#,
        r#"{"choices":[]}"#,
        "not json",
    ] {
        let answer = answer_to(Scene::Plain(200, "application/json", body.into())).await;
        assert_eq!(answer.error.unwrap().kind, ProviderFault::Broken, "{body}");
    }
    let page = answer_to(Scene::Plain(200, "text/html", "<p>".into())).await;
    assert!(page.error.unwrap().detail.contains("base_url"));
}

#[tokio::test]
async fn probing_asks_for_the_list_of_models() {
    let double = ResponsesDouble::start().await;
    assert_eq!(double.provider().probe("", true).await, Ok(()));
    let stranger = OpenAi::new(OpenAiConfig {
        server: ServerConfig {
            api_key: Some("another".into()),
            ..double.config().server
        },
        api: OpenAiApi::Responses,
        ..double.config()
    })
    .unwrap();
    let error = stranger.probe("", true).await.unwrap_err();
    assert_eq!(error.kind, ProviderFault::Unauthorized);
    assert!(!error.to_string().contains(CANARY));
    let unkeyed = OpenAi::new(OpenAiConfig {
        api: OpenAiApi::Responses,
        ..OpenAiConfig::official()
    })
    .unwrap();
    assert_eq!(unkeyed.missing_setting(), Some("providers.openai.api_key_file"));
    assert_eq!(
        unkeyed.probe("", true).await.unwrap_err().kind,
        ProviderFault::NotConfigured
    );
}
