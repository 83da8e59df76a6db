//! Inputs that mean harm get an error in the form of the door, and nothing else.

use std::time::Duration;

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::daemon::{PATIENCE, Running, chat, error, start, start_with};

async fn post(running: &Running, route: &str, body: Vec<u8>) -> (u16, String) {
    error(running.client.post(running.url(route)).body(body).send().await.unwrap()).await
}

#[tokio::test]
async fn broken_bodies_are_refused() {
    let mut running = start().await;
    let wrapped = |inner: &str| format!(r#"{{"model":"tertulia","messages":[{{"role":"user","content":{inner}}}]}}"#);
    let deep = wrapped(&format!("{}{}", "[".repeat(100_000), "]".repeat(100_000)));
    let bodies: Vec<Vec<u8>> = vec![
        b"".to_vec(),
        b"  \n".to_vec(),
        b"{".to_vec(),
        b"[]".to_vec(),
        b"null".to_vec(),
        b"{}{}".to_vec(),
        "[".repeat(1_000_000).into_bytes(),
        deep.into_bytes(),
        wrapped("1e999").into_bytes(),
        wrapped(&"9".repeat(10_000)).into_bytes(),
        wrapped(r#""\u0000""#).into_bytes(),
        wrapped(r#""\ud800""#).into_bytes(),
        wrapped("\"\0\"").into_bytes(),
        b"{\"model\":\"\xff\xfe\"}".to_vec(),
        br#"{"model":"tertulia","messages":[],"keep_alive":1e400}"#.to_vec(),
        br#"{"model":"tertulia","messages":[{"role":"user","content":"x"}],"options":{"seed":99999999999999999999}}"#
            .to_vec(),
        br#"{"model":"tertulia","messages":[null]}"#.to_vec(),
        br#"{"model":["tertulia"]}"#.to_vec(),
    ];
    for body in bodies {
        let start = String::from_utf8_lossy(body.get(..body.len().min(60)).unwrap()).into_owned();
        let (status, text) = post(&running, "/api/chat", body.clone()).await;
        assert_eq!(status, 400, "{start}: {text}");
        // other routes pass over what is wrong in fields that they do not know
        for route in ["/api/generate", "/api/show", "/api/pull"] {
            let response = running
                .client
                .post(running.url(route))
                .body(body.clone())
                .send()
                .await
                .unwrap();
            assert!([200, 400].contains(&response.status().as_u16()), "{route} {start}");
        }
    }
    assert_eq!(post(&running, "/api/chat", Vec::new()).await.1, "missing request body");
    assert!(running.is_idle());
    running.handed(&chat("still there")).await;
}

#[tokio::test]
async fn bodies_have_a_limit_by_route() {
    let mut running = start_with(|config| {
        config.limits.small_body = 1000;
        config.limits.large_body = 100_000;
    })
    .await;
    let filled = |size: usize| {
        json!({"model":"tertulia","x":"x".repeat(size)})
            .to_string()
            .into_bytes()
    };
    assert_eq!(post(&running, "/api/show", filled(2000)).await.0, 413);
    for route in ["/api/chat", "/api/generate"] {
        assert_eq!(post(&running, route, filled(3_000_000)).await.0, 413, "{route}");
        let loaded = running
            .client
            .post(running.url(route))
            .body(filled(50_000))
            .send()
            .await
            .unwrap();
        assert_eq!(loaded.status(), 200, "{route}");
    }
    assert!(running.is_idle());
}

/// Sends raw bytes, and reads until the server closes.
async fn raw(running: &Running, bytes: &[u8]) -> String {
    let mut socket = TcpStream::connect(running.address).await.unwrap();
    socket.write_all(bytes).await.unwrap();
    let mut answer = Vec::new();
    timeout(PATIENCE, socket.read_to_end(&mut answer))
        .await
        .unwrap()
        .unwrap();
    String::from_utf8(answer).unwrap()
}

#[tokio::test]
async fn a_body_that_announces_itself_as_far_too_large_is_not_waited_for() {
    let running = start().await;
    let head = b"POST /api/chat HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\n{";
    let answer = raw(&running, head).await;
    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
    assert!(
        answer.ends_with("{\"error\":\"the request body is larger than 33554432 bytes\"}"),
        "{answer}"
    );
}

#[tokio::test]
async fn slow_clients_are_not_waited_for() {
    let running = start_with(|config| {
        config.limits.header = Duration::from_millis(50);
        config.limits.body = Duration::from_millis(50);
    })
    .await;
    assert_eq!(raw(&running, b"GET / HTTP/1.1\r\nHost: local").await, "");
    let half = b"POST /api/chat HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{\"model\":";
    let answer = raw(&running, half).await;
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
    assert!(
        answer.ends_with("{\"error\":\"the body did not arrive in time\"}"),
        "{answer}"
    );
}

#[tokio::test]
async fn a_client_that_stops_reading_is_cut_off() {
    let mut running = start_with(|config| config.limits.stall = Duration::from_millis(100)).await;
    let body = chat("Hi").to_string();
    let mut socket = TcpStream::connect(running.address).await.unwrap();
    let head = format!(
        "POST /api/chat HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    socket.write_all(format!("{head}{body}").as_bytes()).await.unwrap();
    let turn = running.turn().await;
    turn.signal(crate::daemon::say(&"x".repeat(12 << 20))).await;
    // the socket is open and nothing is read from it: only the server's patience can end this
    assert_eq!(running.gone().await.1, turn.inbound.id);
    drop(socket);
}

#[tokio::test]
async fn noise_instead_of_http_harms_nobody() {
    let mut running = start().await;
    for noise in [
        &b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"[..],
        b"GET / HTTP/9.9\r\n\r\n",
        b"POST /api/chat HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
        b"POST /api/chat HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
    ] {
        let answer = raw(&running, noise).await;
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 400"), "{answer}");
    }
    running.handed(&chat("still there")).await;
}
