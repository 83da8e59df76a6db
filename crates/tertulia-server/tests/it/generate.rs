//! `/api/generate`.

use serde_json::json;
use tertulia_message::{Finish, RequestHistory};

use crate::daemon::{close, lines, object, request, say, start};

const AT: &str = "2026-11-30T08:00:00.500000000Z";

#[tokio::test]
async fn a_prompt_is_answered_in_its_own_form() {
    let mut running = start().await;
    let body = json!({"model":"poet","prompt":"Hi","system":"Rhyme.","raw":true,"suffix":"x","context":[1,2],
        "images":["iVBORw0KGgo="],"options":{"temperature":0}});
    let request_builder = running.post("/api/generate", &body);
    let (inbound, response) = running.ask(request_builder, &[say("Oh"), close(Finish::Stop)]).await;
    let lines = lines(response).await;
    let first = json!({"model":"poet","created_at":AT,"response":"Oh","done":false});
    assert_eq!(lines.first(), Some(&first));
    let last = lines.last().unwrap();
    assert_eq!(
        (&last["response"], &last["done"], &last["context"]),
        (&json!(""), &json!(true), &json!([]))
    );
    let asked = request(&inbound);
    assert_eq!(asked.system.as_deref(), Some("Rhyme."));
    assert_eq!(asked.generation.temperature, Some(0.0));
    let RequestHistory::Supplied(messages) = &asked.history else {
        panic!("{asked:?}")
    };
    let message = messages.first().unwrap();
    assert_eq!((message.text.as_str(), messages.len()), ("Hi", 1));
    assert_eq!(message.pictures.first().unwrap().mime, "image/png");
}

#[tokio::test]
async fn a_prompt_with_a_conversation_is_remembered() {
    let mut running = start().await;
    let body = json!({"model":"tertulia","prompt":"Hi","session":"s1","stream":false});
    let request_builder = running.post("/api/generate", &body);
    let (inbound, response) = running.ask(request_builder, &[say("Yes"), close(Finish::Stop)]).await;
    assert_eq!(object(response).await["response"], "Yes");
    assert_eq!(inbound.path.as_str(), "ollama_serve/s1");
    assert!(matches!(&request(&inbound).history, RequestHistory::Stored(new) if new.len() == 1));
}

#[tokio::test]
async fn an_empty_prompt_loads() {
    let mut running = start().await;
    for (body, reason) in [
        (json!({"model":"tertulia"}), "load"),
        (json!({"model":"tertulia","prompt":"","keep_alive":"0s"}), "unload"),
    ] {
        let loaded = object(running.post("/api/generate", &body).send().await.unwrap()).await;
        assert_eq!(
            loaded,
            json!({"model":"tertulia","created_at":AT,"response":"","done_reason":reason,"done":true})
        );
    }
    assert!(running.is_idle());
}
