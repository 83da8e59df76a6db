//! Ports, contracts, and the end.

use std::time::Duration;

use tertulia_interface::{FetchError, Interface};
use tertulia_message::path::InterfacePath;
use tertulia_message::{Act, DeliverError, FileRef, Finish, Found, Outbound, Post, Progress, Reach, TextLimit};
use tertulia_server::{BindError, Server};

use crate::daemon::{chat, close, lines, say, start, start_with};

#[tokio::test]
async fn a_taken_port_is_known_at_once() {
    let running = start().await;
    let error = Server::bind(running.address).await.unwrap_err();
    assert!(
        matches!(error, BindError::InUse(address) if address == running.address),
        "{error}"
    );
}

#[tokio::test]
async fn open_answers_end_before_the_door_closes() {
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
    let address = running.address;
    running.stop.cancel();
    let finish = async {
        turn.signal(say("two")).await;
        turn.signal(close(Finish::Stopped)).await;
        lines(response.unwrap()).await
    };
    let (left, lines) = tokio::join!(running.finish(), finish);
    assert_eq!(left, []);
    assert_eq!(lines.last().unwrap()["done"], true);
    assert!(
        tokio::net::TcpStream::connect(address).await.is_err(),
        "nobody may wait for an answer that will not come"
    );
}

#[tokio::test]
async fn an_answer_without_end_is_cut_and_reported() {
    let mut running = start_with(|config| config.limits.grace = Duration::from_millis(50)).await;
    let request = running.post("/api/chat", &chat("Hi"));
    let (turn, response) = tokio::join!(
        async {
            let turn = running.turn().await;
            turn.signal(say("one")).await;
            turn
        },
        request.send()
    );
    let (left, text) = tokio::join!(running.finish(), response.unwrap().text());
    assert!(text.is_err(), "a cut connection is no end");
    assert_eq!(left, [(turn.inbound.account, turn.inbound.id)]);
}

#[tokio::test]
async fn a_door_has_no_messages_to_post() {
    let running = start().await;
    let path = InterfacePath::parse("ollama_serve/c").unwrap();
    let outbound = Outbound {
        path: path.clone(),
        key: "k".to_owned(),
        re: None,
        act: Act::Post(Post::default()),
        files: Vec::new(),
    };
    assert!(matches!(
        running.door.deliver(&outbound).await,
        Err(DeliverError::Refused(_))
    ));
    assert_eq!(running.door.find(&outbound).await, Found::Absent);
    let file = FileRef {
        handle: String::new(),
        name: String::new(),
        mime: None,
        size: None,
    };
    assert!(matches!(running.door.fetch(&file).await, Err(FetchError::Gone)));
    let limits = running.door.limits(&path);
    assert_eq!(
        (limits.text, limits.progress, limits.reach),
        (TextLimit::None, Progress::Stream, Reach::WhileConnected)
    );
}
