//! Serves recordings in pieces, and refuses what the real server would refuse.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use futures_util::stream;
use serde_json::{Value, json};
use tertulia_testkit::{model_double, ollama_double};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use super::case::{Case, Exchange};
use crate::anthropic::rules;

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
            .route("/chat/completions", post(complete))
            .route("/deepseek/chat/completions", post(super::chat::deepseek))
            .route("/openrouter/chat/completions", post(super::chat::openrouter))
            .route("/api/chat", post(chat))
            .route("/v1/messages", post(messages))
            .route("/responses", post(super::responses::respond))
            .route("/v1beta/models/{model}", post(super::gemini::generate))
            .route("/api/show", post(show))
            .route("/api/version", get(version))
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

/// What every model of an Ollama can here.
const ABILITIES: [&str; 4] = ["completion", "tools", "vision", "thinking"];

async fn show() -> Json<Value> {
    Json(json!({"capabilities": ABILITIES, "model_info": {"llama.context_length": 40960}}))
}

async fn version() -> Json<Value> {
    Json(json!({"version": "0.30.9"}))
}

async fn complete(State(exchanges): State<Arc<Vec<Vec<Exchange>>>>, body: Bytes) -> Response<Body> {
    let asked: Value = serde_json::from_slice(&body).unwrap();
    let refusal = model_double::refusal(&asked).map(|refusal| refusal.message);
    serve(&exchanges, &asked, refusal)
}

/// Thinking that is expected to come back must have come back.
async fn chat(State(exchanges): State<Arc<Vec<Vec<Exchange>>>>, body: Bytes) -> Response<Body> {
    let asked: Value = serde_json::from_slice(&body).unwrap();
    let [case, _, round] = numbers(&asked);
    let echo = round
        .checked_sub(1)
        .map(|before| &exchanges[case][before].expected["echo"]["thinking"]);
    let lacks = echo.is_some_and(|echo| echo != &asked["messages"][1]["thinking"]);
    let refusal = ollama_double::refusal(&asked, true, &ABILITIES);
    serve(
        &exchanges,
        &asked,
        refusal.or_else(|| lacks.then(|| "the thinking is lost".into())),
    )
}

/// The blocks that are expected to come back must have come back.
async fn messages(State(exchanges): State<Arc<Vec<Vec<Exchange>>>>, headers: HeaderMap, body: Bytes) -> Response<Body> {
    let asked: Value = serde_json::from_slice(&body).unwrap();
    let [case, _, round] = numbers(&asked);
    let echo = round
        .checked_sub(1)
        .map(|before| &exchanges[case][before].expected["echo"]);
    let lacks = echo.is_some_and(|echo| !rules::has_echo(&asked, echo));
    let refusal = rules::refusal(&headers, &asked);
    serve(
        &exchanges,
        &asked,
        refusal.or_else(|| lacks.then(|| "the blocks are lost".into())),
    )
}

pub(super) fn serve(exchanges: &[Vec<Exchange>], asked: &Value, refusal: Option<String>) -> Response<Body> {
    if let Some(refusal) = refusal {
        return Response::builder()
            .status(418)
            .body(Body::from(format!("{refusal}: {asked}")))
            .unwrap();
    }
    let [case, size, round] = numbers(asked);
    pieces(&exchanges[case][round], size)
}

/// What was answered, in pieces of a size.
pub(crate) fn pieces(exchange: &Exchange, size: usize) -> Response<Body> {
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

pub(super) fn numbers(asked: &Value) -> [usize; 3] {
    let numbers: Vec<usize> = asked["model"]
        .as_str()
        .unwrap()
        .split('/')
        .map(|number| number.parse().unwrap())
        .collect();
    numbers.try_into().unwrap()
}
