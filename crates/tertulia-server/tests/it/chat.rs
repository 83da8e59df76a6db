//! `/api/chat`, streamed and in one piece.

use serde_json::json;
use tertulia_message::{Finish, Message, Signal};

use crate::daemon::{chat, close, lines, object, say, start};

const AT: &str = "2026-11-30T08:00:00.500000000Z";

#[tokio::test]
async fn an_answer_comes_line_by_line() {
    let mut running = start().await;
    let request = running.post("/api/chat", &chat("Hi"));
    let answer = [
        Signal::Typing,
        Signal::Emit(Message::thinking("Hm")),
        say("Hello"),
        Signal::Emit(Message::image("https://x/i.png", "sun")),
        Signal::Emit(Message::event("stream_end", "", json!(null))),
        close(Finish::Length),
    ];
    let (_, response) = running.ask(request, &answer).await;
    let part = |message: serde_json::Value| json!({"model":"tertulia","created_at":AT,"message":message,"done":false});
    assert_eq!(
        lines(response).await,
        [
            part(json!({"role":"assistant","content":"","thinking":"Hm"})),
            part(json!({"role":"assistant","content":"Hello"})),
            part(json!({"role":"assistant","content":"![sun](https://x/i.png)"})),
            json!({"model":"tertulia","created_at":AT,"message":{"role":"assistant","content":""},"done":true,
                "done_reason":"length","total_duration":5_000_000,"load_duration":0,"prompt_eval_count":3,
                "prompt_eval_duration":0,"eval_count":2,"eval_duration":5_000_000}),
        ]
    );
}

#[tokio::test]
async fn every_piece_is_sent_when_it_is_there() {
    let mut running = start().await;
    let request = running.post("/api/chat", &chat("Hi"));
    let (turn, response) = tokio::join!(
        async {
            let turn = running.turn().await;
            turn.signal(say("one")).await;
            turn
        },
        request.send()
    );
    let mut response = response.unwrap();
    for (text, next) in [
        ("one", say("two")),
        ("two", say("three")),
        ("three", close(Finish::Stop)),
    ] {
        let chunk = response.chunk().await.unwrap().unwrap();
        let line: serde_json::Value = serde_json::from_slice(&chunk).unwrap();
        assert_eq!(line["message"]["content"], text);
        turn.signal(next).await;
    }
    let last: serde_json::Value = serde_json::from_slice(&response.chunk().await.unwrap().unwrap()).unwrap();
    assert_eq!((&last["done"], &last["done_reason"]), (&json!(true), &json!("stop")));
    assert_eq!(response.chunk().await.unwrap(), None);
}

#[tokio::test]
async fn an_answer_comes_in_one_object() {
    let mut running = start().await;
    let mut body = chat("Hi");
    body["stream"] = json!(false);
    body["model"] = json!("tertulia:latest");
    let request = running.post("/api/chat", &body);
    let answer = [
        Signal::Emit(Message::loading("Looking")),
        say("Hel"),
        say("lo"),
        Signal::Emit(Message::tool_call("c1", "lamp", r#"{"on":true}"#)),
        Signal::Emit(Message::tool_call("c2", "door", "")),
        close(Finish::ToolCalls),
    ];
    let (inbound, response) = running.ask(request, &answer).await;
    let object = object(response).await;
    assert_eq!(object["model"], "tertulia:latest");
    assert_eq!(crate::daemon::request(&inbound).model, "tertulia");
    assert_eq!(
        object["message"],
        json!({"role":"assistant","content":"Hello","thinking":"Looking","tool_calls":[
            {"id":"c1","function":{"index":0,"name":"lamp","arguments":{"on":true}}},
            {"id":"c2","function":{"index":1,"name":"door","arguments":{}}}]})
    );
    assert_eq!(
        (&object["done"], &object["done_reason"]),
        (&json!(true), &json!("stop"))
    );
    assert_eq!(object["eval_count"], 2);
}

#[tokio::test]
async fn streamed_calls_are_numbered() {
    let mut running = start().await;
    let request = running.post("/api/chat", &chat("Hi"));
    let call = |name: &str| Signal::Emit(Message::tool_call("", name, "{}"));
    let (_, response) = running
        .ask(request, &[call("a"), call("b"), close(Finish::ToolCalls)])
        .await;
    let lines = lines(response).await;
    let calls: Vec<_> = lines
        .iter()
        .filter_map(|line| line.pointer("/message/tool_calls/0/function"))
        .collect();
    assert_eq!(
        calls,
        [
            &json!({"index":0,"name":"a","arguments":{}}),
            &json!({"index":1,"name":"b","arguments":{}})
        ]
    );
}

#[tokio::test]
async fn an_empty_chat_loads_or_unloads() {
    let mut running = start().await;
    for (body, reason) in [
        (json!({"model":"tertulia"}), "load"),
        (json!({"model":"tertulia","messages":[],"keep_alive":"5m"}), "load"),
        (json!({"model":"tertulia","messages":[],"keep_alive":0}), "unload"),
    ] {
        let loaded = object(running.post("/api/chat", &body).send().await.unwrap()).await;
        let expected = json!({"model":"tertulia","created_at":AT,"message":{"role":"assistant","content":""},
            "done_reason":reason,"done":true});
        assert_eq!(loaded, expected);
    }
    assert!(running.is_idle());
}

#[tokio::test]
async fn a_slow_reader_gets_everything_and_blocks_nobody() {
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
    // far more than the sockets hold, while nobody reads
    let piece = "x".repeat(1000);
    for _ in 0..8000 {
        turn.signal(say(&piece)).await;
    }
    turn.signal(close(Finish::Stop)).await;
    let lines = lines(response.unwrap()).await;
    let text: String = lines
        .iter()
        .filter_map(|line| line["message"]["content"].as_str())
        .collect();
    assert_eq!(text.len(), 5 + 8_000_000);
    assert!(lines.len() < 8000, "pieces that waited are joined");
    assert_eq!(running.finish().await, []);
}
