//! Nothing is cut in silence, by whatever server.

use tertulia_core::chat::ChatMessage;
use tertulia_core::provider::{ModelRequest, ProviderFault, Stop};
use tertulia_core::window;
use tertulia_message::Generation;
use tertulia_ports::Provider;
use tertulia_testkit::ollama_double::{OllamaDouble, OllamaScript, OllamaServer};

use super::{question, start};
use crate::asking::{Answer, ask};

/// A conversation of so many turns of a kilobyte.
fn long(turns: usize) -> Vec<ChatMessage> {
    let turn = |number| {
        let words = format!("{number} ").repeat(120);
        [ChatMessage::user(words.clone()), ChatMessage::assistant(words)]
    };
    let said = (1_000..).take(turns).flat_map(turn);
    said.chain([ChatMessage::user("What was the first number?")]).collect()
}

/// Asks as the daemon does: what is too long is shortened and asked again.
async fn converse(provider: &dyn Provider, mut messages: Vec<ChatMessage>) -> (Answer, usize) {
    let mut times = 0;
    loop {
        times += 1;
        let answer = ask(provider, question(messages.clone())).await;
        let too_long = answer
            .error
            .as_ref()
            .is_some_and(|error| error.kind == ProviderFault::ContextTooLong);
        match window::shorten(&messages, window::own(&messages)).filter(|_| too_long && answer.text.is_empty()) {
            Some(shorter) => messages = shorter.messages,
            None => return (answer, times),
        }
    }
}

fn servers() -> [OllamaServer; 5] {
    let unlisted = OllamaServer {
        version: None,
        ..OllamaServer::old()
    };
    let made_up = OllamaServer {
        version: Some("custom-build"),
        ..OllamaServer::old()
    };
    let prompts = OllamaServer::old().with_model(&["vision"]);
    [OllamaServer::default(), OllamaServer::old(), unlisted, made_up, prompts]
}

#[tokio::test]
async fn no_server_ever_cuts() {
    for server in servers() {
        let (double, provider) = start(server.clone()).await;
        assert_eq!(provider.probe("", false).await, Ok(()));
        for turns in [0, 5, 20, 60, 200] {
            let (answer, times) = converse(&provider, long(turns)).await;
            assert_eq!(
                (answer.stop, answer.error),
                (Some(Stop::Done), None),
                "{server:?} {turns}"
            );
            assert!(times > 1 || turns < 200);
        }
        let cut: Vec<u64> = double
            .calls()
            .iter()
            .map(|call| call.cut)
            .filter(|cut| *cut > 0)
            .collect();
        assert_eq!((cut, double.refusals()), (vec![], vec![]), "{server:?}");
    }
}

#[tokio::test]
async fn before_it_is_known_a_server_counts_as_old() {
    let (double, provider) = start(OllamaServer::old()).await;
    let (answer, times) = converse(&provider, long(20)).await;
    assert_eq!((answer.error, times > 1), (None, true));
    assert!(
        double
            .calls()
            .iter()
            .all(|call| call.cut == 0 && call.request["options"]["num_ctx"] == 4_096)
    );
}

#[tokio::test]
async fn an_old_server_cannot_write_past_its_window() {
    let (double, provider) = start(OllamaServer::old()).await;
    assert_eq!(provider.probe("", false).await, Ok(()));
    let asked = ModelRequest {
        generation: Generation {
            max_tokens: Some(1_000_000),
            ..Generation::default()
        },
        ..question(long(5))
    };
    ask(&provider, asked).await;
    let options = &double.calls()[0].request["options"];
    let (window, limit) = (
        options["num_ctx"].as_u64().unwrap(),
        options["num_predict"].as_u64().unwrap(),
    );
    assert!(limit > 1_000 && limit < window - 5_000, "{limit} of {window}");
}

#[tokio::test]
async fn one_message_that_is_too_long_is_an_error_with_numbers() {
    for (server, part) in [
        (OllamaServer::default(), "longer than the context length"),
        (OllamaServer::old(), "a server before 0.13"),
    ] {
        let (double, provider) = start(server).await;
        assert_eq!(provider.probe("", false).await, Ok(()));
        let huge = "word ".repeat(16_000);
        let error = ask(&provider, question(vec![ChatMessage::user(huge)]))
            .await
            .error
            .unwrap();
        assert_eq!(error.kind, ProviderFault::ContextTooLong);
        assert!(error.detail.contains(part), "{error}");
        let hopeless = "word ".repeat(100_000);
        let error = ask(&provider, question(vec![ChatMessage::user(hopeless)]))
            .await
            .error
            .unwrap();
        assert!(
            error.detail.contains("at least") && error.detail.contains("16384"),
            "{error}"
        );
        assert!(double.calls().is_empty());
    }
}

/// A server that says it is new and cuts all the same.
#[tokio::test]
async fn a_lying_server_is_seen_through() {
    let liar = OllamaServer {
        refuses: false,
        ..OllamaServer::default()
    };
    let (double, provider) = start(liar).await;
    assert_eq!(provider.probe("", false).await, Ok(()));
    let answer = ask(&provider, question(vec![ChatMessage::user("word ".repeat(15_000))])).await;
    assert!(double.calls()[0].cut > 0);
    assert_eq!(answer.error.unwrap().kind, ProviderFault::ContextTooLong);
    assert_eq!(
        (answer.text.as_str(), answer.stop),
        (OllamaDouble::DEFAULT_ANSWER, None)
    );
}

#[tokio::test]
async fn an_answer_that_was_cut_off_says_so() {
    let (double, provider) = start(OllamaServer::default()).await;
    double.push(OllamaScript::Say {
        messages: vec![serde_json::json!({"content": "One, two"})],
        pause: std::time::Duration::ZERO,
        reason: "length",
    });
    let answer = ask(&provider, question(vec![ChatMessage::user("Count.")])).await;
    assert_eq!(answer.stop, Some(Stop::Length));
}
