//! How failures of a server reach the caller, and that no secret goes with them.

use std::time::Duration;

use secrecy::SecretString;
use tertulia_core::provider::{ModelRequest, ProviderFault};
use tertulia_ports::Provider;
use tertulia_providers::{OpenAi, OpenAiConfig, ServerConfig};
use tertulia_testkit::model_double::{ModelDouble, Script, Strictness};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;

use crate::asking::{Answer, CANARY, accept_question, ask, provider_at, question};

async fn answer_to(script: Script) -> Answer {
    let double = ModelDouble::start().await.unwrap();
    double.push(script);
    let answer = ask(&provider_at(double.base_url()), question()).await;
    assert_eq!(double.refusals(), Vec::<String>::new());
    answer
}

async fn check(script: Script, text: &str, kind: ProviderFault) {
    let answer = answer_to(script.clone()).await;
    assert_eq!(answer.text, text, "{script:?}");
    assert_eq!(answer.error.map(|error| error.kind), Some(kind), "{script:?}");
}

fn fail(status: u16, code: &str) -> Script {
    Script::Fail {
        status,
        retry_after: None,
        code: code.into(),
        message: "as scripted".into(),
    }
}

#[tokio::test]
async fn failures_before_the_stream_are_classified() {
    let after = Some(Duration::from_secs(3));
    check(Script::rate_limited(3), "", ProviderFault::RateLimited { after }).await;
    check(fail(429, "insufficient_quota"), "", ProviderFault::Billing).await;
    check(Script::status(500), "", ProviderFault::Unavailable { after: None }).await;
    check(Script::status(503), "", ProviderFault::Unavailable { after: None }).await;
    check(Script::status(403), "", ProviderFault::Unauthorized).await;
    check(fail(400, "context_length_exceeded"), "", ProviderFault::ContextTooLong).await;
    check(Script::status(400), "", ProviderFault::Rejected).await;
    check(Script::status(302), "", ProviderFault::Rejected).await;
    check(Script::Html, "", ProviderFault::Broken).await;
}

#[tokio::test]
async fn a_stream_that_breaks_keeps_its_text() {
    check(Script::NoFinish, "piece 0 ", ProviderFault::Broken).await;
    check(Script::CutAfter(2), "piece 0 piece 1 ", ProviderFault::Broken).await;
    check(Script::Garbage, "piece 0 ", ProviderFault::Broken).await;
    check(Script::BadUtf8, "piece 0 ", ProviderFault::Broken).await;
    check(Script::HugeLine(2 << 20), "", ProviderFault::Broken).await;
    let overloaded = Script::ErrorInStream {
        code: "server_is_overloaded".into(),
        message: "busy".into(),
    };
    check(overloaded, "piece 0 ", ProviderFault::Unavailable { after: None }).await;
}

#[tokio::test]
async fn unknown_models_and_wrong_keys() {
    let strictness = Strictness {
        key: Some("another".into()),
        models: Vec::new(),
    };
    let double = ModelDouble::start_strict(strictness).await.unwrap();
    let fault = |answer: Answer| answer.error.unwrap().kind;
    assert_eq!(
        fault(ask(&provider_at(double.base_url()), question()).await),
        ProviderFault::Unauthorized
    );
    let config = OpenAiConfig::of(ServerConfig {
        api_key: Some("another\n".into()),
        ..ServerConfig::at("openai", double.base_url())
    });
    let provider = OpenAi::new(config).unwrap();
    let unknown = ModelRequest {
        model: "gpt-none".into(),
        ..question()
    };
    assert_eq!(fault(ask(&provider, unknown).await), ProviderFault::NoSuchModel);
    let unnamed = ModelRequest {
        model: String::new(),
        ..question()
    };
    let error = ask(&provider, unnamed).await.error.unwrap();
    assert_eq!(
        (error.kind, error.detail.contains("providers.openai.model")),
        (ProviderFault::NotConfigured, true)
    );
}

#[tokio::test]
async fn nobody_answers() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let error = ask(&provider_at(format!("http://{address}/v1")), question())
        .await
        .error
        .unwrap();
    assert_eq!(error.kind, ProviderFault::Unreachable, "{error}");
    let closing = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let provider = provider_at(format!("http://{}/v1", closing.local_addr().unwrap()));
    let hang_up = async { drop(accept_question(&closing).await) };
    let (answer, ()) = tokio::join!(ask(&provider, question()), hang_up);
    assert_eq!(answer.error.unwrap().kind, ProviderFault::Unreachable);
}

#[tokio::test]
async fn an_official_provider_without_key_says_so() {
    for key in [None, Some(" "), Some("a\nb")] {
        let config = OpenAiConfig::of(ServerConfig {
            name: "main".into(),
            api_key: key.map(SecretString::from),
            model: "gpt-5".into(),
            ..OpenAiConfig::official().server
        });
        let provider = OpenAi::new(config).unwrap();
        assert_eq!(provider.missing_setting(), Some("providers.main.api_key_file"));
        assert_eq!(
            ask(&provider, question()).await.error.unwrap().kind,
            ProviderFault::NotConfigured
        );
    }
    assert_eq!(
        OpenAi::new(OpenAiConfig::at("http://127.0.0.1:1/v1"))
            .unwrap()
            .missing_setting(),
        None
    );
}

/// Answers one question with fixed bytes; gives back what was asked.
async fn answer_once(listener: &TcpListener, response: &str) -> String {
    let (mut connection, asked) = accept_question(listener).await;
    connection.write_all(response.as_bytes()).await.unwrap();
    asked
}

#[tokio::test]
async fn no_secret_is_ever_shown() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let base = format!("http://user:{CANARY}@127.0.0.1:{port}/v1?token={CANARY}");
    let config = OpenAiConfig::of(ServerConfig {
        api_key: Some(CANARY.into()),
        ..ServerConfig::at("openai", &base)
    });
    let mut seen = vec![format!("{config:?}")];
    let provider = OpenAi::new(config).unwrap();
    seen.extend([format!("{provider:?}"), provider.describe()]);
    let told = format!(r#"{{"error":{{"message":"key {CANARY} at {base} is bad, not https://u:{CANARY}@h/"}}}}"#);
    let refusal = format!(
        "HTTP/1.1 401 No\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{told}",
        told.len()
    );
    let broken = format!("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\ndata: {told}\n\n");
    let cut = "HTTP/1.1 200 OK\r\ncontent-length: 100\r\nconnection: close\r\n\r\n: x\n".to_owned();
    for response in [refusal, broken, cut] {
        let (answer, asked) = tokio::join!(ask(&provider, question()), answer_once(&listener, &response));
        assert!(asked.contains(&format!("Bearer {CANARY}")), "{asked}");
        let error = answer.error.unwrap();
        seen.extend([format!("{error:?}"), error.to_string()]);
    }
    drop(listener);
    let error = ask(&provider, question()).await.error.unwrap();
    seen.extend([format!("{error:?}"), error.to_string()]);
    let wrong = OpenAi::new(OpenAiConfig::at(format!("nothing {CANARY}"))).unwrap_err();
    seen.extend([format!("{wrong:?}"), wrong.to_string()]);
    for text in seen {
        assert!(!text.contains(CANARY), "{text}");
    }
}

#[tokio::test]
async fn an_answer_without_bounds_is_given_up() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let provider = provider_at(format!("http://{}/v1", listener.local_addr().unwrap()));
    let flood = async {
        let (mut connection, _) = accept_question(&listener).await;
        connection
            .write_all(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n")
            .await
            .unwrap();
        let comment = [b": ".as_slice(), &vec![b'x'; 65_533], b"\n"].concat();
        let mut sent = 0_usize;
        while connection.write_all(&comment).await.is_ok() {
            sent += comment.len();
        }
        sent
    };
    let (answer, sent) = tokio::join!(ask(&provider, question()), flood);
    assert_eq!(answer.error.unwrap().kind, ProviderFault::Broken);
    assert!(sent < 64 << 20, "{sent} bytes were taken");
}
