//! Serves recordings in pieces, and refuses what the real server would refuse.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::Response;
use axum::routing::post;
use futures_util::stream;
use serde_json::Value;
use tertulia_testkit::model_double::refusal;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use super::case::{Case, Exchange};

/// A server of all recordings; it ends when it is dropped.
pub(crate) struct Server {
    address: SocketAddr,
    _task: JoinSet<()>,
}

impl Server {
    pub(crate) async fn start(cases: &[Case]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let exchanges: Vec<Vec<Exchange>> = cases.iter().map(|case| case.exchanges.clone()).collect();
        let router = Router::new()
            .route("/chat/completions", post(serve))
            .with_state(Arc::new(exchanges));
        let mut task = JoinSet::new();
        task.spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { address, _task: task }
    }

    pub(crate) fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }
}

/// The model that stands for one answer of a recording in pieces of a size.
pub(crate) fn model(case: usize, size: usize, round: usize) -> String {
    format!("{case}/{size}/{round}")
}

async fn serve(State(exchanges): State<Arc<Vec<Vec<Exchange>>>>, body: Bytes) -> Response<Body> {
    let asked: Value = serde_json::from_slice(&body).unwrap();
    if let Some(refusal) = refusal(&asked) {
        return Response::builder()
            .status(418)
            .body(Body::from(format!("{}: {asked}", refusal.message)))
            .unwrap();
    }
    let numbers: Vec<usize> = asked["model"]
        .as_str()
        .unwrap()
        .split('/')
        .map(|number| number.parse().unwrap())
        .collect();
    let [case, size, round] = numbers[..] else {
        panic!("a model of another form: {}", asked["model"])
    };
    let exchange = &exchanges[case][round];
    let mut response = Response::builder()
        .status(exchange.status)
        .header("content-type", &exchange.content_type);
    for (name, value) in &exchange.headers {
        response = response.header(name, value);
    }
    let pieces: Vec<Result<Bytes, std::io::Error>> = exchange
        .body
        .as_bytes()
        .chunks(size)
        .map(|piece| Ok(Bytes::copy_from_slice(piece)))
        .collect();
    response.body(Body::from_stream(stream::iter(pieces))).unwrap()
}
