//! The Messages API against a strict server.

pub(crate) mod double;
mod histories;
pub(crate) mod rules;

use std::time::Duration;

use serde_json::{Value, json};
use tertulia_core::chat::{ChatMessage, ToolCall};
use tertulia_core::provider::{ModelRequest, ProviderFault, Stop};
use tertulia_ports::Provider;
use tertulia_providers::{AbilityOverrides, Anthropic, AnthropicConfig, Overrides, ServerConfig};

use crate::asking::{Answer, CANARY, ask, question};

use double::{AnthropicDouble, Scene, event, text_events};

fn asking() -> ModelRequest {
    ModelRequest {
        model: AnthropicDouble::MODEL.into(),
        ..question()
    }
}

async fn answer_to(scene: Scene) -> Answer {
    let double = AnthropicDouble::start().await;
    double.push(scene);
    let answer = ask(&double.provider(), asking()).await;
    assert_eq!(double.refusals(), Vec::<String>::new());
    answer
}

fn fault(answer: Answer) -> ProviderFault {
    answer.error.unwrap().kind
}

#[tokio::test]
async fn probing_asks_for_the_model_only_when_it_must() {
    let double = AnthropicDouble::start().await;
    let provider = double.provider();
    assert_eq!(provider.probe(AnthropicDouble::MODEL, true).await, Ok(()));
    assert_eq!(provider.probe("", true).await, Ok(()));
    let unknown = provider.probe("claude-none", true).await.unwrap_err();
    assert_eq!(unknown.kind, ProviderFault::NoSuchModel);
    assert!(!unknown.to_string().contains("req_secret"), "{unknown}");
    assert_eq!(provider.probe("claude-none", false).await, Ok(()));
    let config = AnthropicConfig::of(ServerConfig {
        api_key: Some("another".into()),
        ..double.config().server
    });
    let stranger = Anthropic::new(config).unwrap();
    let error = stranger.probe("", true).await.unwrap_err();
    assert_eq!(error.kind, ProviderFault::Unauthorized);
    // a list of models is not there, which is enough
    let unnamed = AnthropicConfig::of(ServerConfig {
        model: String::new(),
        ..double.config().server
    });
    assert_eq!(Anthropic::new(unnamed).unwrap().probe("", true).await, Ok(()));
}

#[tokio::test]
async fn half_answers_are_failures_that_keep_their_text() {
    let whole = text_events(&["Hel", "lo"]);
    for cut in 0..whole.len() {
        let answer = answer_to(Scene::Events(whole[..cut].to_vec(), Duration::ZERO)).await;
        assert!("Hello".starts_with(&answer.text), "{}", answer.text);
        assert_eq!(fault(answer), ProviderFault::Broken, "cut after {cut}");
    }
    let answer = answer_to(Scene::Events(whole, Duration::ZERO)).await;
    assert_eq!((answer.text.as_str(), answer.stop), ("Hello", Some(Stop::Done)));
}

#[tokio::test]
async fn what_is_no_answer_is_a_failure() {
    let check = async |status: u16, kind: &'static str, body: &str, expected: ProviderFault| {
        let answer = answer_to(Scene::Plain(status, kind, body.into())).await;
        assert_eq!(fault(answer), expected, "{body}");
    };
    check(200, "text/html", "<html>", ProviderFault::Broken).await;
    check(200, "application/json", "{", ProviderFault::Broken).await;
    check(200, "application/json", "[]", ProviderFault::Broken).await;
    check(200, "text/event-stream", "data: \u{fffd}{\n\n", ProviderFault::Broken).await;
    check(200, "text/event-stream", "", ProviderFault::Broken).await;
    let refused =
        r#"{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low"}}"#;
    check(400, "application/json", refused, ProviderFault::Billing).await;
    check(200, "application/json", refused, ProviderFault::Billing).await;
    let full = r#"{"content":[{"type":"text","text":"a"}],"stop_reason":"model_context_window_exceeded"}"#;
    check(200, "application/json", full, ProviderFault::ContextTooLong).await;
    let line = format!("data: {}", "x".repeat(2 << 20));
    check(200, "text/event-stream", &line, ProviderFault::Broken).await;
}

#[tokio::test]
async fn a_missing_key_is_named_and_no_key_is_shown() {
    let provider = Anthropic::new(AnthropicConfig::official()).unwrap();
    assert_eq!(provider.missing_setting(), Some("providers.anthropic.api_key_file"));
    assert_eq!(fault(ask(&provider, asking()).await), ProviderFault::NotConfigured);
    let told = format!(r#"{{"type":"error","error":{{"type":"authentication_error","message":"bad {CANARY}"}}}}"#);
    for scene in [
        Scene::Plain(401, "application/json", told.clone()),
        Scene::Events(vec![event(&told)], Duration::ZERO),
    ] {
        let error = answer_to(scene).await.error.unwrap();
        assert_eq!(error.kind, ProviderFault::Unauthorized);
        assert!(!error.to_string().contains(CANARY), "{error}");
    }
    let double = AnthropicDouble::start().await;
    let shown = format!("{:?} {}", double.provider(), double.provider().describe());
    assert!(!shown.contains(CANARY), "{shown}");
}

#[tokio::test]
async fn overruled_abilities_change_the_layout() {
    let double = AnthropicDouble::start().await;
    let with = |all: AbilityOverrides| {
        let capabilities = Overrides {
            all,
            ..Overrides::default()
        };
        let config = AnthropicConfig::of(ServerConfig {
            capabilities,
            ..double.config().server
        });
        Anthropic::new(config).unwrap()
    };
    let asking = ModelRequest {
        system: "Be kind.".into(),
        messages: vec![
            ChatMessage::user("a"),
            ChatMessage::Assistant {
                text: String::new(),
                calls: vec![ToolCall {
                    id: "functions.now:0".into(),
                    name: "now".into(),
                    arguments: String::new(),
                }],
                data: None,
            },
        ],
        ..asking()
    };
    let no = Some(false);
    for all in [
        AbilityOverrides::default(),
        AbilityOverrides {
            system: no,
            ..AbilityOverrides::default()
        },
        AbilityOverrides {
            conversation: no,
            ..AbilityOverrides::default()
        },
    ] {
        ask(&with(all), asking.clone()).await;
    }
    assert_eq!(double.refusals(), Vec::<String>::new());
    let asked = double.asked();
    let first = |asked: &Value| asked["messages"][0]["content"][0]["text"].as_str().unwrap().to_owned();
    assert_eq!(
        (&asked[0]["system"], first(&asked[0])),
        (&json!("Be kind."), "a".into())
    );
    assert_eq!(
        (&asked[1]["system"], first(&asked[1])),
        (&Value::Null, "Be kind.".into())
    );
    assert_eq!(asked[2]["messages"].as_array().unwrap().len(), 1);
    assert!(first(&asked[2]).starts_with("System: Be kind."), "{}", first(&asked[2]));
}
