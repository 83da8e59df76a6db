//! Errors before and after the first byte, and requests that are not taken.

use serde_json::json;
use tertulia_interface::{AcceptError, Verdict};
use tertulia_message::{Finish, Message, Signal};

use crate::daemon::{chat, close, error, failed, lines, say, start};

#[tokio::test]
async fn a_failure_before_the_first_byte_has_a_status() {
    let mut running = start().await;
    for stream in [true, false] {
        let mut body = chat("Hi");
        body["stream"] = json!(stream);
        for (code, status) in [
            ("provider_unreachable", 500),
            ("internal_error", 500),
            ("provider_rejected", 400),
            ("context_too_long", 400),
            ("provider_no_such_model", 404),
        ] {
            let request = running.post("/api/chat", &body);
            let (_, response) = running.ask(request, &[failed(code, "Sorry.")]).await;
            assert_eq!(error(response).await, (status, "Sorry.".to_owned()), "{code}");
        }
    }
    assert_eq!(running.finish().await, []);
}

#[tokio::test]
async fn a_failure_after_the_first_byte_is_the_last_line() {
    let mut running = start().await;
    let request = running.post("/api/chat", &chat("Hi"));
    let (_, response) = running
        .ask(request, &[say("Well"), failed("provider_rejected", "Sorry.")])
        .await;
    assert_eq!(response.status(), 200);
    let lines = lines(response).await;
    assert_eq!(lines.len(), 2);
    assert_eq!(lines.last(), Some(&json!({"error":"Sorry."})));
}

#[tokio::test]
async fn without_streaming_a_late_failure_still_has_a_status() {
    let mut running = start().await;
    let mut body = chat("Hi");
    body["stream"] = json!(false);
    let request = running.post("/api/chat", &body);
    let (_, response) = running
        .ask(request, &[say("Well"), failed("provider_timeout", "Sorry.")])
        .await;
    assert_eq!(error(response).await, (500, "Sorry.".to_owned()));
}

#[tokio::test]
async fn an_error_message_ends_the_answer() {
    let mut running = start().await;
    let broken = Signal::Emit(Message::error("Broken.", "x"));
    let request = running.post("/api/chat", &chat("Hi"));
    let (_, response) = running
        .ask(request, &[say("a"), broken.clone(), say("b"), close(Finish::Stop)])
        .await;
    let lines = lines(response).await;
    assert_eq!(lines.len(), 2);
    assert_eq!(lines.last(), Some(&json!({"error":"Broken."})));
    let request = running.post("/api/chat", &chat("Hi"));
    let (_, response) = running
        .ask(request, &[broken, failed("internal_error", "Sorry.")])
        .await;
    assert_eq!(error(response).await, (500, "Sorry.".to_owned()));
}

#[tokio::test]
async fn what_is_not_accepted_is_said_and_not_reported_as_gone() {
    let mut running = start().await;
    let denied = |say: Option<&str>| {
        Ok(Verdict::Denied {
            say: say.map(str::to_owned),
        })
    };
    for (verdict, status, part) in [
        (denied(Some("Not you.")), 403, "Not you."),
        (denied(None), 403, "may not"),
        (Ok(Verdict::Busy), 503, "too many requests"),
        (Ok(Verdict::Ignored), 503, "not taken"),
        (Err(AcceptError::Stopping), 503, "stopping"),
        (
            Err(AcceptError::Store("secret disk".to_owned())),
            503,
            "could not be stored",
        ),
    ] {
        running.daemon.verdicts.lock().unwrap().push_back(verdict);
        let response = running.post("/api/chat", &chat("Hi")).send().await.unwrap();
        let (found, text) = error(response).await;
        assert_eq!(found, status, "{text}");
        assert!(text.contains(part) && !text.contains("secret"), "{text}");
    }
    running.handed(&chat("still there")).await;
    assert_eq!(running.finish().await, []);
}

#[tokio::test]
async fn a_reader_that_is_far_too_slow_loses_its_answer() {
    let mut running = start().await;
    let request = running.post("/api/chat", &chat("Hi"));
    let (turn, response) = tokio::join!(
        async {
            let turn = running.turn().await;
            turn.signal(say("begin")).await;
            turn
        },
        request.send()
    );
    let piece = "x".repeat(1 << 20);
    for _ in 0..40 {
        turn.signal(say(&piece)).await;
    }
    let lines = lines(response.unwrap()).await;
    assert_eq!(
        lines.last(),
        Some(&json!({"error":"the answer was not read fast enough"}))
    );
    assert_eq!(running.gone().await.1, turn.inbound.id);
}
