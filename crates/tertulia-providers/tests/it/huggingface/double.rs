//! A strict double of HuggingFace on loopback: text generation as TGI speaks it, the router's list of models, and the tasks
//! of its own inference.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, Response};
use axum::middleware::{self, Next};
use axum::routing::{get, post};
use axum::{Json, Router};
use futures_util::{Stream, StreamExt, stream};
use serde_json::{Value, json};
use tertulia_providers::{HuggingFaceApi, HuggingFaceConfig, ServerConfig};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::asking::CANARY;

/// What to do with the next question.
#[derive(Debug, Clone)]
pub(crate) enum Scene {
    /// These tokens with a wait before each, then the end.
    Tokens(Vec<&'static str>, Duration),
    /// A token every so often, for ever.
    Endless(Duration),
    /// Anything.
    Plain(u16, Value),
}

/// The double; it ends when it is dropped.
pub(crate) struct HuggingFaceDouble {
    address: SocketAddr,
    inner: Arc<Inner>,
    _task: JoinSet<()>,
}

#[derive(Default)]
struct Inner {
    scenes: Mutex<VecDeque<Scene>>,
    asked: Mutex<Vec<(String, Value)>>,
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

type Double = State<Arc<Inner>>;

impl HuggingFaceDouble {
    pub(crate) const MODEL: &str = "acme/writer-1b";
    pub(crate) const ANSWER: &str = " This is the double speaking.";
    /// The window that an endpoint of its own tells, in tokens.
    pub(crate) const WINDOW: u64 = 2_048;
    /// The smallest thing that passes for a picture.
    pub(crate) const PICTURE: &[u8] = b"\x89PNG\r\n\x1a\n";

    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let inner = Arc::new(Inner::default());
        let router = Router::new()
            .route("/models/{owner}/{name}", post(generate_named).get(alive))
            .route("/", post(generate))
            .route("/info", get(info))
            .route("/v1/models", get(list))
            .route("/hf-inference/models/{owner}/{name}", post(task))
            .layer(middleware::from_fn_with_state(Arc::clone(&inner), guard))
            .with_state(Arc::clone(&inner));
        let mut task = JoinSet::new();
        task.spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self {
            address,
            inner,
            _task: task,
        }
    }

    /// Text generation; below `/v1` a chat of which there is only the list of models.
    pub(crate) fn config(&self, api: HuggingFaceApi) -> HuggingFaceConfig {
        let below = if api == HuggingFaceApi::Chat { "/v1" } else { "" };
        HuggingFaceConfig {
            api,
            ..HuggingFaceConfig::of(ServerConfig {
                api_key: Some(CANARY.into()),
                model: Self::MODEL.into(),
                ..ServerConfig::at("huggingface", format!("http://{}{below}", self.address))
            })
        }
    }

    pub(crate) fn push(&self, scene: Scene) {
        self.inner.scenes.lock().unwrap().push_back(scene);
    }

    /// Places and bodies of the questions.
    pub(crate) fn asked(&self) -> Vec<(String, Value)> {
        self.inner.asked.lock().unwrap().clone()
    }

    pub(crate) fn refusals(&self) -> Vec<String> {
        self.inner.refusals.lock().unwrap().clone()
    }

    /// Waits until somebody went away in the middle of an endless answer.
    pub(crate) async fn left_alone(&self) -> bool {
        let mut gone = self.inner.gone.subscribe();
        let waited = tokio::time::timeout(Duration::from_secs(20), gone.wait_for(|gone| *gone > 0)).await;
        waited.is_ok()
    }
}

async fn guard(State(inner): Double, request: Request, next: Next) -> Response<Body> {
    let key = request.headers().get("authorization").and_then(|key| key.to_str().ok());
    if key == Some(&format!("Bearer {CANARY}")) {
        return next.run(request).await;
    }
    inner
        .refusals
        .lock()
        .unwrap()
        .push(format!("no key for {}", request.uri()));
    said(401, &json!({"error": "Invalid username or password."}))
}

fn said(status: u16, body: &Value) -> Response<Body> {
    let response = Response::builder()
        .status(status)
        .header("content-type", "application/json");
    response.body(Body::from(body.to_string())).unwrap()
}

async fn generate_named(
    State(inner): Double,
    Path((owner, name)): Path<(String, String)>,
    Json(asked): Json<Value>,
) -> Response<Body> {
    let model = format!("{owner}/{name}");
    if model != HuggingFaceDouble::MODEL {
        return said(404, &json!({"error": format!("Model {model} does not exist")}));
    }
    answer(inner, model, asked)
}

async fn generate(State(inner): Double, Json(asked): Json<Value>) -> Response<Body> {
    answer(inner, String::new(), asked)
}

fn answer(inner: Arc<Inner>, place: String, asked: Value) -> Response<Body> {
    let refusal = refusal(&asked);
    inner.asked.lock().unwrap().push((place, asked));
    if let Some(refusal) = refusal {
        inner.refusals.lock().unwrap().push(refusal.to_owned());
        let error = format!("Input validation error: {refusal}");
        return said(422, &json!({"error": error, "error_type": "validation"}));
    }
    let scene = inner.scenes.lock().unwrap().pop_front();
    match scene.unwrap_or(Scene::Tokens(vec![HuggingFaceDouble::ANSWER], Duration::ZERO)) {
        Scene::Plain(status, body) => said(status, &body),
        Scene::Tokens(tokens, pause) => {
            let whole: String = tokens.concat();
            let details = json!({"finish_reason": "eos_token", "generated_tokens": tokens.len(), "input_length": 7});
            let pieces = tokens
                .into_iter()
                .map(|text| token(text, false, &Value::Null, &Value::Null));
            let end = token("</s>", true, &whole.into(), &details);
            let events: Vec<String> = pieces.chain([end]).collect();
            flow(stream::iter(events).then(move |event| async move {
                tokio::time::sleep(pause).await;
                event
            }))
        }
        Scene::Endless(pause) => flow(stream::unfold(Gone(inner), move |gone| async move {
            tokio::time::sleep(pause).await;
            Some((token(" on", false, &Value::Null, &Value::Null), gone))
        })),
    }
}

/// What a server that was set up without a word about it refuses.
fn refusal(asked: &Value) -> Option<&'static str> {
    let parameters = &asked["parameters"];
    let number = |name: &str| parameters[name].as_f64();
    let stops = parameters["stop"].as_array().map_or(0, Vec::len);
    if asked["inputs"].as_str().is_none_or(str::is_empty) || asked["stream"] != true {
        Some("`inputs` cannot be empty")
    } else if number("temperature").is_some_and(|temperature| temperature <= 0.0) {
        Some("`temperature` must be strictly positive")
    } else if number("top_p").is_some_and(|top_p| top_p <= 0.0 || top_p >= 1.0) {
        Some("`top_p` must be > 0.0 and < 1.0")
    } else if number("max_new_tokens").is_none_or(|tokens| tokens <= 0.0) {
        Some("`max_new_tokens` must be strictly positive")
    } else if stops > 4 {
        Some("`stop` supports up to 4 stop sequences")
    } else {
        None
    }
}

fn token(text: &str, special: bool, whole: &Value, details: &Value) -> String {
    let piece = json!({
        "index": 1, "token": {"id": 7, "text": text, "logprob": -0.5, "special": special},
        "generated_text": whole, "details": details,
    });
    format!("data:{piece}\n\n")
}

fn flow(events: impl Stream<Item = String> + Send + 'static) -> Response<Body> {
    let response = Response::builder().header("content-type", "text/event-stream");
    response
        .body(Body::from_stream(events.map(Ok::<_, Infallible>)))
        .unwrap()
}

async fn alive() -> Response<Body> {
    said(405, &json!({"error": "Method not allowed"}))
}

async fn info() -> Json<Value> {
    Json(
        json!({"model_id": HuggingFaceDouble::MODEL, "max_input_tokens": 1_024, "max_total_tokens": HuggingFaceDouble::WINDOW}),
    )
}

async fn list() -> Json<Value> {
    let offer = |provider: &str, tools: bool| json!({"provider": provider, "status": "live", "context_length": 32_768, "supports_tools": tools});
    Json(json!({"object": "list", "data": [
        {"id": HuggingFaceDouble::MODEL, "object": "model",
            "architecture": {"input_modalities": ["text", "image"], "output_modalities": ["text"]},
            "providers": [offer("one", true), offer("two", false)]},
    ]}))
}

/// A picture for a text, the words for a sound.
async fn task(
    State(inner): Double,
    Path((owner, name)): Path<(String, String)>,
    headers: HeaderMap,
    body: Bytes,
) -> Response<Body> {
    let kind = headers["content-type"].to_str().unwrap();
    let asked = serde_json::from_slice(&body).unwrap_or_else(|_| json!({"type": kind, "bytes": body.len()}));
    inner.asked.lock().unwrap().push((format!("{owner}/{name}"), asked));
    if let Some(Scene::Plain(status, body)) = inner.scenes.lock().unwrap().pop_front() {
        return said(status, &body);
    }
    if kind.starts_with("audio/") {
        return said(200, &json!({"text": " What was said."}));
    }
    let response = Response::builder().header("content-type", "image/jpeg");
    response.body(Body::from(HuggingFaceDouble::PICTURE)).unwrap()
}
