//! The double's HTTP side: token, method, faults and limits, and the long poll.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{ConnectInfo, Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use percent_encoding::percent_decode_str;
use serde_json::{Value, json};

use super::Shared;
use super::faults::{self, Fault};
use super::methods::{Call, method};
use super::params::Params;
use super::poll;
use super::refusal::Refusal;
use super::truth::Refused;
use crate::loopback_server::Wire;

/// Larger bodies are not read, in bytes.
const LARGEST_BODY: usize = 60 << 20;
const HTML: &str = "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body><center><h1>502 Bad Gateway</h1></center>\
    </body>\r\n</html>\r\n";

/// The one route: whatever is asked.
pub(super) fn router(shared: Arc<Shared>) -> Router {
    Router::new().fallback(any).with_state(shared)
}

/// The line between bot and server: during a partition nothing comes through in either direction.
async fn any(State(shared): State<Arc<Shared>>, ConnectInfo(wire): ConnectInfo<Wire>, request: Request) -> Response {
    if shared.weather.outlast_partition().await {
        wire.cut();
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    }
    let response = route(&shared, &wire, request).await;
    if shared.weather.outlast_partition().await {
        wire.cut();
    }
    response
}

async fn route(shared: &Arc<Shared>, wire: &Wire, request: Request) -> Response {
    let path = percent_decode_str(request.uri().path())
        .decode_utf8_lossy()
        .into_owned();
    let (is_file, rest) = match path.strip_prefix("/file/bot") {
        Some(rest) => (true, rest),
        None => (false, path.strip_prefix("/bot").unwrap_or_default()),
    };
    let (token, rest) = rest.split_once('/').unwrap_or((rest, ""));
    if let Some(refusal) = shared.stranger(token) {
        return refused(&refusal);
    }
    if is_file {
        let bytes = shared.world().files.by_path(rest).map(<[u8]>::to_vec);
        return bytes.map_or_else(|| refused(&Refusal::of(404, "Not Found")), IntoResponse::into_response);
    }
    let Some(method) = method(rest).filter(|method| shared.knows(method)) else {
        return refused(&Refusal::of(404, "Not Found: method not found"));
    };
    let query = request.uri().query().unwrap_or_default().to_owned();
    let kind = request
        .headers()
        .get(header::CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok());
    let kind = kind.unwrap_or_default().to_owned();
    let Ok(body) = to_bytes(request.into_body(), LARGEST_BODY).await else {
        return refused(&Refusal::of(413, "Request Entity Too Large"));
    };
    match Params::read(&query, &kind, &body) {
        Ok(params) => call(shared, wire, method, params).await,
        Err(refusal) => refused(&refusal),
    }
}

async fn call(shared: &Arc<Shared>, wire: &Wire, method: &'static str, params: Params) -> Response {
    let fault = match admit(shared, method, &params) {
        Ok(fault) => fault,
        Err(refusal) => return told(shared, method, &refusal),
    };
    match &fault {
        Some(Fault::CutBefore) => wire.cut(),
        Some(Fault::Refuse(code, words)) => return told(shared, method, &Refusal::of(*code, words.clone())),
        _ => {}
    }
    if matches!(
        fault,
        Some(Fault::CutBefore | Fault::Internal { done: false } | Fault::BadGateway { done: false })
    ) {
        return failure(fault.as_ref());
    }
    let answer = if method == "getUpdates" {
        poll::updates(shared, &params).await
    } else {
        let (mut world, at) = (shared.world(), shared.now());
        world.perform(&Call {
            at,
            method,
            params: &params,
        })
    };
    let response = match answer {
        Ok(result) => json_body(StatusCode::OK, &json!({"ok": true, "result": result})),
        Err(refusal) => told(shared, method, &refusal),
    };
    match fault {
        Some(Fault::CutAfter) => {
            wire.cut();
            response
        }
        Some(Fault::Slow(by)) => {
            tokio::time::sleep(by).await;
            response
        }
        Some(fault) => failure(Some(&fault)),
        None => response,
    }
}

/// Counts the call; gives the fault that strikes it, or the wait that it has to keep.
fn admit(shared: &Shared, method: &'static str, params: &Params) -> Result<Option<Fault>, Refusal> {
    let (mut world, at) = (shared.world(), shared.now());
    let chat = params.number::<i64>("chat_id");
    let grace = world.settings.grace;
    if let Some(early) = chat.and_then(|chat| world.rates.waiting(at, chat, grace)) {
        if early.violation {
            world.truth.counts.early += 1;
            world.truth.violate(at, format!("{method} before the wait was over"));
        }
        return Err(Refusal::wait(early.seconds));
    }
    let fault = world.plan.count(faults::Call {
        method,
        chat,
        nth: 0,
        text: params
            .text("text")
            .or_else(|| params.text("caption"))
            .unwrap_or_default(),
        formatted: params.has("entities") || params.has("caption_entities"),
    });
    if let Some(Fault::Wait(seconds)) = fault {
        if let Some(chat) = chat {
            world.rates.tell(at, chat, seconds);
        }
        return Err(Refusal::wait(seconds));
    }
    if let (Some(chat), Some(limits)) = (chat, world.settings.rates) {
        let is_group = world.chats.get(&chat).is_some_and(super::chat::Chat::is_group);
        if let Some(seconds) = world.rates.count(at, chat, is_group, &limits) {
            return Err(Refusal::wait(seconds));
        }
    }
    Ok(fault)
}

/// A refusal that is written down.
fn told(shared: &Shared, method: &str, refusal: &Refusal) -> Response {
    let at = shared.now();
    shared.world().truth.refused.push(Refused {
        at,
        method: method.to_owned(),
        code: refusal.code,
        description: refusal.description.clone(),
    });
    refused(refusal)
}

fn refused(refusal: &Refusal) -> Response {
    let status = StatusCode::from_u16(refusal.code).unwrap_or(StatusCode::BAD_REQUEST);
    let mut response = json_body(status, &refusal.body());
    if let Some(seconds) = refusal.retry_after {
        response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
    }
    response
}

/// What comes instead of an answer.
fn failure(fault: Option<&Fault>) -> Response {
    match fault {
        Some(Fault::BadGateway { .. }) => {
            let headers = [(header::CONTENT_TYPE, "text/html")];
            (StatusCode::BAD_GATEWAY, headers, HTML).into_response()
        }
        Some(Fault::InvalidJson) => {
            let headers = [(header::CONTENT_TYPE, "application/json")];
            (headers, "{\"ok\":true,\"result\":{\"mess").into_response()
        }
        _ => refused(&Refusal::of(500, "Internal Server Error")),
    }
}

fn json_body(status: StatusCode, body: &Value) -> Response {
    let headers = [(header::CONTENT_TYPE, "application/json")];
    (status, headers, Body::from(body.to_string())).into_response()
}
