//! What changes while a door serves: its models, and who may use it.

use serde_json::{Value, json};
use tertulia_message::Finish;
use tertulia_server::Access;

use crate::daemon::{Running, card, chat, close, error, object, say, start, start_with};

const OLD: &str = "a-token-that-was-good";
const NEW: &str = "a-token-that-is-good";

fn access(tokens: &[&str]) -> Access {
    Access {
        tokens: tokens.iter().map(|token| (*token).into()).collect(),
        ..Access::default()
    }
}

async fn status(running: &Running, token: Option<&str>) -> u16 {
    let request = running.get("/api/tags");
    let request = token.into_iter().fold(request, reqwest::RequestBuilder::bearer_auth);
    request.send().await.unwrap().status().as_u16()
}

#[tokio::test]
async fn other_models_are_offered_at_once() {
    let mut running = start().await;
    let models = vec![card("tertulia"), card("tertulia:sage")];
    running.door.replace(models, &Access::default());
    let tags = object(running.get("/api/tags").send().await.unwrap()).await;
    let names: Vec<&Value> = tags["models"].as_array().unwrap().iter().map(|m| &m["name"]).collect();
    assert_eq!(names, ["tertulia:latest", "tertulia:sage"]);
    for (asked, known) in [
        ("tertulia", "tertulia"),
        ("tertulia:latest", "tertulia"),
        ("tertulia:sage", "tertulia:sage"),
    ] {
        let body = json!({"model": asked, "messages": [{"role": "user", "content": "Hi"}]});
        let inbound = running.handed(&body).await;
        assert_eq!(crate::daemon::request(&inbound).model, known);
        let shown = running
            .post("/api/show", &json!({"model": asked}))
            .send()
            .await
            .unwrap();
        assert_eq!(shown.status(), 200, "{asked}");
    }
    for route in ["/api/chat", "/api/generate", "/api/show"] {
        let body = json!({"model": "poet", "prompt": "Hi", "messages": [{"role": "user", "content": "Hi"}]});
        let refused = running.post(route, &body).send().await.unwrap();
        let text = "model 'poet' not found; there is tertulia:latest, tertulia:sage".to_owned();
        assert_eq!(error(refused).await, (404, text), "{route}");
    }
}

#[tokio::test]
async fn a_token_that_is_gone_is_good_no_more() {
    let running = start_with(|config| config.access = access(&[OLD])).await;
    assert_eq!(status(&running, Some(OLD)).await, 200);
    running.door.replace(vec![card("tertulia")], &access(&[NEW]));
    assert_eq!(status(&running, Some(OLD)).await, 401);
    assert_eq!(status(&running, Some(NEW)).await, 200);
    assert_eq!(status(&running, None).await, 401);
}

/// A stream that has begun under a door's first access breaks off, or not, when the second one holds.
async fn check(token: Option<&str>, first: &[&str], second: &[&str], breaks_off: bool) {
    let mut running = start_with(|config| config.access = access(first)).await;
    let request = running.post("/api/chat", &chat("Hi"));
    let request = token.into_iter().fold(request, reqwest::RequestBuilder::bearer_auth);
    let (turn, response) = tokio::join!(
        async {
            let turn = running.turn().await;
            turn.signal(say("a")).await;
            turn
        },
        request.send()
    );
    let mut response = response.unwrap();
    assert!(response.chunk().await.unwrap().is_some());
    running.door.replace(vec![card("tertulia")], &access(second));
    if breaks_off {
        assert!(response.chunk().await.is_err(), "{first:?} {second:?}");
        let (_, id) = running.gone().await;
        assert_eq!(id, turn.inbound.id);
    } else {
        turn.signal(close(Finish::Stop)).await;
        assert!(response.text().await.unwrap().contains("\"done\":true"));
    }
}

#[tokio::test]
async fn an_open_answer_breaks_off_when_its_reader_is_let_in_no_more() {
    check(Some(OLD), &[OLD], &[NEW], true).await;
    check(Some(OLD), &[OLD, NEW], &[NEW], true).await;
    check(None, &[], &[NEW], true).await;
}

#[tokio::test]
async fn an_open_answer_goes_on_when_its_reader_stays() {
    check(Some(OLD), &[OLD], &[NEW, OLD], false).await;
    check(None, &[], &[], false).await;
}

#[tokio::test]
async fn a_request_that_waits_is_refused_when_its_token_goes() {
    let mut running = start_with(|config| config.access = access(&[OLD])).await;
    let request = running.post("/api/chat", &chat("Hi")).bearer_auth(OLD);
    let (turn, response) = tokio::join!(
        async {
            let turn = running.turn().await;
            running.door.replace(vec![card("tertulia")], &access(&[NEW]));
            turn
        },
        request.send()
    );
    assert_eq!(error(response.unwrap()).await.0, 401);
    let (_, id) = running.gone().await;
    assert_eq!(id, turn.inbound.id);
}
