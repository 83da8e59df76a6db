//! The official Ollama client in front of the daemon, and behind it a real small model, or its double.

use std::time::Duration;

use serde_json::{Value, json};
use tertulia_testkit::model_double::{Ending, ModelDouble, Script};

use crate::daemon::Daemon;
use crate::ollama::{Ollama, Reply};
use crate::test_tools::{Model, PythonClient, TestTools};

/// How many tokens the answer that is broken off may have; the model would use more than [`SHORT`] of them.
const LONG: u64 = 3500;

/// How many tokens a model writes at most before it notices that nobody listens any more.
const SHORT: u64 = 400;

fn config(base_url: &str, model: &str) -> String {
    format!("[providers.local]\nkind = \"openai\"\nmodel = \"{model}\"\nbase_url = \"{base_url}\"\n")
}

fn daemon(double: &ModelDouble) -> Daemon {
    Daemon::start(&config(&double.base_url(), ModelDouble::MODEL))
}

/// Polls a page of the model's server until it is as wanted, for about a minute.
pub(crate) async fn poll(model: &Model, page: &str, mut wanted: impl FnMut(&Value) -> bool) -> Value {
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let url = format!("{}{page}", model.url());
    let mut seen = Value::Null;
    for _ in 0..600 {
        if let Ok(response) = client.get(&url).send().await {
            seen = response.json().await.unwrap_or_default();
            if wanted(&seen) {
                return seen;
            }
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("{url} stays {seen}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_real_model_answers_the_official_client() {
    let Some(tools) = TestTools::find("a_real_model_answers_the_official_client") else {
        return;
    };
    let model = tools.model();
    poll(&model, "/health", |page| page["status"] == "ok").await;
    let listed = poll(&model, "/v1/models", |page| page["data"][0]["id"].is_string()).await;
    let name = listed["data"][0]["id"].as_str().unwrap();
    let daemon = Daemon::start(&config(&format!("{}/v1", model.url()), name));
    let mut client = tools.client(daemon.url());
    shows_itself(&mut client);
    answers_in_every_way(&mut client);
    remembers(&mut client, &daemon);
    two_at_once(&mut client, &mut tools.client(daemon.url()));
    breaks_off(&mut client, &model).await;
    let after = client.ask(&json!({"do": "chat", "prompt": "Hello", "conversation": "broken-off"}));
    assert_eq!(after["end"]["done"], true, "{after}");
}

fn shows_itself(client: &mut PythonClient) {
    assert_eq!(client.ask(&json!({"do": "list"})), json!(["tertulia:latest"]));
    assert_eq!(client.ask(&json!({"do": "ps"})), json!(["tertulia:latest"]));
    let shown = client.ask(&json!({"do": "show"}));
    assert!(
        shown["capabilities"].as_array().unwrap().contains(&json!("completion")),
        "{shown}"
    );
}

fn answers_in_every_way(client: &mut PythonClient) {
    for (what, stream) in [("chat", false), ("chat", true), ("generate", false), ("generate", true)] {
        let prompt = "What is the capital of France?";
        let answer = client.ask(&json!({"do": what, "prompt": prompt, "stream": stream}));
        assert!(answer["text"].as_str().unwrap().contains("Paris"), "{answer}");
        let end = &answer["end"];
        assert_eq!(
            (&end["done"], &end["model"]),
            (&json!(true), &json!("tertulia")),
            "{answer}"
        );
        let tokens = end["tokens"].as_u64().unwrap();
        assert!((1..=16).contains(&tokens), "{answer}");
        if stream {
            assert!(answer["texts"].as_array().unwrap().len() > 2, "{answer}");
        }
    }
    let cut = client.ask(&json!({"do": "chat", "prompt": "Tell me a long story.", "predict": 4}));
    assert_eq!(cut["end"]["reason"], "length", "{cut}");
}

/// Two turns of one conversation, of which the second brings only what is new.
fn remembers(client: &mut PythonClient, daemon: &Daemon) {
    let mut tokens = Vec::new();
    for prompt in ["My name is Ada and I come from the city of London.", "Hello"] {
        let answer = client.ask(&json!({"do": "chat", "prompt": prompt, "conversation": "my-chat"}));
        assert_eq!(answer["end"]["done"], true, "{answer}");
        tokens.push(answer["end"]["prompt_tokens"].as_u64().unwrap());
    }
    // the second message alone is shorter than the first: the model read both
    assert!(tokens[1] > tokens[0], "{tokens:?}");
    daemon.until_logged(|line| line.contains("a turn is settled") && line.contains("ollama_serve/my-chat"));
}

fn two_at_once(one: &mut PythonClient, other: &mut PythonClient) {
    let say = |prompt| json!({"do": "chat", "prompt": prompt, "stream": true, "conversation": "both", "predict": 8});
    one.order(&say("Say something about cats."));
    other.order(&say("Say something about dogs."));
    for answer in [one.answer(), other.answer()] {
        assert_eq!(answer["end"]["done"], true, "{answer}");
        assert_ne!(answer["text"], "", "{answer}");
    }
}

/// The client goes away in the middle of an answer: the model stops as well.
async fn breaks_off(client: &mut PythonClient, model: &Model) {
    let prompt = "Write a very long story about a ship, with many chapters.";
    let answer = client.ask(&json!({"do": "chat", "prompt": prompt, "stream": true, "pieces": 3,
        "conversation": "broken-off", "predict": LONG}));
    assert_eq!(answer["texts"].as_array().unwrap().len(), 3, "{answer}");
    let mut written = 0;
    let slots = poll(model, "/slots", |slots| {
        written = written.max(slots[0]["next_token"][0]["n_decoded"].as_u64().unwrap_or_default());
        slots[0]["is_processing"] == false
    });
    assert_eq!(slots.await[0]["params"]["n_predict"], LONG);
    assert!(written < SHORT, "{written} tokens were written for nobody");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_official_client_reads_catalog_and_errors() {
    let Some(tools) = TestTools::find("the_official_client_reads_catalog_and_errors") else {
        return;
    };
    let double = ModelDouble::start().await.unwrap();
    let daemon = daemon(&double);
    let mut client = tools.client(daemon.url());
    shows_itself(&mut client);
    for order in [
        json!({"do": "chat", "prompt": "hello", "model": "unknown"}),
        json!({"do": "generate", "prompt": "hello", "model": "unknown", "stream": true}),
        json!({"do": "show", "model": "unknown"}),
    ] {
        let raised = client.ask(&order);
        let expected = json!({"raised": "ResponseError", "status": 404, "error": "model 'unknown' not found; there is tertulia:latest"});
        assert_eq!(raised, expected, "{order}");
    }
    double.push(Script::CutAfter(2));
    let raised = client.ask(&json!({"do": "chat", "prompt": "hello", "stream": true}));
    assert!(raised["error"].as_str().unwrap().contains("broke off"), "{raised}");
    let answer = client.ask(&json!({"do": "chat", "prompt": "hello"}));
    assert_eq!(answer["text"], ModelDouble::DEFAULT_ANSWER);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_official_client_goes_on_with_a_conversation() {
    let Some(tools) = TestTools::find("the_official_client_goes_on_with_a_conversation") else {
        return;
    };
    let double = ModelDouble::start().await.unwrap();
    let daemon = daemon(&double);
    let say = |daemon: &Daemon, prompt: &str| {
        let answer = tools
            .client(daemon.url())
            .ask(&json!({"do": "chat", "prompt": prompt, "conversation": "my-chat"}));
        assert_eq!(answer["text"], ModelDouble::DEFAULT_ANSWER, "{answer}");
    };
    say(&daemon, "My name is Ada.");
    say(&daemon, "What is my name?");
    let mut talk = vec![
        ("user", "My name is Ada."),
        ("assistant", ModelDouble::DEFAULT_ANSWER),
        ("user", "What is my name?"),
    ];
    assert_eq!(said(double.requests().last().unwrap()), talk);
    let daemon = daemon
        .kill()
        .start(&config(&double.base_url(), ModelDouble::MODEL), &[]);
    say(&daemon, "And now?");
    talk.extend([("assistant", ModelDouble::DEFAULT_ANSWER), ("user", "And now?")]);
    assert_eq!(said(double.requests().last().unwrap()), talk);
}

/// Who said what in a request to the model, without the system's part.
fn said(request: &Value) -> Vec<(&str, &str)> {
    let messages = request["messages"].as_array().unwrap().iter();
    let said = messages.map(|message| (message["role"].as_str().unwrap(), message["content"].as_str().unwrap()));
    said.filter(|(role, _)| *role != "system").collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn two_requests_at_once_are_answered_in_order() {
    let double = ModelDouble::start().await.unwrap();
    let daemon = daemon(&double);
    let ollama = Ollama::of(&daemon);
    double.push(Script::slow_text("Cats are fine.", 10, Duration::from_millis(100)));
    double.push(Script::text("Dogs too."));
    let (one, other) = tokio::join!(ollama.say("both", "Cats?"), async {
        assert!(double.until(|calls| calls.len() == 1).await);
        ollama.say("both", "Dogs?").await
    });
    assert_eq!(
        (one.text().as_str(), other.text().as_str()),
        ("Cats are fine.", "Dogs too.")
    );
    assert!(one.is_whole() && other.is_whole(), "{one:?} {other:?}");
    let talk = [("user", "Cats?"), ("assistant", "Cats are fine."), ("user", "Dogs?")];
    assert_eq!(said(double.requests().last().unwrap()), talk);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_goes_away_stops_the_model() {
    let double = ModelDouble::start().await.unwrap();
    let daemon = daemon(&double);
    let ollama = Ollama::of(&daemon);
    double.push(Script::Endless(Duration::from_millis(20)));
    let mut response = ollama.begin("gone", "hello").await;
    assert!(response.chunk().await.unwrap().is_some());
    drop(response);
    let is_gone = |calls: &[tertulia_testkit::model_double::Call]| calls[0].ending == Ending::Disconnected;
    assert!(double.until(is_gone).await, "the model was not told to stop");
    daemon.until_logged(|line| line.contains("a turn is settled") && line.contains("ollama_serve/gone"));
    assert!(ollama.say("gone", "and now?").await.is_whole());
}

#[tokio::test(flavor = "multi_thread")]
async fn malformed_requests_are_refused_in_ollamas_form() {
    let double = ModelDouble::start().await.unwrap();
    let daemon = daemon(&double);
    let ollama = Ollama::of(&daemon);
    for (body, status, part) in [
        ("", 400, "missing request body"),
        ("{\"model\": \"tertulia\", \"messages\": [", 400, ""),
        ("[1, 2]", 400, ""),
        ("{\"messages\": []}", 400, "model is required"),
        (
            "{\"model\": \"tertulia\", \"messages\": [{\"role\": \"user\", \"content\": [1]}]}",
            400,
            "",
        ),
        (
            "{\"model\": \"none\", \"messages\": [{\"role\": \"user\", \"content\": \"x\"}]}",
            404,
            "'none' not found",
        ),
    ] {
        let reply = Reply::of(ollama.post("/api/chat", Some("mine"), body.to_owned()).await).await;
        assert_eq!(reply.status, status, "{body}: {reply:?}");
        assert!(reply.error().contains(part), "{body}: {reply:?}");
    }
    assert_eq!(double.requests().len(), 0);
    assert!(ollama.say("mine", "hello").await.is_whole());
}
