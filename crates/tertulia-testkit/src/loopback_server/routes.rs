//! The calls of the bot, over HTTP.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{ConnectInfo, Query, Request, State};
use axum::http::StatusCode;
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};

use super::Shared;
use super::answers::{answer, update};
use super::cut::Wire;
use crate::chat_double::{Kind, NewEdit, NewPost, Refusal, Spot, Update};

const LONGEST_POLL: Duration = Duration::from_secs(30);
const UPDATES_AT_ONCE: usize = 20;

type Platform = State<Arc<Shared>>;
type Line = ConnectInfo<Wire>;

/// Every route of the platform.
pub(super) fn router(shared: Arc<Shared>) -> Router {
    let calls = Router::new()
        .route("/bot/post", post(post_message))
        .route("/bot/edit", post(edit_message))
        .route("/bot/delete", post(delete_message))
        .route("/bot/find", post(find_message))
        .route("/bot/typing", post(typing))
        .layer(middleware::from_fn_with_state(Arc::clone(&shared), late));
    Router::new()
        .route("/bot/me", get(me))
        .route("/bot/updates", get(updates))
        .merge(calls)
        .layer(middleware::from_fn_with_state(Arc::clone(&shared), line))
        .with_state(shared)
}

/// A call is done and then answered late.
async fn late(State(shared): Platform, request: Request, next: Next) -> Response {
    let response = next.run(request).await;
    tokio::time::sleep(shared.weather.next_delay()).await;
    response
}

/// The line between bot and platform: during a partition nothing comes through in either direction.
async fn line(State(shared): Platform, ConnectInfo(wire): Line, request: Request, next: Next) -> Response {
    if shared.weather.outlast_partition().await {
        wire.cut();
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    }
    if shared.weather.is_locked_out() {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    let response = next.run(request).await;
    if shared.weather.outlast_partition().await {
        wire.cut();
    }
    response
}

async fn me(State(shared): Platform) -> Json<Value> {
    let rules = shared.double.rules();
    Json(json!({
        "identity": rules.identity,
        "keyed": rules.kind == Kind::Keyed,
        "findable": rules.kind != Kind::Blind,
        "limit": rules.text_limit,
    }))
}

#[derive(Deserialize)]
struct Poll {
    after: Option<u64>,
    #[serde(default)]
    wait_ms: u64,
}

/// Asking confirms everything up to `after`; then it waits for something to hand out.
async fn updates(State(shared): Platform, Query(poll): Query<Poll>) -> Json<Value> {
    let wait = LONGEST_POLL.min(Duration::from_millis(poll.wait_ms));
    let found = tokio::select! {
        found = tokio::time::timeout(wait, arrived(&shared, poll.after)) => found.unwrap_or_default(),
        () = shared.weather.partition_begins() => Vec::new(),
    };
    let updates: Vec<Value> = found.iter().map(update).collect();
    Json(json!({ "updates": updates }))
}

/// Waits for updates; only the first look is sure to happen.
async fn arrived(shared: &Shared, after: Option<u64>) -> Vec<Update> {
    loop {
        let arrival = shared.double.arrivals().notified();
        tokio::pin!(arrival);
        arrival.as_mut().enable();
        let updates = shared.double.updates(shared.now(), after, UPDATES_AT_ONCE);
        if !updates.is_empty() {
            return updates;
        }
        arrival.await;
    }
}

#[derive(Deserialize)]
struct Act {
    chat: String,
    thread: Option<String>,
    message: Option<String>,
    text: Option<String>,
    #[serde(default)]
    formatted: bool,
    key: Option<String>,
    in_reply_to: Option<String>,
}

impl Act {
    fn spot(&self) -> Spot {
        Spot {
            chat: self.chat.clone(),
            thread: self.thread.clone(),
        }
    }

    fn post(self) -> NewPost {
        NewPost {
            spot: self.spot(),
            text: self.text.unwrap_or_default(),
            formatted: self.formatted,
            buttons: Vec::new(),
            key: self.key,
            in_reply_to: self.in_reply_to,
        }
    }

    fn edit(self) -> NewEdit {
        NewEdit {
            spot: self.spot(),
            message: self.message.unwrap_or_default(),
            text: self.text.unwrap_or_default(),
            formatted: self.formatted,
            buttons: Vec::new(),
            key: self.key,
        }
    }
}

async fn post_message(State(shared): Platform, ConnectInfo(wire): Line, Json(act): Json<Act>) -> Response {
    let posted = shared.double.post(shared.now(), &act.post());
    answer(&wire, posted.map(|id| json!({ "id": id })))
}

async fn edit_message(State(shared): Platform, ConnectInfo(wire): Line, Json(act): Json<Act>) -> Response {
    let edited = shared.double.edit(shared.now(), &act.edit());
    answer(&wire, edited.map(|_| json!({})))
}

async fn delete_message(State(shared): Platform, ConnectInfo(wire): Line, Json(act): Json<Act>) -> Response {
    let message = act.message.as_deref().unwrap_or_default();
    let deleted = shared.double.delete(shared.now(), &act.spot(), message);
    answer(&wire, deleted.map(|()| json!({})))
}

async fn find_message(State(shared): Platform, ConnectInfo(wire): Line, Json(act): Json<Act>) -> Response {
    let found: Result<_, Refusal> = shared.double.find(shared.now(), &act.post());
    answer(&wire, found.map(|id| json!({ "found": id })))
}

async fn typing(State(shared): Platform, Json(act): Json<Act>) -> Json<Value> {
    shared.double.typing(shared.now(), &act.spot());
    Json(json!({}))
}
