//! A server that answers every question with the same bytes, be they what they may.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Response, Uri};
use axum::{Json, Router};
use futures_util::stream;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

/// An answer on the wire.
#[derive(Debug, Clone)]
pub(crate) struct Rough {
    pub(crate) status: u16,
    pub(crate) content_type: String,
    /// What comes first, in pieces of so many bytes.
    pub(crate) body: Bytes,
    pub(crate) piece: usize,
    /// What comes behind it, so many times.
    pub(crate) again: (Bytes, u64),
}

impl Rough {
    pub(crate) fn new(status: u16, content_type: &str, body: impl Into<Bytes>) -> Self {
        Self {
            status,
            content_type: content_type.to_owned(),
            body: body.into(),
            piece: 4096,
            again: (Bytes::new(), 0),
        }
    }
}

#[derive(Debug)]
struct Shared {
    rough: Mutex<Rough>,
    /// Bytes of the present answer that were taken off our hands.
    sent: AtomicU64,
}

/// The server; it ends when it is dropped.
pub(crate) struct RoughDouble {
    address: SocketAddr,
    shared: Arc<Shared>,
    _task: JoinSet<()>,
}

impl RoughDouble {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared {
            rough: Mutex::new(Rough::new(200, "", "")),
            sent: AtomicU64::new(0),
        });
        let router = Router::new()
            .route("/api/show", axum::routing::post(show))
            .route("/api/version", axum::routing::get(version))
            .route(
                "/staged/v1/models/{owner}/{name}/predictions",
                axum::routing::post(predict),
            )
            .route(
                "/staged/models/{owner}/{name}/predictions",
                axum::routing::post(predict),
            )
            .fallback(answer)
            .with_state(Arc::clone(&shared));
        let mut task = JoinSet::new();
        task.spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self {
            address,
            shared,
            _task: task,
        }
    }

    pub(crate) fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Answers like this from now on.
    pub(crate) fn answer(&self, rough: Rough) {
        *self.shared.rough.lock().unwrap() = rough;
        self.shared.sent.store(0, Ordering::SeqCst);
    }

    pub(crate) fn sent(&self) -> u64 {
        self.shared.sent.load(Ordering::SeqCst)
    }
}

async fn show() -> Json<Value> {
    Json(json!({"capabilities": ["completion", "tools"], "model_info": {"llama.context_length": 40960}}))
}

async fn version() -> Json<Value> {
    Json(json!({"version": "0.30.9"}))
}

/// A prediction that can be read as a stream.
async fn predict(headers: HeaderMap) -> Json<Value> {
    let host = headers["host"].to_str().unwrap();
    let place = |name: &str| format!("http://{host}/{name}");
    let urls = json!({"stream": place("stream"), "get": place("get"), "cancel": place("cancel")});
    Json(json!({"id": "p", "status": "starting", "urls": urls}))
}

async fn answer(State(shared): State<Arc<Shared>>, uri: Uri) -> Response<Body> {
    let rough = shared.rough.lock().unwrap().clone();
    assert!(!uri.to_string().contains(crate::asking::CANARY), "a key in {uri}");
    let whole = rough.body.clone();
    let first: Vec<Bytes> = (0..whole.len())
        .step_by(rough.piece)
        .map(|from| whole.slice(from..(from + rough.piece).min(whole.len())))
        .collect();
    let (again, times) = rough.again;
    let pieces = first.into_iter().chain((0..times).map(move |_| again.clone()));
    let counted = pieces.map(move |piece| {
        let length = u64::try_from(piece.len()).unwrap();
        shared.sent.fetch_add(length, Ordering::SeqCst);
        Ok::<_, std::io::Error>(piece)
    });
    let mut response = Response::builder().status(rough.status);
    if !rough.content_type.is_empty() {
        response = response.header("content-type", rough.content_type);
    }
    response.body(Body::from_stream(stream::iter(counted))).unwrap()
}
