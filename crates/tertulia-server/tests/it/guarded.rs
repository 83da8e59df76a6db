//! Who may use the door: host, origin, token.

use std::time::Duration;

use reqwest::{Method, Response};
use tertulia_message::Finish;

use crate::daemon::{Running, chat, close, error, start, start_with};

async fn with(running: &Running, route: &str, headers: &[(&str, &str)]) -> Response {
    let request = running.get(route);
    headers
        .iter()
        .fold(request, |request, (name, value)| request.header(*name, *value))
        .send()
        .await
        .unwrap()
}

#[tokio::test]
async fn a_foreign_host_is_turned_away() {
    let running = start_with(|config| config.access.hosts = vec!["chat.example".to_owned()]).await;
    for host in ["localhost", "127.0.0.1:1", "[::1]:11434", "chat.example"] {
        assert_eq!(
            with(&running, "/api/tags", &[("host", host)]).await.status(),
            200,
            "{host}"
        );
    }
    for route in ["/api/tags", "/", "/healthz", "/nothing"] {
        let response = with(&running, route, &[("host", "evil.test")]).await;
        assert_eq!(error(response).await.0, 403, "{route}");
    }
}

#[tokio::test]
async fn a_foreign_page_is_turned_away() {
    let mut running = start().await;
    let own = format!("http://{}", running.address);
    let response = with(&running, "/api/tags", &[("origin", &own)]).await;
    assert_eq!(response.status(), 200);
    for origin in [
        "https://evil.test",
        "null",
        "http://localhost.evil.test",
        "http://127.0.0.1:1",
    ] {
        let response = with(&running, "/api/tags", &[("origin", origin)]).await;
        assert!(response.headers().get("access-control-allow-origin").is_none());
        assert_eq!(error(response).await.0, 403, "{origin}");
    }
    let post = running
        .post("/api/chat", &chat("Hi"))
        .header("origin", "https://evil.test");
    assert_eq!(error(post.send().await.unwrap()).await.0, 403);
    let form = running
        .post("/api/chat", &chat("Hi"))
        .header("origin", &own)
        .header("content-type", "text/plain");
    assert_eq!(error(form.send().await.unwrap()).await.0, 415);
    let json = running.post("/api/chat", &chat("Hi")).header("origin", &own);
    let json = json.header("content-type", "application/json; charset=utf-8");
    let (_, response) = running.ask(json, &[close(Finish::Stop)]).await;
    assert_eq!(response.status(), 200);
    assert!(running.is_idle());
}

#[tokio::test]
async fn a_listed_page_is_let_in_and_told_so() {
    let running = start_with(|config| {
        config.access.origins = vec!["https://chat.example".to_owned()];
        config.access.tokens = vec!["right".into()];
    })
    .await;
    let origin = ("origin", "https://chat.example");
    let allowed = |response: &Response| response.headers().get("access-control-allow-origin").cloned();
    let response = with(&running, "/api/tags", &[origin, ("authorization", "Bearer right")]).await;
    assert_eq!(response.status(), 200);
    assert_eq!(allowed(&response).unwrap(), "https://chat.example");
    let preflight = running.client.request(Method::OPTIONS, running.url("/api/chat"));
    let preflight = preflight
        .header(origin.0, origin.1)
        .header("access-control-request-method", "POST");
    let response = preflight.send().await.unwrap();
    assert_eq!(response.status(), 204);
    assert_eq!(allowed(&response).unwrap(), "https://chat.example");
    assert!(response.headers().get("access-control-allow-credentials").is_none());
    let response = with(&running, "/api/tags", &[origin]).await;
    assert_eq!(response.status(), 401, "a listed page still needs a token");
}

#[tokio::test]
async fn with_a_token_configured_every_route_wants_it() {
    let mut running = start_with(|config| config.access.tokens = vec!["right".into()]).await;
    for (method, route) in [
        (Method::GET, "/"),
        (Method::GET, "/api/version"),
        (Method::GET, "/api/tags"),
        (Method::GET, "/api/ps"),
        (Method::POST, "/api/show"),
        (Method::POST, "/api/chat"),
        (Method::POST, "/api/generate"),
        (Method::POST, "/api/embed"),
        (Method::POST, "/api/pull"),
        (Method::DELETE, "/api/delete"),
        (Method::GET, "/nothing"),
        (Method::PUT, "/api/chat"),
        (Method::OPTIONS, "/api/chat"),
    ] {
        let response = running
            .client
            .request(method.clone(), running.url(route))
            .body("{")
            .send()
            .await
            .unwrap();
        assert_eq!(response.headers().get("www-authenticate").unwrap(), "Bearer");
        assert_eq!(
            error(response).await,
            (401, "unauthorized".to_owned()),
            "{method} {route}"
        );
    }
    assert_eq!(with(&running, "/healthz", &[]).await.status(), 200);
    for headers in [
        vec![("authorization", "Bearer wrong")],
        vec![("authorization", "right")],
        vec![("authorization", "Basic right")],
        vec![("authorization", "Bearer right"), ("authorization", "Bearer right")],
        vec![("x-api-key", "right")],
        vec![("api-key", "right")],
        vec![("cookie", "token=right")],
    ] {
        assert_eq!(with(&running, "/api/tags", &headers).await.status(), 401, "{headers:?}");
    }
    assert_eq!(with(&running, "/api/tags?token=right", &[]).await.status(), 401);
    assert_eq!(
        with(&running, "/api/tags", &[("authorization", "bearer right")])
            .await
            .status(),
        200
    );
    assert!(running.is_idle());
}

#[tokio::test]
async fn without_a_token_configured_a_junk_one_changes_nothing() {
    let mut running = start().await;
    let request = running.post("/api/chat", &chat("Hi")).bearer_auth("junk");
    let (inbound, _) = running.ask(request, &[close(Finish::Stop)]).await;
    assert_eq!(inbound.sender.id, "local");
}

#[tokio::test]
async fn connections_are_counted() {
    let mut running = start_with(|config| config.limits.connections = 1).await;
    let first = running
        .post("/api/chat", &chat("Hi"))
        .header("connection", "close")
        .send();
    let second = running.get("/healthz").send();
    tokio::pin!(first, second);
    let turn = tokio::select! {
        turn = running.turn() => turn,
        _ = &mut first => panic!("answered too early"),
    };
    // the system makes the second connection, but nobody looks at it
    tokio::select! {
        biased;
        _ = &mut second => panic!("there was no room"),
        () = tokio::time::sleep(Duration::from_millis(50)) => {}
    }
    turn.signal(close(Finish::Stop)).await;
    first.await.unwrap().text().await.unwrap();
    assert_eq!(second.await.unwrap().status(), 200);
}
