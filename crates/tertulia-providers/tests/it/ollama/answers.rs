//! Answers of the double, and what happens when nobody wants them any more.

use std::time::Duration;

use futures_util::StreamExt;
use serde_json::json;
use tertulia_core::chat::ChatMessage;
use tertulia_core::provider::{CallDelta, ModelRequest, ProviderFault, Stop, Usage};
use tertulia_ports::Provider;
use tertulia_providers::{Ollama, OllamaConfig, ServerConfig};
use tertulia_testkit::model_double::Ending;
use tertulia_testkit::ollama_double::{OllamaDouble, OllamaScript, OllamaServer};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::{question, start, tool};
use crate::asking::{CANARY, accept_question, ask, ollama_config};

fn hello() -> ModelRequest {
    question(vec![ChatMessage::user("Hi")])
}

#[tokio::test]
async fn a_whole_answer_with_everything() {
    let (double, provider) = start(OllamaServer::default()).await;
    assert_eq!(provider.probe("", false).await, Ok(()));
    let call = |name: &str| json!({"function": {"index": 0, "name": name, "arguments": {"path": "/"}}});
    double.push(OllamaScript::messages(vec![
        json!({"thinking": "Hm."}),
        json!({"content": "Grüße 😀 "}),
        json!({"content": "an alle", "tool_calls": [call("dir_list")]}),
        json!({"tool_calls": [call("now")]}),
    ]));
    let asked = ModelRequest {
        tools: vec![tool("dir.list"), tool("now")],
        ..hello()
    };
    let answer = ask(&provider, asked).await;
    assert_eq!(
        (answer.text.as_str(), answer.thinking.as_str()),
        ("Grüße 😀 an alle", "Hm.")
    );
    let called = |index, name: &str| CallDelta {
        index,
        id: None,
        name: Some(name.into()),
        arguments: "{\"path\":\"/\"}".into(),
    };
    assert_eq!(answer.calls, [called(0, "dir.list"), called(1, "now")]);
    assert_eq!(answer.stop, Some(Stop::ToolCalls));
    let usage = Usage {
        tokens_in: Some(53),
        tokens_out: Some(7),
        ..Usage::default()
    };
    assert_eq!(answer.usage, usage);
    assert_eq!(answer.data.map(|data| data.bytes), Some(b"Hm.".to_vec()));
    assert_eq!(double.refusals(), Vec::<String>::new());
}

#[tokio::test]
async fn what_goes_wrong_is_told() {
    let (double, provider) = start(OllamaServer::default()).await;
    for (script, kind, part) in [
        (
            OllamaScript::ErrorLine("unexpected EOF"),
            ProviderFault::Broken,
            "unexpected EOF",
        ),
        (OllamaScript::NoDone, ProviderFault::Broken, "before it was done"),
        (OllamaScript::Cut, ProviderFault::Broken, ""),
        (
            OllamaScript::Fail(500, "llama runner"),
            ProviderFault::Unavailable { after: None },
            "llama runner",
        ),
        (
            OllamaScript::Fail(503, "server busy"),
            ProviderFault::Unavailable { after: None },
            "server busy",
        ),
        (
            OllamaScript::Fail(429, "hourly usage limit"),
            ProviderFault::RateLimited { after: None },
            "hourly",
        ),
        (
            OllamaScript::Fail(403, "not yours sk-canary-4711"),
            ProviderFault::Unauthorized,
            "not yours [hidden]",
        ),
        (
            OllamaScript::Fail(400, "the input length exceeds the context length"),
            ProviderFault::ContextTooLong,
            "input",
        ),
        (
            OllamaScript::Fail(
                400,
                "{\"error\":{\"message\":\"request (8889 tokens) exceeds the available context size\"}}",
            ),
            ProviderFault::ContextTooLong,
            "8889",
        ),
        (
            OllamaScript::Fail(400, "invalid options"),
            ProviderFault::Rejected,
            "invalid options",
        ),
    ] {
        let begins = !matches!(script, OllamaScript::Fail(..));
        double.push(script);
        let answer = ask(&provider, hello()).await;
        let error = answer.error.unwrap();
        assert!(error.kind == kind && error.detail.contains(part), "{error:?}");
        assert!(!error.detail.contains(CANARY), "{error:?}");
        assert_eq!(answer.text, if begins { "Some text" } else { "" });
    }
}

#[tokio::test]
async fn a_dropped_stream_closes_the_connection() {
    let (double, provider) = start(OllamaServer::default()).await;
    for script in [OllamaScript::Silent, OllamaScript::Endless(Duration::from_millis(1))] {
        let begins = script != OllamaScript::Silent;
        double.push(script);
        let mut stream = provider.stream(hello()).await.unwrap();
        let last = double.calls().len() - 1;
        if begins {
            assert!(matches!(stream.next().await, Some(Ok(_))));
        }
        assert_eq!(double.calls()[last].ending, Ending::Open);
        drop(stream);
        assert!(double.until(|calls| calls[last].ending == Ending::Disconnected).await);
    }
}

#[tokio::test]
async fn a_question_that_is_given_up_closes_the_connection() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let config = OllamaConfig::of(ServerConfig {
        model: "m".into(),
        ..ServerConfig::at("ollama", format!("http://{}", listener.local_addr().unwrap()))
    });
    let provider = Ollama::new(config).unwrap();
    let mut asking = provider.stream(hello());
    let mut connection = tokio::select! {
        _ = &mut asking => panic!("nothing answers"),
        accepted = listener.accept() => accepted.unwrap().0,
    };
    drop(asking);
    let mut rest = Vec::new();
    connection.read_to_end(&mut rest).await.unwrap();
}

#[tokio::test]
async fn the_key_goes_to_the_server_and_nowhere_else() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let config = OllamaConfig::of(ServerConfig {
        api_key: Some(CANARY.into()),
        model: "m".into(),
        ..ServerConfig::at(
            "ollama",
            format!("http://user:{CANARY}@{}/base/", listener.local_addr().unwrap()),
        )
    });
    assert!(!format!("{config:?}").contains(CANARY));
    let provider = Ollama::new(config).unwrap();
    let redirect = async {
        let (mut connection, asked) = accept_question(&listener).await;
        connection
            .write_all(b"HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:9/\r\ncontent-length: 0\r\n\r\n")
            .await
            .unwrap();
        asked
    };
    let (answer, asked) = tokio::join!(ask(&provider, hello()), redirect);
    assert!(asked.starts_with("POST /base/api/generate "), "{asked}");
    assert!(asked.contains(&format!("authorization: Bearer {CANARY}")), "{asked}");
    let error = answer.error.unwrap();
    assert!(
        error.detail.contains("not followed") && !error.detail.contains(CANARY),
        "{error}"
    );
    let shown = format!("{} {provider:?}", provider.describe());
    assert!(
        shown.starts_with("ollama at http://127.0.0.1:") && !shown.contains(CANARY),
        "{shown}"
    );
}

#[tokio::test]
async fn how_long_a_model_stays_is_told_in_the_servers_words() {
    let (double, _) = start(OllamaServer::default()).await;
    for (said, expected) in [("5m", json!("5m")), ("-1", json!(-1)), (" 300 ", json!(300))] {
        let config = OllamaConfig {
            keep_alive: Some(said.into()),
            ..ollama_config(&double)
        };
        let answer = ask(&Ollama::new(config).unwrap(), hello()).await;
        assert_eq!(answer.text, OllamaDouble::DEFAULT_ANSWER);
        assert_eq!(double.calls().last().unwrap().request["keep_alive"], expected);
    }
}
