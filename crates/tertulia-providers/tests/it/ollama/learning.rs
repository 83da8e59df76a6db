//! What is learnt of a model, when, and what is made of it.

use std::collections::BTreeMap;

use futures_util::future::join_all;
use serde_json::json;
use tertulia_core::chat::ChatMessage;
use tertulia_core::provider::{Capabilities, Format, ModelRequest, ProviderFault};
use tertulia_message::Generation;
use tertulia_ports::Provider;
use tertulia_providers::{AbilityOverrides, Ollama, OllamaConfig, Overrides, ServerConfig};
use tertulia_testkit::ollama_double::{OllamaDouble, OllamaServer};

use super::{question, start, tool};
use crate::asking::{ask, ollama_config};

const DEFAULTS: Capabilities = Capabilities {
    conversation: false,
    system: false,
    tool_calls: false,
    vision: false,
    thinking: false,
    format: Format::Standard,
    max_context: 4_096,
};

#[tokio::test]
async fn a_model_is_raised_to_what_it_can() {
    let (double, provider) = start(OllamaServer::default().with_model(&["completion", "tools"])).await;
    assert_eq!(provider.capabilities(""), DEFAULTS);
    assert_eq!(provider.probe("", false).await, Ok(()));
    let raised = Capabilities {
        conversation: true,
        system: true,
        tool_calls: true,
        max_context: 16_384,
        ..DEFAULTS
    };
    assert_eq!(provider.capabilities(&OllamaDouble::MODEL.to_uppercase()), raised);
    assert_eq!(provider.capabilities("other"), DEFAULTS);
    double.become_server(OllamaServer::default().with_model(&["completion", "vision", "thinking"]));
    assert_eq!((provider.probe("", false).await, double.shows()), (Ok(()), 1));
    assert_eq!(provider.capabilities(""), raised);
    assert_eq!((provider.probe("", true).await, double.shows()), (Ok(()), 2));
    let other = Capabilities {
        tool_calls: false,
        vision: true,
        thinking: true,
        ..raised
    };
    assert_eq!(provider.capabilities(""), other);
    assert_eq!(double.refusals(), Vec::<String>::new());
}

#[tokio::test]
async fn a_crowd_asks_once() {
    let (double, provider) = start(OllamaServer::default()).await;
    let outcomes = join_all((0..20).map(|_| provider.probe("", false))).await;
    assert!(outcomes.iter().all(Result::is_ok));
    assert_eq!(double.shows(), 1);
    let outcomes = join_all((0..20).map(|_| provider.probe("missing", true))).await;
    assert!(outcomes.iter().all(Result::is_err));
    assert_eq!(double.shows(), 2);
}

#[tokio::test]
async fn failures_have_the_servers_own_words() {
    let (_double, provider) = start(OllamaServer::default()).await;
    let error = provider.probe("nope:1b", true).await.unwrap_err();
    assert_eq!(error.kind, ProviderFault::NoSuchModel);
    assert!(error.detail.contains("model 'nope:1b' not found"), "{error}");
    let (locked, provider) = start(OllamaServer {
        key: Some("another key".into()),
        ..OllamaServer::default()
    })
    .await;
    let error = provider.probe("", true).await.unwrap_err();
    assert_eq!(error.kind, ProviderFault::Unauthorized);
    assert_eq!(locked.refusals().len(), 1);
    let gone = Ollama::new(OllamaConfig::of(ServerConfig {
        model: "m".into(),
        ..ServerConfig::at("ollama", "http://127.0.0.1:9")
    }));
    let error = gone.unwrap().probe("", false).await.unwrap_err();
    assert_eq!(error.kind, ProviderFault::Unreachable);
    let nameless = Ollama::new(OllamaConfig::local()).unwrap();
    let error = nameless.probe("", false).await.unwrap_err();
    assert_eq!(error.kind, ProviderFault::NotConfigured);
    assert!(error.detail.contains("providers.ollama.model"), "{error}");
}

#[tokio::test]
async fn old_servers_show_it_in_their_templates() {
    let server = OllamaServer {
        lists_capabilities: false,
        ..OllamaServer::old()
    };
    let (_double, provider) = start(server).await;
    assert_eq!(provider.probe("", false).await, Ok(()));
    let able = provider.capabilities("");
    assert!(able.conversation && able.tool_calls && able.vision && !able.thinking);
}

#[tokio::test]
async fn the_window_is_what_somebody_said_and_what_is_sent() {
    let check = |said: Option<u64>, allowed: Option<u64>, own: Option<u64>, made_for: u64, expected: (u64, u64)| async move {
        let mut server = OllamaServer::default();
        server.models[0].num_ctx = own;
        server.models[0].context_length = made_for;
        let double = OllamaDouble::start(server).await.unwrap();
        let all = AbilityOverrides {
            max_context: allowed,
            ..AbilityOverrides::default()
        };
        let capabilities = Overrides {
            all,
            models: BTreeMap::new(),
        };
        let config = OllamaConfig {
            num_ctx: said,
            ..OllamaConfig::of(ServerConfig {
                capabilities,
                ..ollama_config(&double).server
            })
        };
        let provider = Ollama::new(config).unwrap();
        assert_eq!(provider.probe("", false).await, Ok(()));
        ask(&provider, question(vec![ChatMessage::user("Hi")])).await;
        let sent = double.calls()[0].request["options"]["num_ctx"].as_u64().unwrap();
        assert_eq!((sent, provider.capabilities("").max_context), expected);
    };
    check(None, None, None, 40_960, (16_384, 16_384)).await;
    check(None, None, None, 2_048, (2_048, 2_048)).await;
    check(None, None, Some(32_768), 40_960, (32_768, 32_768)).await;
    check(None, Some(6_000), Some(32_768), 40_960, (6_000, 6_000)).await;
    check(Some(20_000), Some(6_000), None, 40_960, (20_000, 6_000)).await;
    check(Some(999_999), None, None, 40_960, (40_960, 40_960)).await;
}

#[tokio::test]
async fn the_operator_has_the_last_word() {
    let (double, _) = start(OllamaServer::default()).await;
    let all = AbilityOverrides {
        conversation: Some(false),
        vision: Some(false),
        ..AbilityOverrides::default()
    };
    let config = OllamaConfig::of(ServerConfig {
        capabilities: Overrides {
            all,
            models: BTreeMap::new(),
        },
        ..ollama_config(&double).server
    });
    let provider = Ollama::new(config).unwrap();
    assert_eq!(provider.probe("", false).await, Ok(()));
    let able = provider.capabilities("");
    assert!(!able.conversation && !able.vision && !able.tool_calls && able.thinking);
    let asked = ModelRequest {
        system: "S".into(),
        tools: vec![tool("now")],
        ..question(vec![ChatMessage::user("Hi")])
    };
    let answer = ask(&provider, asked).await;
    assert_eq!(answer.text, OllamaDouble::DEFAULT_ANSWER);
    let call = double.calls().remove(0);
    assert_eq!(call.route, "/api/generate");
    assert_eq!(call.request["prompt"], "System: S\n\nHuman: Hi\n\nAssistant:");
}

#[tokio::test]
async fn nothing_is_asked_of_a_model_that_it_cannot() {
    let (double, provider) = start(OllamaServer::default().with_model(&["completion"])).await;
    assert_eq!(provider.probe("", false).await, Ok(()));
    let asked = ModelRequest {
        tools: vec![tool("now")],
        generation: Generation {
            think: Some(json!(true)),
            ..Generation::default()
        },
        ..question(vec![ChatMessage::user("Hi")])
    };
    assert_eq!(ask(&provider, asked).await.error, None);
    assert_eq!(double.refusals(), Vec::<String>::new());
}

#[tokio::test]
async fn a_server_that_contradicts_itself_is_asked_again() {
    let (double, provider) = start(OllamaServer::default()).await;
    assert_eq!(provider.probe("", false).await, Ok(()));
    double.become_server(OllamaServer::default().with_model(&["completion"]));
    let asked = ModelRequest {
        tools: vec![tool("now")],
        ..question(vec![ChatMessage::user("Hi")])
    };
    let error = ask(&provider, asked.clone()).await.error.unwrap();
    assert_eq!(error.kind, ProviderFault::Rejected);
    assert_eq!((provider.probe("", false).await, double.shows()), (Ok(()), 2));
    assert_eq!(ask(&provider, asked).await.error, None);
}
