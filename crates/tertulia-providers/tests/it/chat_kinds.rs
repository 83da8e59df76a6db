//! The kinds of OpenAI's chat shape, each against a strict server with its ways.

use serde_json::{Value, json};
use tertulia_core::chat::{ChatMessage, ProviderData, ToolCall, ToolResult, ToolStatus};
use tertulia_core::provider::{ModelRequest, ProviderFault, Stop};
use tertulia_message::Generation;
use tertulia_ports::Provider;
use tertulia_providers::{DeepSeek, DeepSeekConfig, OpenRouter, OpenRouterConfig, ServerConfig};
use tertulia_testkit::model_double::{Habits, ModelDouble, Script, Speech, Strictness};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::asking::{Answer, CANARY, accept_question, ask, provider_at, question, request};

/// A server with such ways.
pub(crate) async fn double(habits: Habits) -> ModelDouble {
    let strictness = Strictness {
        key: Some(CANARY.into()),
        models: Vec::new(),
    };
    ModelDouble::start_as(habits, strictness).await.unwrap()
}

pub(crate) fn deepseek_at(base_url: impl Into<String>) -> DeepSeek {
    DeepSeek::new(DeepSeekConfig::of(ServerConfig {
        api_key: Some(CANARY.into()),
        ..ServerConfig::at("deepseek", base_url)
    }))
    .unwrap()
}

pub(crate) fn openrouter_at(base_url: impl Into<String>) -> OpenRouter {
    OpenRouter::new(OpenRouterConfig::of(ServerConfig {
        api_key: Some(CANARY.into()),
        model: ModelDouble::MODEL.into(),
        ..ServerConfig::at("openrouter", base_url)
    }))
    .unwrap()
}

fn thoughtful_calls() -> Script {
    let Script::Say(speech) = Script::calls([("a", "now", "{\"zone\": 1}"), ("b", "now", "{}")]) else {
        unreachable!("calls are said")
    };
    Script::Say(Speech {
        thinking: "Hm, what time is it?".into(),
        ..speech
    })
}

/// The question that follows a round of calls.
fn follow_up(answer: &Answer, data: Option<ProviderData>) -> ModelRequest {
    let calls: Vec<ToolCall> = answer
        .calls
        .iter()
        .map(|call| ToolCall {
            id: call.id.clone().unwrap(),
            name: call.name.clone().unwrap(),
            arguments: call.arguments.clone(),
        })
        .collect();
    let result = |call: &ToolCall| ToolResult {
        call_id: call.id.clone(),
        name: call.name.clone(),
        status: ToolStatus::Ok,
        content: "noon".into(),
    };
    let results = calls.iter().map(result).collect();
    request(vec![
        ChatMessage::user("Hi"),
        ChatMessage::Assistant {
            text: answer.text.clone(),
            calls,
            data,
        },
        ChatMessage::Tool { results },
    ])
}

async fn round(provider: &dyn Provider, double: &ModelDouble) -> (Answer, Value) {
    double.push(thoughtful_calls());
    let answer = ask(provider, question()).await;
    assert_eq!(answer.thinking, "Hm, what time is it?");
    assert_eq!((answer.stop, answer.calls.len()), (Some(Stop::ToolCalls), 2));
    assert_eq!(answer.calls[0].arguments, "{\"zone\": 1}");
    assert!(answer.signs_of_life > 0, "{answer:?}");
    let second = ask(provider, follow_up(&answer, answer.data.clone())).await;
    assert_eq!(second.text, ModelDouble::DEFAULT_ANSWER, "{second:?}");
    assert_eq!(double.refusals(), Vec::<String>::new());
    let turn = double.requests()[1]["messages"][1].clone();
    (answer, turn)
}

#[tokio::test]
async fn deepseek_gets_its_thoughts_back_with_its_calls() {
    let double = double(Habits::DeepSeek).await;
    let provider = deepseek_at(double.base_url());
    let (answer, turn) = round(&provider, &double).await;
    assert_eq!(turn["reasoning_content"], "Hm, what time is it?");
    assert_eq!((answer.usage.tokens_in, answer.usage.cache_read), (Some(11), Some(5)));
    assert_eq!(answer.usage.cost, None);
    // what was not thought by this very model
    for data in [
        None,
        answer.data.clone().map(|data| ProviderData {
            model: "another".into(),
            ..data
        }),
    ] {
        let told = ask(&provider, follow_up(&answer, data)).await;
        assert_eq!(told.text, ModelDouble::DEFAULT_ANSWER, "{told:?}");
        let last = double.requests().pop().unwrap();
        assert_eq!(last["thinking"], json!({"type": "disabled"}));
        assert_eq!(last["messages"][1]["reasoning_content"], Value::Null);
    }
    assert_eq!(double.refusals(), Vec::<String>::new());
}

#[tokio::test]
async fn deepseek_is_told_in_words_what_json_to_write() {
    let double = double(Habits::DeepSeek).await;
    let provider = deepseek_at(double.base_url());
    let schema = json!({"type": "object", "properties": {"age": {"type": "integer"}}});
    let generation = Generation {
        format: Some(schema.clone()),
        think: Some(json!("high")),
        max_tokens: Some(9),
        seed: Some(1),
        ..Generation::default()
    };
    let asking = ModelRequest {
        generation,
        ..question()
    };
    ask(&provider, asking).await;
    let asked = double.requests().pop().unwrap();
    assert_eq!(asked["response_format"], json!({"type": "json_object"}));
    let system = asked["messages"][0]["content"].as_str().unwrap();
    assert!(
        system.contains("JSON") && system.ends_with(&schema.to_string()),
        "{system}"
    );
    assert_eq!(
        (&asked["thinking"], &asked["reasoning_effort"], &asked["max_tokens"]),
        (&json!({"type": "enabled"}), &json!("high"), &json!(9))
    );
    assert_eq!(double.refusals(), Vec::<String>::new());
}

#[tokio::test]
async fn openrouter_gets_its_details_back_and_says_what_it_cost() {
    let double = double(Habits::OpenRouter).await;
    let provider = openrouter_at(double.base_url());
    let (answer, turn) = round(&provider, &double).await;
    assert_eq!(answer.calls[0].index, 1);
    assert_eq!(answer.usage.cost, Some(123_000));
    let detail = json!({"type": "reasoning.text", "index": 0, "format": "unknown", "text": "Hm, what time is it?",
        "signature": "signed"});
    assert_eq!(turn["reasoning_details"], json!([detail]));
    let foreign = answer.data.clone().map(|data| ProviderData {
        kind: "deepseek".into(),
        ..data
    });
    ask(&provider, follow_up(&answer, foreign)).await;
    let last = double.requests().pop().unwrap();
    assert_eq!(last["messages"][1]["reasoning_details"], Value::Null);
    assert_eq!(double.refusals(), Vec::<String>::new());
}

#[tokio::test]
async fn openrouter_learns_from_its_list_what_models_can() {
    let double = double(Habits::OpenRouter).await;
    let provider = openrouter_at(double.base_url());
    let before = provider.capabilities("");
    assert_eq!((before.vision, before.thinking), (false, false));
    assert_eq!(provider.probe("", false).await, Ok(()));
    let able = provider.capabilities(ModelDouble::MODEL);
    assert_eq!(
        (able.vision, able.thinking, able.tool_calls, able.max_context),
        (true, true, true, 65_536)
    );
    assert_eq!(provider.capabilities("double-1:free"), able);
    assert_eq!(provider.probe("", true).await, Ok(()));
    assert_eq!(provider.probe("nobody/none", false).await, Ok(()));
    let unknown = provider.probe("nobody/none", true).await.unwrap_err();
    assert_eq!(unknown.kind, ProviderFault::NoSuchModel);
    assert_eq!(provider.capabilities("nobody/none"), before);
}

#[tokio::test]
async fn a_list_that_is_not_there_or_not_understood_stops_no_turn() {
    for (status, body) in [("404 No", ""), ("500 No", ""), ("200 OK", "[]"), ("200 OK", "{")] {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let provider = openrouter_at(format!("http://{}", listener.local_addr().unwrap()));
        let response = format!(
            "HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
            body.len()
        );
        for fresh in [false, true] {
            let serve = async {
                let (mut connection, _) = listener.accept().await.unwrap();
                let mut asked = [0; 4096];
                assert!(connection.read(&mut asked).await.unwrap() > 0);
                connection.write_all(response.as_bytes()).await.unwrap();
            };
            let (probed, ()) = tokio::join!(provider.probe("", fresh), serve);
            assert_eq!(
                probed.is_ok(),
                !fresh || status == "404 No",
                "{status} {body}: {probed:?}"
            );
        }
    }
}

#[tokio::test]
async fn openrouter_is_told_of_the_site_only_where_that_is_wanted() {
    for told in [false, true] {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let site = |text: &str| told.then(|| text.to_owned());
        let provider = OpenRouter::new(OpenRouterConfig {
            site_url: site("https://bot.example"),
            site_name: site("My Bot"),
            ..OpenRouterConfig::at(base)
        })
        .unwrap();
        let serve = async { accept_question(&listener).await.1 };
        let (_, asked) = tokio::join!(ask(&provider, question()), serve);
        let asked = asked.to_lowercase();
        for header in ["referer: https://bot.example", "x-title: my bot"] {
            assert_eq!(asked.contains(header), told, "{asked}");
        }
        assert!(
            told || !(asked.contains("referer") || asked.contains("x-title")),
            "{asked}"
        );
    }
}

#[tokio::test]
async fn who_was_asked_behind_openrouter_is_for_operators() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let provider = openrouter_at(format!("http://{}", listener.local_addr().unwrap()));
    let raw = format!("upstream {CANARY} https://u:{CANARY}@h/ {}", "x".repeat(5_000));
    let body = json!({"error": {"code": 502, "message": "Provider returned error",
        "metadata": {"provider_name": "Minimax", "raw": raw}}})
    .to_string();
    for head in ["502 Bad", "200 OK"] {
        let response = format!(
            "HTTP/1.1 {head}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
            body.len()
        );
        let serve = async {
            let (mut connection, _) = accept_question(&listener).await;
            connection.write_all(response.as_bytes()).await.unwrap();
        };
        let (answer, ()) = tokio::join!(ask(&provider, question()), serve);
        let error = answer.error.unwrap();
        assert_eq!(error.kind, ProviderFault::Unavailable { after: None });
        assert!(
            error
                .detail
                .contains("Provider returned error: Minimax: upstream [hidden]"),
            "{error}"
        );
        assert!(!error.detail.contains(CANARY) && error.detail.chars().count() <= 500);
    }
}

fn refused(code: &str, message: &str) -> Script {
    Script::Fail {
        status: 400,
        retry_after: None,
        code: code.into(),
        message: message.into(),
    }
}

#[tokio::test]
async fn a_refused_parameter_is_left_out_from_then_on() {
    let double = double(Habits::OpenAi).await;
    let provider = provider_at(double.base_url());
    let asking = || ModelRequest {
        system: "Be kind.".into(),
        generation: Generation {
            temperature: Some(0.5),
            max_tokens: Some(9),
            ..Generation::default()
        },
        ..question()
    };
    let role = "Unsupported value: 'messages[0].role' does not support 'system' with this model.";
    double.push(refused(
        "unsupported_parameter",
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    ));
    double.push(refused("unsupported_value", role));
    double.push(refused(
        "unsupported_value",
        "Unsupported value: 'temperature' does not support 0.5 with this model.",
    ));
    for asked in [4, 5] {
        let answer = ask(&provider, asking()).await;
        assert_eq!(answer.text, ModelDouble::DEFAULT_ANSWER, "{answer:?}");
        let requests = double.requests();
        assert_eq!(requests.len(), asked);
        let last = &requests[asked - 1];
        assert_eq!(last["messages"], json!([{"role": "user", "content": "Be kind.\n\nHi"}]));
        assert_eq!(
            (
                &last["max_completion_tokens"],
                &last["max_tokens"],
                &last["temperature"]
            ),
            (&json!(9), &Value::Null, &Value::Null)
        );
    }
}

#[tokio::test]
async fn a_server_that_insists_on_turns_gets_them() {
    let double = double(Habits::OpenAi).await;
    let provider = provider_at(double.base_url());
    let asking = || request(vec![ChatMessage::user("One."), ChatMessage::user("Two.")]);
    double.push(refused(
        "",
        "Conversation roles must alternate user/assistant/user/assistant/...",
    ));
    for asked in [2, 3] {
        assert_eq!(ask(&provider, asking()).await.text, ModelDouble::DEFAULT_ANSWER);
        let requests = double.requests();
        assert_eq!(requests.len(), asked);
        assert_eq!(
            requests[asked - 1]["messages"],
            json!([{"role": "user", "content": "One.\n\nTwo."}])
        );
    }
}

#[tokio::test]
async fn a_server_that_refuses_everything_is_not_asked_for_ever() {
    let double = double(Habits::OpenAi).await;
    let provider = provider_at(double.base_url());
    let asking = ModelRequest {
        generation: Generation {
            temperature: Some(0.5),
            seed: Some(1),
            ..Generation::default()
        },
        ..question()
    };
    for _ in 0..9 {
        double.push(refused(
            "unsupported_parameter",
            "temperature and seed are not supported",
        ));
    }
    let error = ask(&provider, asking).await.error.unwrap();
    assert_eq!(error.kind, ProviderFault::Rejected);
    assert_eq!(double.requests().len(), 3);
    let other = ask(&provider, question()).await.error.unwrap();
    assert_eq!((other.kind, double.requests().len()), (ProviderFault::Rejected, 4));
}
