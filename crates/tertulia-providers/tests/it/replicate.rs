//! Replicate against its strict double.

mod contract;
mod door;
mod double;
mod media;
mod recordings;

use std::time::Duration;

use futures_util::StreamExt;
use serde_json::{Value, json};
use tertulia_core::chat::ChatMessage;
use tertulia_core::provider::{Delta, ModelRequest, ProviderFault, Stop, Usage};
use tertulia_ports::Provider;
use tertulia_providers::{AbilityOverrides, Overrides, Replicate, ReplicateConfig, ReplicateModel, ServerConfig};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;

use crate::asking::{Answer, CANARY, accept_question, ask, request};

use double::{Look, ReplicateDouble, Scene, Stream};

fn asking(model: &str) -> ModelRequest {
    let mut question = request(vec![ChatMessage::user("Say hello.")]);
    question.model = model.into();
    question.system = "Be kind.".into();
    question.generation.max_tokens = Some(8);
    question
}

async fn answer(double: &ReplicateDouble, scene: Scene) -> Answer {
    double.push(scene);
    ask(&*double.provider(), asking("")).await
}

/// What the last prediction was made of.
fn made(double: &ReplicateDouble) -> (String, Value) {
    double.log().made.last().cloned().unwrap()
}

fn processing(output: &Value) -> Value {
    json!({"status": "processing", "output": output})
}

#[tokio::test]
async fn streams_are_read_once_and_counted() {
    let double = ReplicateDouble::start().await;
    let answer = answer(&double, Scene::text(&["Hel", "lo\n", "!"], Duration::ZERO)).await;
    let counted = Usage {
        tokens_in: Some(9),
        tokens_out: Some(3),
        ..Usage::default()
    };
    assert_eq!(
        (answer.text.as_str(), answer.stop, answer.usage),
        ("Hello\n!", Some(Stop::Done), counted)
    );
    let log = double.log();
    assert_eq!((log.made.len(), log.opened.len(), log.looked.len()), (1, 1, 1));
    assert_eq!((log.cancelled, log.refusals), (Vec::new(), Vec::new()));
    let prompt = "System: Be kind.\n\nHuman: Say hello.\n\nAssistant:";
    let (place, body) = made(&double);
    assert_eq!(place, "/v1/models/acme/chatty-8b/predictions");
    assert_eq!(body, json!({"input": {"prompt": prompt}, "stream": true}));
}

#[tokio::test]
async fn what_was_learnt_of_the_input_is_used() {
    let double = ReplicateDouble::start().await;
    let provider = double.provider();
    assert!(!provider.capabilities("").system);
    assert_eq!(provider.probe("", false).await, Ok(()));
    let able = provider.capabilities("");
    assert_eq!((able.system, able.conversation, able.tool_calls), (true, false, false));
    assert_eq!(ask(&*provider, asking("")).await.stop, Some(Stop::Done));
    let prompt = "Human: Say hello.\n\nAssistant:";
    let input = json!({"prompt": prompt, "system_prompt": "Be kind.", "max_tokens": 8});
    assert_eq!(made(&double).1["input"], input);
    // a model of the community is asked by its version
    assert_eq!(provider.probe(ReplicateDouble::FOREIGN, false).await, Ok(()));
    assert_eq!(
        ask(&*provider, asking(ReplicateDouble::FOREIGN)).await.stop,
        Some(Stop::Done)
    );
    let (place, body) = made(&double);
    assert_eq!(
        (place.as_str(), &body["version"]),
        ("/v1/predictions", &json!(ReplicateDouble::VERSION))
    );
    assert_eq!(double.log().refusals, Vec::<String>::new());
}

#[tokio::test]
async fn versions_are_asked_among_all() {
    let double = ReplicateDouble::start().await;
    let provider = double.provider();
    for model in [
        ReplicateDouble::VERSION.to_owned(),
        format!("someone/else:{}", ReplicateDouble::VERSION),
    ] {
        assert_eq!(ask(&*provider, asking(&model)).await.stop, Some(Stop::Done), "{model}");
        assert_eq!(made(&double).0, "/v1/predictions");
    }
    assert_eq!(provider.probe(ReplicateDouble::VERSION, true).await, Ok(()));
    for missing in ["none", "acme/none", "acme/none:1", "a/b/c"] {
        let error = ask(&*provider, asking(missing)).await.error.unwrap();
        assert_eq!(error.kind, ProviderFault::NoSuchModel, "{missing}: {error}");
    }
    let unknown = provider.probe("acme/none", true).await.unwrap_err();
    assert_eq!(unknown.kind, ProviderFault::NoSuchModel, "{unknown}");
}

#[tokio::test]
async fn what_the_operator_says_of_a_model_holds() {
    let double = ReplicateDouble::start().await;
    let mut config = double.config();
    let said = ReplicateModel {
        system: Some(String::new()),
        limit: Some("max_tokens".into()),
        second: Some(1_400_000),
        ..ReplicateModel::default()
    };
    config.models.insert("ACME/chatty-8b".into(), said);
    config.stream = false;
    config.server.capabilities = Overrides {
        all: AbilityOverrides {
            max_context: Some(100_000),
            conversation: Some(true),
            ..AbilityOverrides::default()
        },
        ..Overrides::default()
    };
    let provider = std::sync::Arc::new(Replicate::new(config).unwrap());
    assert_eq!(provider.probe("", false).await, Ok(()));
    let able = provider.capabilities("");
    assert_eq!(
        (able.conversation, able.system, able.max_context),
        (false, false, 100_000)
    );
    let metrics = json!({"predict_time": 2.0, "output_token_count": 8});
    double.push(Scene::polled([
        json!({"status": "succeeded", "output": "Hello", "metrics": metrics}),
    ]));
    let answer = ask(&*provider, asking("")).await;
    assert_eq!((answer.text.as_str(), answer.stop), ("Hello", Some(Stop::Length)));
    assert_eq!(answer.usage.cost, Some(2_800_000));
    let body = made(&double).1;
    let prompt = "System: Be kind.\n\nHuman: Say hello.\n\nAssistant:";
    assert_eq!(body, json!({"input": {"prompt": prompt, "max_tokens": 8}}));
}

#[tokio::test]
async fn polls_show_each_piece_once() {
    let double = ReplicateDouble::start().await;
    let looks = [
        json!({"status": "starting"}),
        processing(&json!(["Hel"])),
        processing(&json!(["Hel", "lo"])),
        processing(&json!(["Hel"])),
        processing(&json!(["Hel", "lo"])),
        json!({"status": "succeeded", "output": ["Hel", "lo", "", " you"]}),
    ];
    let answer = answer(&double, Scene::polled(looks)).await;
    assert_eq!((answer.text.as_str(), answer.stop), ("Hello you", Some(Stop::Done)));
    assert_eq!((answer.signs_of_life, double.log().looked.len()), (7, 6));
    assert_eq!(double.log().cancelled, Vec::<usize>::new());
}

#[tokio::test]
async fn polls_that_fail_for_a_while_are_repeated_and_questions_never() {
    let double = ReplicateDouble::start().await;
    let mut scene = Scene::polled([json!({"status": "succeeded", "output": "Hello"})]);
    let failing = [502, 429, 503, 500, 504].map(Look::Fails);
    scene.looks.splice(0..0, failing);
    let answered = answer(&double, scene.clone()).await;
    assert_eq!((answered.text.as_str(), answered.stop), ("Hello", Some(Stop::Done)));
    scene.looks.insert(0, Look::Fails(503));
    let error = answer(&double, scene).await.error.unwrap();
    assert_eq!(error.kind, ProviderFault::Unavailable { after: None });
    let mut scene = Scene::polled([]);
    scene.looks.push(Look::Fails(404));
    let error = answer(&double, scene).await.error.unwrap();
    assert_eq!(error.kind, ProviderFault::Rejected);
    assert_eq!(double.log().made.len(), 3);
    assert!(double.until(|log| log.cancelled == [1, 2]).await);
}

#[tokio::test]
async fn a_stream_that_cannot_be_had_is_polled() {
    for stream in [Stream::Refuses(404), Stream::Refuses(503)] {
        let double = ReplicateDouble::start().await;
        let scene = Scene {
            looks: vec![
                Look::Is(processing(&json!(["Hel"]))),
                Look::Is(json!({"status": "succeeded", "output": ["Hel", "lo"]})),
            ],
            ..Scene::streamed(stream)
        };
        let answer = answer(&double, scene).await;
        assert_eq!((answer.text.as_str(), answer.stop), ("Hello", Some(Stop::Done)));
    }
}

#[tokio::test]
async fn a_silent_stream_lives_as_long_as_its_prediction() {
    for stream in [Stream::Silent, Stream::Shut] {
        let double = ReplicateDouble::start().await;
        let starting = || Look::Is(json!({"status": "starting"}));
        let scene = Scene {
            looks: vec![
                starting(),
                Look::Fails(500),
                starting(),
                Look::Is(json!({"status": "succeeded", "output": "Hello"})),
            ],
            ..Scene::streamed(stream)
        };
        let answered = answer(&double, scene).await;
        assert_eq!((answered.text.as_str(), answered.stop), ("Hello", Some(Stop::Done)));
        assert!(answered.signs_of_life >= 3, "{answered:?}");
        let scene = Scene {
            looks: vec![Look::Is(json!({"status": "failed", "error": "no machine"}))],
            ..Scene::streamed(Stream::Silent)
        };
        let error = answer(&double, scene).await.error.unwrap();
        assert_eq!(
            (error.kind, error.detail.as_str()),
            (ProviderFault::Broken, "no machine")
        );
    }
}

#[tokio::test]
async fn what_ends_badly_is_an_error() {
    let double = ReplicateDouble::start().await;
    let cut = Stream::Events(vec![("output", "Hel".into())], Duration::ZERO);
    let broken = answer(&double, Scene::streamed(cut)).await;
    assert_eq!(
        (broken.text.as_str(), broken.error.unwrap().kind),
        ("Hel", ProviderFault::Broken)
    );
    assert!(double.until(|log| log.cancelled == [0]).await);
    for (looks, detail) in [
        (
            json!({"status": "failed", "error": format!("{CANARY} is bad")}),
            "[hidden] is bad",
        ),
        (json!({"status": "canceled"}), "the prediction was canceled"),
        (json!({"status": "aborted"}), "the prediction was aborted"),
        (
            json!({"status": "succeeded", "output": {"a": 1}}),
            "the output of the prediction is no text",
        ),
        (
            json!({"status": "succeeded", "output": "Gone"}),
            "the output of the prediction was changed",
        ),
    ] {
        let scene = Scene::polled([processing(&json!("Hel")), looks]);
        let error = answer(&double, scene).await.error.unwrap();
        assert_eq!((error.kind, error.detail.as_str()), (ProviderFault::Broken, detail));
    }
    let begun_done = Scene {
        made: json!({"status": "succeeded", "output": ["Hi", "!"]}),
        ..Scene::polled([])
    };
    assert_eq!(answer(&double, begun_done).await.text, "Hi!");
    assert_eq!(double.log().looked.len(), 10);
}

#[tokio::test]
async fn a_dropped_answer_is_cancelled_at_once_and_only_once() {
    let double = ReplicateDouble::start().await;
    let provider = double.provider();
    for scene in [
        Scene::streamed(Stream::Endless(Duration::from_millis(1))),
        Scene::streamed(Stream::Shut),
        Scene::polled([processing(&json!(null))]),
    ] {
        let before = double.log().made.len();
        double.push(scene);
        let mut stream = provider.stream(asking("")).await.unwrap();
        assert_eq!(stream.next().await.unwrap().unwrap(), Delta::Alive);
        drop(stream);
        assert!(double.until(|log| log.cancelled.len() == before + 1).await);
    }
    assert_eq!(double.log().cancelled, [0, 1, 2]);
}

#[tokio::test]
async fn addresses_elsewhere_are_not_followed() {
    let (double, elsewhere) = (ReplicateDouble::start().await, ReplicateDouble::start().await);
    let place = |path: &str| format!("{}/v1/{path}", elsewhere.base_url());
    let scene = Scene {
        urls: json!({"get": place("predictions/0"), "stream": place("files/0")}),
        ..Scene::streamed(Stream::Silent)
    };
    let error = answer(&double, scene).await.error.unwrap();
    assert_eq!(error.kind, ProviderFault::Broken, "{error}");
    assert!(double.until(|log| log.cancelled == [0]).await);
    // without its stream, a prediction is polled
    let scene = Scene {
        urls: json!({"cancel": place("predictions/0/cancel"), "stream": place("files/0")}),
        looks: vec![Look::Is(json!({"status": "succeeded", "output": "Hello"}))],
        ..Scene::streamed(Stream::Silent)
    };
    assert_eq!(answer(&double, scene).await.text, "Hello");
    let log = elsewhere.log();
    assert_eq!(
        (log.opened, log.looked, log.refusals),
        (Vec::new(), Vec::new(), Vec::new())
    );
}

/// The fault where the making of a prediction is answered with this; `None` where nothing listens.
async fn not_made(response: Option<&str>) -> ProviderFault {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base_url = format!("http://{}", listener.local_addr().unwrap());
    let provider = Replicate::new(ReplicateConfig::of(ServerConfig {
        model: "acme/chatty-8b".into(),
        ..ServerConfig::at("replicate", base_url)
    }))
    .unwrap();
    let Some(response) = response else {
        drop(listener);
        return ask(&provider, asking("")).await.error.unwrap().kind;
    };
    let serve = async {
        let (mut connection, _) = accept_question(&listener).await;
        connection.write_all(response.as_bytes()).await.unwrap();
    };
    let (answer, ()) = tokio::join!(ask(&provider, asking("")), serve);
    answer.error.unwrap().kind
}

#[tokio::test]
async fn a_prediction_that_may_have_been_made_is_not_made_again() {
    let never = ProviderFault::Unavailable {
        after: Some(Duration::from_hours(24)),
    };
    for response in [
        "",
        "HTTP/1.1 502 No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n",
        "HTTP/1.1 201 Made\r\ncontent-length: 99\r\nconnection: close\r\n\r\n{\"id\": 1",
    ] {
        assert_eq!(not_made(Some(response)).await, never, "{response}");
    }
    let busy = "HTTP/1.1 503 No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
    assert_eq!(not_made(Some(busy)).await, ProviderFault::Unavailable { after: None });
    assert_eq!(not_made(None).await, ProviderFault::Unreachable);
}

#[tokio::test]
async fn refusals_are_classified_and_hide_the_key() {
    let double = ReplicateDouble::start().await;
    let mut config = double.config();
    config.server.api_key = Some("another".into());
    let provider = std::sync::Arc::new(Replicate::new(config).unwrap());
    let error = ask(&*provider, asking("")).await.error.unwrap();
    assert_eq!(error.kind, ProviderFault::Unauthorized, "{error}");
    assert_eq!(
        provider.probe(ReplicateDouble::VERSION, true).await.unwrap_err().kind,
        ProviderFault::Unauthorized
    );
    let official = Replicate::new(ReplicateConfig::official()).unwrap();
    assert_eq!(official.missing_setting(), Some("providers.replicate.api_key_file"));
    assert!(!format!("{:?}", double.provider()).contains(CANARY));
}
