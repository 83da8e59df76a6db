//! Clients that leave before the end of their answer.

use serde_json::json;
use tertulia_message::Finish;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use crate::daemon::{Running, chat, close, lines, say, start};

/// A client that sends a chat and can leave at any moment.
async fn raw_chat(running: &Running, stream: bool) -> TcpStream {
    let mut body = chat("Hi");
    body["stream"] = json!(stream);
    let body = body.to_string();
    let mut socket = TcpStream::connect(running.address).await.unwrap();
    let head = format!(
        "POST /api/chat HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    socket.write_all(format!("{head}{body}").as_bytes()).await.unwrap();
    socket
}

#[tokio::test]
async fn leaving_while_nothing_is_sent_is_noticed_once() {
    for stream in [true, false] {
        let mut running = start().await;
        let socket = raw_chat(&running, stream).await;
        let turn = running.turn().await;
        drop(socket);
        assert_eq!(
            running.gone().await,
            (turn.inbound.account.clone(), turn.inbound.id.clone())
        );
        // late signals of the turn reach nobody, and harm nobody
        turn.signal(say("late")).await;
        turn.signal(close(Finish::Stopped)).await;
        assert_eq!(running.finish().await, []);
    }
}

#[tokio::test]
async fn leaving_in_the_middle_is_noticed_once() {
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
    assert!(response.chunk().await.unwrap().is_some());
    drop(response);
    assert_eq!(running.gone().await.1, turn.inbound.id);
    assert_eq!(running.finish().await, []);
}

#[tokio::test]
async fn leaving_while_the_request_is_being_stored_is_reported_when_it_is() {
    let mut running = start().await;
    let closed = running.daemon.gate.acquire().await.unwrap();
    closed.forget();
    let socket = raw_chat(&running, true).await;
    let turn = running.turn().await;
    drop(socket);
    // a second client is served meanwhile up to the same point: the first one's end was seen
    let second = raw_chat(&running, true).await;
    let other = running.turn().await;
    running.daemon.gate.add_permits(1);
    assert_eq!(running.gone().await.1, turn.inbound.id);
    other.signal(close(Finish::Stop)).await;
    drop(second);
    let left = running.finish().await;
    assert!(left.iter().all(|(_, id)| *id != turn.inbound.id), "once is enough");
}

#[tokio::test]
async fn an_answer_read_to_its_end_is_nobodys_leaving() {
    let mut running = start().await;
    for _ in 0..3 {
        let request = running.post("/api/chat", &chat("Hi"));
        let (_, response) = running.ask(request, &[say("one"), close(Finish::Stop)]).await;
        assert_eq!(lines(response).await.len(), 2);
    }
    assert_eq!(running.finish().await, []);
}
