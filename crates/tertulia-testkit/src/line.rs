//! A line to any HTTP server on which something goes wrong when it is planned.
//!
//! A real server answers as it likes. Between it and the bot this cuts connections before or after the server has done what was
//! asked, and gives answers in its place.

use std::collections::VecDeque;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{ConnectInfo, Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use reqwest::Client;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use crate::loopback_server::{CuttableListener, Wire};

/// Larger bodies are not carried, in bytes.
const LARGEST_BODY: usize = 128 << 20;
/// Longer than any long poll.
const PATIENCE: Duration = Duration::from_mins(2);

/// What goes wrong with one request.
#[derive(Debug, Clone, PartialEq)]
pub enum Snag {
    /// The connection is cut, and the server hears nothing.
    CutBefore,
    /// The server does what is asked, and the connection is cut in place of its answer.
    CutAfter,
    /// The server hears nothing, and this is answered: a status and a body.
    Answer(u16, Value),
    /// The server is asked only after so long.
    Late(Duration),
}

/// A request that came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Carried {
    /// Its method.
    pub method: String,
    /// Its path with its query, as they came.
    pub path: String,
    /// The status of the answer that was given; 0 for a connection that was cut.
    pub status: u16,
}

/// A line to one server. It ends when it is dropped.
pub struct Line {
    shared: Arc<Shared>,
    address: SocketAddr,
    _tasks: JoinSet<()>,
}

struct Shared {
    server: String,
    http: Client,
    plan: Mutex<VecDeque<(String, Snag)>>,
    carried: Mutex<Vec<Carried>>,
}

impl Line {
    /// Listens on a free port of 127.0.0.1, and carries everything to the server at this address.
    ///
    /// # Errors
    /// There is no such port.
    pub async fn to(server: &str) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let http = Client::builder().no_proxy().timeout(PATIENCE).build();
        let shared = Arc::new(Shared {
            server: server.to_owned(),
            http: http.map_err(io::Error::other)?,
            plan: Mutex::default(),
            carried: Mutex::default(),
        });
        let routes = Router::new().fallback(any).with_state(Arc::clone(&shared));
        let service = routes.into_make_service_with_connect_info::<Wire>();
        let mut tasks = JoinSet::new();
        // serving ends only with the task
        tasks.spawn(async move { drop(axum::serve(CuttableListener::new(listener), service).await) });
        Ok(Self {
            shared,
            address,
            _tasks: tasks,
        })
    }

    /// What stands as the server's address in the configuration of the bot.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Plans a snag for the next request in whose method and path, `PUT /path?query`, this part stands. Snags for the same part
    /// come in order.
    pub fn plan(&self, part: &str, snag: Snag) {
        lock(&self.shared.plan).push_back((part.to_owned(), snag));
    }

    /// How many snags have not come yet.
    #[must_use]
    pub fn planned(&self) -> usize {
        lock(&self.shared.plan).len()
    }

    /// No further snags.
    pub fn clear(&self) {
        lock(&self.shared.plan).clear();
    }

    /// Every request that was answered or cut, in the order of that.
    #[must_use]
    pub fn carried(&self) -> Vec<Carried> {
        lock(&self.shared.carried).clone()
    }
}

impl Shared {
    fn snag(&self, method: &str, path: &str) -> Option<Snag> {
        let asked = format!("{method} {path}");
        let mut plan = lock(&self.plan);
        let position = plan.iter().position(|(part, _)| asked.contains(part.as_str()))?;
        plan.remove(position).map(|(_, snag)| snag)
    }

    async fn carry(&self, request: Request) -> Result<Response, String> {
        let (parts, body) = request.into_parts();
        let path = parts.uri.path_and_query().map_or("/", |path| path.as_str());
        let body = to_bytes(body, LARGEST_BODY).await.map_err(|error| error.to_string())?;
        let mut headers = parts.headers;
        for own in [header::HOST, header::CONNECTION, header::TRANSFER_ENCODING] {
            headers.remove(own);
        }
        let call = self.http.request(parts.method, format!("{}{path}", self.server));
        let answer = call.headers(headers).body(body).send().await;
        let answer = answer.map_err(|error| error.to_string())?;
        let (status, mut headers) = (answer.status(), answer.headers().clone());
        for own in [header::CONNECTION, header::TRANSFER_ENCODING, header::CONTENT_LENGTH] {
            headers.remove(own);
        }
        let bytes = answer.bytes().await.map_err(|error| error.to_string())?;
        Ok((status, headers, Body::from(bytes)).into_response())
    }
}

async fn any(State(shared): State<Arc<Shared>>, ConnectInfo(wire): ConnectInfo<Wire>, request: Request) -> Response {
    let method = request.method().to_string();
    let path = request.uri().to_string();
    let response = match shared.snag(&method, &path) {
        Some(Snag::CutBefore) => None,
        Some(Snag::CutAfter) => {
            // what it answered is lost, whatever it was
            drop(shared.carry(request).await);
            None
        }
        Some(Snag::Answer(status, body)) => Some(answer(status, &body)),
        Some(Snag::Late(by)) => {
            tokio::time::sleep(by).await;
            shared.carry(request).await.ok()
        }
        None => shared.carry(request).await.ok(),
    };
    let status = response.as_ref().map_or(0, |response| response.status().as_u16());
    lock(&shared.carried).push(Carried { method, path, status });
    response.unwrap_or_else(|| {
        wire.cut();
        StatusCode::BAD_GATEWAY.into_response()
    })
}

fn answer(status: u16, body: &Value) -> Response {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let kind = [(header::CONTENT_TYPE, "application/json")];
    (status, kind, body.to_string()).into_response()
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
