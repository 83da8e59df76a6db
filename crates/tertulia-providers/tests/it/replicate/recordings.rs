//! Sequences of making a prediction, reading its stream and looking at it, cut anywhere.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::{Method, Response, Uri};
use serde_json::json;
use tertulia_providers::{Replicate, ReplicateConfig, ServerConfig};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use super::asking;
use crate::asking::{Answer, CANARY, ask};
use crate::recordings::case::{self, Case, Exchange};
use crate::recordings::{expected, server, tell};

const SIZES: [usize; 3] = [1, 7, 4096];

/// All sequences; each run has a place of its own and goes on by itself.
struct Played {
    cases: Vec<Case>,
    base_url: String,
    next: Mutex<BTreeMap<String, usize>>,
}

/// The address begins with the number of the case and the size of the pieces.
async fn serve(State(played): State<Arc<Played>>, method: Method, uri: Uri) -> Response<Body> {
    let words: Vec<&str> = uri.path().trim_start_matches('/').splitn(3, '/').collect();
    let (number, size): (usize, usize) = (words[0].parse().unwrap(), words[1].parse().unwrap());
    let base = format!("{}/{number}/{size}", played.base_url);
    let path = format!("/{}", words[2]);
    let exchanges = &played.cases[number].exchanges;
    let mut next = played.next.lock().unwrap();
    let next = next.entry(format!("{number}/{size}")).or_default();
    let moved = |exchange: &Exchange| Exchange {
        body: exchange
            .body
            .replace("https://api.replicate.com", &base)
            .replace("https://stream.replicate.com", &base),
        ..exchange.clone()
    };
    match exchanges.get(*next) {
        Some(exchange) if exchange.method == method.as_str() && exchange.path == path => {
            *next += 1;
            server::pieces(&moved(exchange), size)
        }
        // a sequence whose beginning was not written down
        Some(exchange) if *next == 0 && method == Method::POST => {
            let place = format!("{base}{}", exchange.path);
            let mut urls = json!({"get": place});
            if exchange.content_type.starts_with("text/event-stream") {
                urls["stream"] = urls["get"].clone();
            }
            let body = json!({"id": "1", "status": "starting", "urls": urls});
            server::pieces(
                &Exchange {
                    status: 201,
                    content_type: "application/json".into(),
                    body: body.to_string(),
                    ..exchange.clone()
                },
                size,
            )
        }
        _ => Response::builder().status(404).body(Body::empty()).unwrap(),
    }
}

async fn play(played: &Played, number: usize, size: usize) -> Answer {
    let config = ReplicateConfig {
        poll: Duration::from_millis(5),
        ..ReplicateConfig::of(ServerConfig {
            api_key: Some(CANARY.into()),
            ..ServerConfig::at("replicate", format!("{}/{number}/{size}", played.base_url))
        })
    };
    let first = &played.cases[number].exchanges[0];
    let model = match first.path.strip_prefix("/v1/models/") {
        Some(place) => place.trim_end_matches("/predictions").to_owned(),
        None => "acme/chatty-8b".to_owned(),
    };
    ask(&Replicate::new(config).unwrap(), asking(&model)).await
}

#[tokio::test]
async fn recordings_of_replicate() {
    let Some(folder) = case::folder() else { return };
    let (cases, _) = case::cases(&folder, &["replicate"], "predictions");
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let played = Arc::new(Played {
        cases,
        base_url: format!("http://{}", listener.local_addr().unwrap()),
        next: Mutex::default(),
    });
    let router = Router::new().fallback(serve).with_state(Arc::clone(&played));
    let mut task = JoinSet::new();
    task.spawn(async move { axum::serve(listener, router).await.unwrap() });
    let mut broken = Vec::new();
    for (number, case) in played.cases.iter().enumerate() {
        for size in SIZES {
            let answer = play(&played, number, size).await;
            let outcome = expected::compare(case, case.exchanges.last().unwrap(), &answer);
            broken.extend(outcome.err().map(|error| format!("{} by {size}: {error}", case.name)));
            let left = case.exchanges.len() - played.next.lock().unwrap()[&format!("{number}/{size}")];
            assert_eq!(left, 0, "{} is not played to its end", case.name);
        }
    }
    let count = played.cases.len();
    tell(&format!(
        "{count} sequences of Replicate in {} runs",
        count * SIZES.len()
    ));
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}
