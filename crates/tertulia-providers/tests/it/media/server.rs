//! A server that answers as it is told, and keeps what it was asked.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Response, Uri};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

/// What the server would refuse of a request to a path.
type Rules = fn(&Asked) -> Option<Answer>;

/// A request that came.
#[derive(Debug, Clone)]
pub(super) struct Asked {
    pub(super) path: String,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

/// An answer to give.
#[derive(Debug, Clone)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) kind: &'static str,
    pub(super) body: Vec<u8>,
}

/// The server; it ends when it is dropped.
pub(super) struct Server {
    address: SocketAddr,
    state: Arc<Inner>,
    _task: JoinSet<()>,
}

struct Inner {
    rules: Rules,
    answers: Mutex<VecDeque<Answer>>,
    asked: Mutex<Vec<Asked>>,
}

impl Asked {
    pub(super) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    pub(super) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    /// The fields of a form: name, file name, type and content of each.
    pub(super) fn form(&self) -> Vec<[String; 4]> {
        let kind = self.header("content-type");
        let boundary = kind.strip_prefix("multipart/form-data; boundary=").unwrap();
        let body = String::from_utf8_lossy(&self.body).into_owned();
        let border = format!("--{boundary}");
        let parts = body.split(&border).skip(1);
        let parts = parts.filter(|part| !part.starts_with("--"));
        parts.map(part).collect()
    }
}

fn part(part: &str) -> [String; 4] {
    let (head, content) = part.split_once("\r\n\r\n").unwrap();
    let quoted = |name: &str| {
        let behind = head.split_once(&format!("; {name}=\"")).map(|(_, behind)| behind);
        behind.map_or("", |behind| behind.split('"').next().unwrap()).to_owned()
    };
    let kind = head.lines().find_map(|line| {
        let (name, value) = line.split_once(": ")?;
        name.eq_ignore_ascii_case("content-type").then(|| value.to_owned())
    });
    [
        quoted("name"),
        quoted("filename"),
        kind.unwrap_or_default(),
        content.strip_suffix("\r\n").unwrap().to_owned(),
    ]
}

impl Answer {
    pub(super) fn json(status: u16, body: &Value) -> Self {
        Self {
            status,
            kind: "application/json",
            body: body.to_string().into_bytes(),
        }
    }

    pub(super) fn bytes(kind: &'static str, body: impl Into<Vec<u8>>) -> Self {
        Self {
            status: 200,
            kind,
            body: body.into(),
        }
    }
}

impl Server {
    /// A server that refuses what its rules refuse.
    pub(super) async fn start(rules: Rules) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let state = Arc::new(Inner {
            rules,
            answers: Mutex::default(),
            asked: Mutex::default(),
        });
        let router = Router::new()
            .fallback(serve)
            .layer(axum::extract::DefaultBodyLimit::disable())
            .with_state(Arc::clone(&state));
        let mut task = JoinSet::new();
        task.spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self {
            address,
            state,
            _task: task,
        }
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(super) fn push(&self, answer: Answer) {
        self.state.answers.lock().unwrap().push_back(answer);
    }

    pub(super) fn asked(&self) -> Vec<Asked> {
        self.state.asked.lock().unwrap().clone()
    }
}

async fn serve(State(state): State<Arc<Inner>>, uri: Uri, headers: HeaderMap, body: Bytes) -> Response<Body> {
    let asked = Asked {
        path: uri.path().to_owned(),
        headers,
        body,
    };
    let refused = (state.rules)(&asked);
    state.asked.lock().unwrap().push(asked);
    let answer = refused.unwrap_or_else(|| state.answers.lock().unwrap().pop_front().unwrap());
    Response::builder()
        .status(answer.status)
        .header("content-type", answer.kind)
        .body(Body::from(answer.body))
        .unwrap()
}
