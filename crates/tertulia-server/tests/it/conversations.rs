//! Which conversation a request belongs to, and what of it is new.

use serde_json::{Value, json};
use tertulia_message::{Finish, RequestHistory, Signal};

use crate::daemon::{chat, close, error, lines, request, say, start, start_with};

fn in_conversation(key: &str, id: Value) -> Value {
    let mut body = chat("Hi");
    body[key] = id;
    body
}

#[tokio::test]
async fn the_first_id_decides() {
    let mut running = start().await;
    for (key, id, path) in [
        ("conversation", json!("my-chat"), "ollama_serve/my-chat"),
        ("session", json!("a/b %"), "ollama_serve/a%2Fb%20%25"),
        ("id", json!(42), "ollama_serve/42"),
        ("thread_id", json!("ünï"), "ollama_serve/ünï"),
    ] {
        let inbound = running.handed(&in_conversation(key, id)).await;
        assert_eq!(inbound.path.as_str(), path);
    }
    let mut all = chat("Hi");
    for (key, id) in [("thread_id", "4"), ("id", "3"), ("session", "2"), ("conversation", "")] {
        all[key] = json!(id);
    }
    assert_eq!(running.handed(&all).await.path.as_str(), "ollama_serve/2");
    let by_header = running.post("/api/chat", &all).header("X-Conversation-Id", "0");
    let (inbound, _) = running.ask(by_header, &[close(Finish::Stop)]).await;
    assert_eq!(inbound.path.as_str(), "ollama_serve/0");
}

#[tokio::test]
async fn ids_that_make_no_path_are_refused() {
    let mut running = start().await;
    let long = "x".repeat(600);
    for id in [
        json!("~mine"),
        json!(" "),
        json!("\t"),
        json!("a\u{0}b"),
        json!({"a":1}),
        json!(true),
        json!(long),
    ] {
        let body = in_conversation("conversation", id);
        let response = running.post("/api/chat", &body).send().await.unwrap();
        assert_eq!(error(response).await.0, 400, "{body}");
    }
    assert!(running.is_idle());
}

#[tokio::test]
async fn only_what_follows_the_last_answer_is_new() {
    let mut running = start().await;
    let mut body = in_conversation("conversation", json!("c"));
    body["messages"] = json!([{"role":"system","content":"S"},{"role":"user","content":"old"},
        {"role":"assistant","content":"answer"},{"role":"user","content":"/new"},{"role":"user","content":"more"}]);
    let inbound = running.handed(&body).await;
    let asked = request(&inbound);
    assert_eq!(asked.system.as_deref(), Some("S"));
    let RequestHistory::Stored(new) = &asked.history else {
        panic!("{asked:?}")
    };
    let texts: Vec<_> = new.iter().map(|message| message.text.as_str()).collect();
    assert_eq!(texts, ["/new", "more"]);
    body["messages"] = json!([{"role":"user","content":"old"},{"role":"assistant","content":"answer"}]);
    let response = running.post("/api/chat", &body).send().await.unwrap();
    assert_eq!(
        error(response).await,
        (400, "there is no new message to answer".to_owned())
    );
}

#[tokio::test]
async fn a_tools_result_brings_its_own_history() {
    let mut running = start().await;
    let mut body = in_conversation("conversation", json!("c"));
    body["messages"] = json!([{"role":"user","content":"q"},
        {"role":"assistant","content":"","tool_calls":[{"function":{"name":"f","arguments":{}}}]},
        {"role":"tool","content":"r"}]);
    let inbound = running.handed(&body).await;
    assert!(inbound.path.as_str().starts_with("ollama_serve/~"));
    assert!(matches!(&request(&inbound).history, RequestHistory::Supplied(all) if all.len() == 3));
}

#[tokio::test]
async fn two_conversations_do_not_mix() {
    let mut running = start().await;
    let ask = |running: &crate::daemon::Running, id: &str| {
        running
            .post("/api/chat", &in_conversation("conversation", json!(id)))
            .send()
    };
    let (left, right) = (ask(&running, "left"), ask(&running, "right"));
    let answer = async {
        let (one, two) = (running.turn().await, running.turn().await);
        for word in ["1", "2", "3"] {
            for turn in [&one, &two] {
                turn.signal(say(&format!("{} {word} ", turn.inbound.path.target())))
                    .await;
            }
        }
        // another conversation's path with this request's id reaches nobody
        let stray = Signal::Emit(tertulia_message::Message::text("stray"));
        running.door_signal(&two.inbound.path, &one.inbound.id, stray).await;
        two.signal(close(Finish::Stop)).await;
        one.signal(close(Finish::Stop)).await;
    };
    let (left, right, ()) = tokio::join!(left, right, answer);
    for (response, expected) in [(left, "left 1 left 2 left 3 "), (right, "right 1 right 2 right 3 ")] {
        let lines = lines(response.unwrap()).await;
        let text: String = lines
            .iter()
            .filter_map(|line| line["message"]["content"].as_str())
            .collect();
        assert_eq!(text, expected);
    }
}

#[tokio::test]
async fn tokens_never_share_a_conversation() {
    let mut running = start_with(|config| config.access.tokens = vec!["first".into(), "second".into()]).await;
    let body = in_conversation("conversation", json!("same"));
    let mut paths = Vec::new();
    for token in ["first", "second", "first"] {
        let request = running.post("/api/chat", &body).bearer_auth(token);
        let (inbound, _) = running.ask(request, &[close(Finish::Stop)]).await;
        assert_eq!(inbound.account.identity, inbound.sender.id);
        assert!(inbound.sender.id.starts_with("token-"));
        assert!(!format!("{inbound:?}").contains(token), "a token is nowhere to be seen");
        paths.push(inbound.path);
    }
    assert_eq!(paths.first(), paths.last());
    assert_ne!(paths.first(), paths.get(1));
}
