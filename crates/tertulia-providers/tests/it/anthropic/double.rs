//! A server that speaks the Messages API as strictly as the real one, for a few scenes.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::Mutex;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Path, State};
use axum::http::{HeaderMap, Response};
use axum::routing::{get, post};
use futures_util::stream;
use serde_json::Value;
use tertulia_providers::{Anthropic, AnthropicConfig, ServerConfig};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::rules;
use crate::asking::CANARY;

/// What is answered where no scene is set.
const WHOLE: &str = r#"{"content":[{"type":"text","text":"Hi"}],"stop_reason":"end_turn"}"#;

/// What to do with the next question.
#[derive(Debug, Clone)]
pub(crate) enum Scene {
    /// These events, one by one, with the pause between two.
    Events(Vec<String>, Duration),
    /// A text without end.
    Endless(Duration),
    /// A whole answer.
    Plain(u16, &'static str, String),
}

/// The server; it ends when it is dropped.
pub(crate) struct AnthropicDouble {
    address: SocketAddr,
    state: Arc<Inner>,
    _task: JoinSet<()>,
}

#[derive(Default)]
struct Inner {
    scenes: Mutex<VecDeque<Scene>>,
    asked: Mutex<Vec<Value>>,
    refusals: Mutex<Vec<String>>,
    gone: watch::Sender<usize>,
}

/// Counts a stream whose reader has gone before its end.
struct Gone(Arc<Inner>);

impl Drop for Gone {
    fn drop(&mut self) {
        self.0.gone.send_modify(|gone| *gone += 1);
    }
}

impl AnthropicDouble {
    pub(crate) const MODEL: &str = "claude-sonnet-4-5";

    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let state = Arc::new(Inner::default());
        let router = Router::new()
            .route("/v1/messages", post(messages))
            .route("/v1/models/{model}", get(model))
            .with_state(Arc::clone(&state));
        let mut task = JoinSet::new();
        task.spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self {
            address,
            state,
            _task: task,
        }
    }

    pub(crate) fn config(&self) -> AnthropicConfig {
        AnthropicConfig::of(ServerConfig {
            api_key: Some(CANARY.into()),
            model: Self::MODEL.into(),
            ..ServerConfig::at("anthropic", format!("http://{}", self.address))
        })
    }

    pub(crate) fn provider(&self) -> Anthropic {
        Anthropic::new(self.config()).unwrap()
    }

    pub(crate) fn push(&self, scene: Scene) {
        self.state.scenes.lock().unwrap().push_back(scene);
    }

    pub(crate) fn asked(&self) -> Vec<Value> {
        self.state.asked.lock().unwrap().clone()
    }

    pub(crate) fn refusals(&self) -> Vec<String> {
        self.state.refusals.lock().unwrap().clone()
    }

    /// Waits until somebody went away in the middle of an endless answer.
    pub(crate) async fn left_alone(&self) -> bool {
        let mut gone = self.state.gone.subscribe();
        let waited = tokio::time::timeout(Duration::from_secs(20), gone.wait_for(|gone| *gone > 0)).await;
        waited.is_ok()
    }
}

/// The events of an answer of text.
pub(crate) fn text_events(pieces: &[&str]) -> Vec<String> {
    let delta = |text: &&str| {
        let text = Value::from(*text);
        event(&format!(
            r#"{{"type":"content_block_delta","index":0,"delta":{{"type":"text_delta","text":{text}}}}}"#
        ))
    };
    let begin = [
        r#"{"type":"message_start","message":{"usage":{"input_tokens":9,"output_tokens":1}}}"#,
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
    ];
    let end = [
        r#"{"type":"content_block_stop","index":0}"#,
        r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":12}}"#,
        r#"{"type":"message_stop"}"#,
    ];
    let begin = begin.into_iter().map(event);
    begin
        .chain(pieces.iter().map(delta))
        .chain(end.into_iter().map(event))
        .collect()
}

/// One event on the wire.
pub(crate) fn event(data: &str) -> String {
    let value: Value = serde_json::from_str(data).unwrap();
    format!("event: {}\ndata: {data}\n\n", value["type"].as_str().unwrap())
}

async fn messages(State(state): State<Arc<Inner>>, headers: HeaderMap, body: Bytes) -> Response<Body> {
    let asked: Value = serde_json::from_slice(&body).unwrap();
    let refusal = rules::refusal(&headers, &asked);
    state.asked.lock().unwrap().push(asked);
    if let Some(refusal) = refusal {
        state.refusals.lock().unwrap().push(refusal.clone());
        return plain(400, "text/plain", refusal);
    }
    let scene = state.scenes.lock().unwrap().pop_front();
    match scene.unwrap_or_else(|| Scene::Plain(200, "application/json", WHOLE.into())) {
        Scene::Plain(status, kind, body) => plain(status, kind, body),
        Scene::Events(events, pause) => flow(stream::unfold(events.into_iter(), move |mut events| async move {
            tokio::time::sleep(pause).await;
            Some((events.next()?, events))
        })),
        Scene::Endless(pause) => {
            let begun = text_events(&[])[..2].concat();
            let more = text_events(&["on and on "])[2].clone();
            let first = (Some(begun), Gone(state));
            flow(stream::unfold(first, move |(begun, gone)| {
                let more = more.clone();
                async move {
                    tokio::time::sleep(pause).await;
                    Some((begun.unwrap_or(more), (None, gone)))
                }
            }))
        }
    }
}

async fn model(Path(model): Path<String>, headers: HeaderMap) -> Response<Body> {
    if let Err(refusal) = rules::door(&headers) {
        let error = format!(r#"{{"type":"error","error":{{"type":"authentication_error","message":"{refusal}"}}}}"#);
        return plain(401, "application/json", error);
    }
    if model == AnthropicDouble::MODEL {
        return plain(200, "application/json", format!(r#"{{"type":"model","id":"{model}"}}"#));
    }
    let error = format!(
        r#"{{"type":"error","error":{{"type":"not_found_error","message":"model: {model}"}},"request_id":"req_secret"}}"#
    );
    plain(404, "application/json", error)
}

fn plain(status: u16, kind: &str, body: String) -> Response<Body> {
    Response::builder()
        .status(status)
        .header("content-type", kind)
        .body(Body::from(body))
        .unwrap()
}

fn flow(pieces: impl futures_util::Stream<Item = String> + Send + 'static) -> Response<Body> {
    use futures_util::StreamExt;
    let pieces = pieces.map(Ok::<_, std::io::Error>);
    Response::builder()
        .header("content-type", "text/event-stream; charset=utf-8")
        .body(Body::from_stream(pieces))
        .unwrap()
}
