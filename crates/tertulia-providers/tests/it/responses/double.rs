//! A server that speaks the Responses API as strictly as the real one, for a few scenes.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::Mutex;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Response};
use axum::routing::{get, post};
use futures_util::{StreamExt, stream};
use serde_json::{Value, json};
use tertulia_providers::{OpenAi, OpenAiApi, OpenAiConfig, ServerConfig};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::rules;
use crate::asking::CANARY;

/// What is answered where no scene is set.
const WHOLE: &str = r#"{"status":"completed","output":[
    {"type":"message","id":"msg_1","role":"assistant","content":[{"type":"output_text","text":"Hi","annotations":[]}]}]}"#;

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
pub(crate) struct ResponsesDouble {
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

impl ResponsesDouble {
    /// A name by which OpenAI's models are known to think; here nobody knows that.
    pub(crate) const MODEL: &str = "gpt-5";

    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let state = Arc::new(Inner::default());
        let router = Router::new()
            .route("/v1/responses", post(responses))
            .route("/v1/models", get(models))
            .with_state(Arc::clone(&state));
        let mut task = JoinSet::new();
        task.spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self {
            address,
            state,
            _task: task,
        }
    }

    pub(crate) fn config(&self) -> OpenAiConfig {
        let mut server = ServerConfig {
            api_key: Some(CANARY.into()),
            model: Self::MODEL.into(),
            ..ServerConfig::at("openai", format!("http://{}/v1", self.address))
        };
        let thinks = server.capabilities.models.entry(Self::MODEL.into()).or_default();
        thinks.thinking = Some(true);
        OpenAiConfig {
            api: OpenAiApi::Responses,
            ..OpenAiConfig::of(server)
        }
    }

    pub(crate) fn provider(&self) -> OpenAi {
        OpenAi::new(self.config()).unwrap()
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
    let text = pieces.concat();
    let delta = |text: &&str| json!({"type": "response.output_text.delta", "output_index": 0, "delta": text});
    let item = |text: &str| {
        json!({"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
            "content": [{"type": "output_text", "text": text, "annotations": []}]})
    };
    let usage = json!({"input_tokens": 9, "output_tokens": 12});
    let begin = [
        json!({"type": "response.created", "response": {"status": "in_progress", "output": [], "usage": null}}),
        json!({"type": "response.output_item.added", "output_index": 0,
            "item": {"type": "message", "id": "msg_1", "role": "assistant", "content": []}}),
    ];
    let end = [
        json!({"type": "response.output_item.done", "output_index": 0, "item": item(&text)}),
        json!({"type": "response.completed",
            "response": {"status": "completed", "error": null, "output": [item(&text)], "usage": usage}}),
    ];
    let all = begin.into_iter().chain(pieces.iter().map(delta)).chain(end);
    all.map(|data| event(&data)).collect()
}

/// One event on the wire.
pub(crate) fn event(data: &Value) -> String {
    format!("event: {}\ndata: {data}\n\n", data["type"].as_str().unwrap())
}

async fn responses(State(state): State<Arc<Inner>>, headers: HeaderMap, body: Bytes) -> Response<Body> {
    let asked: Value = serde_json::from_slice(&body).unwrap();
    let stranger = stranger(&headers).then(|| "Incorrect API key".to_owned());
    let refusal = stranger.or_else(|| rules::refusal(&asked));
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

async fn models(headers: HeaderMap) -> Response<Body> {
    if stranger(&headers) {
        let error = json!({"error": {"message": "Incorrect API key", "code": "invalid_api_key"}});
        return plain(401, "application/json", error.to_string());
    }
    plain(200, "application/json", r#"{"object":"list","data":[]}"#.into())
}

fn stranger(headers: &HeaderMap) -> bool {
    let key = headers.get("authorization").and_then(|key| key.to_str().ok());
    key != Some(&format!("Bearer {CANARY}"))
}

fn plain(status: u16, kind: &str, body: String) -> Response<Body> {
    Response::builder()
        .status(status)
        .header("content-type", kind)
        .body(Body::from(body))
        .unwrap()
}

fn flow(pieces: impl futures_util::Stream<Item = String> + Send + 'static) -> Response<Body> {
    let pieces = pieces.map(Ok::<_, std::io::Error>);
    Response::builder()
        .header("content-type", "text/event-stream; charset=utf-8")
        .body(Body::from_stream(pieces))
        .unwrap()
}
