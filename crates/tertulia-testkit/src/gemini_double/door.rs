//! The double's HTTP side: checks a request, logs it, and plays the next script.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{Path, RawQuery, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use futures_util::{StreamExt, stream};
use serde_json::{Value, json};

use super::{Call, GeminiDouble, GeminiScript, Shared, rules};
use crate::model_double::Ending;

type Double = State<Arc<Shared>>;
type Refusal = (u16, &'static str, String);

/// The routes of the double.
pub(super) fn router(shared: Arc<Shared>) -> Router {
    Router::new()
        .route("/v1beta/models/{model}", get(describe))
        .route("/v1beta/models/{model}", post(generate))
        .layer(axum::extract::DefaultBodyLimit::max(64 << 20))
        .with_state(shared)
}

async fn describe(State(shared): Double, Path(model): Path<String>, headers: HeaderMap) -> Response {
    match admit(&shared, &headers).and_then(|()| have(&model)) {
        Ok(()) => Json(json!({
            "name": format!("models/{model}"), "inputTokenLimit": GeminiDouble::WINDOW, "outputTokenLimit": 8192,
        }))
        .into_response(),
        Err(refusal) => refuse(&shared, refusal),
    }
}

async fn generate(
    State(shared): Double,
    Path(called): Path<String>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let (model, method) = called.split_once(':').unwrap_or((&called, ""));
    let checked = admit(&shared, &headers).and_then(|()| have(model)).and_then(|()| {
        if method != "streamGenerateContent" || query.as_deref() != Some("alt=sse") {
            return Err((404, "NOT_FOUND", "the double only streams events".to_owned()));
        }
        let request: Value =
            serde_json::from_slice(&body).map_err(|error| (400, "INVALID_ARGUMENT", error.to_string()))?;
        match rules::refusal(&request) {
            Some(why) => Err((400, "INVALID_ARGUMENT", why)),
            None => Ok(request),
        }
    });
    let request = match checked {
        Ok(request) => request,
        Err(refusal) => return refuse(&shared, refusal),
    };
    let note = CallNote::open(
        &shared,
        Call {
            model: model.to_owned(),
            request,
            ending: Ending::Open,
        },
    );
    let script = shared.scripts().pop_front();
    play(
        script.unwrap_or_else(|| GeminiScript::text(&[GeminiDouble::DEFAULT_ANSWER], Duration::ZERO)),
        note,
    )
}

fn play(script: GeminiScript, note: CallNote) -> Response {
    let said = |parts: &Value| json!({"candidates": [{"content": {"role": "model", "parts": parts}, "index": 0}]});
    let body = match script {
        GeminiScript::Fail(status, body) => {
            note.note(Ending::Said);
            let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
            return (status, Json(body)).into_response();
        }
        GeminiScript::Endless(pause) => {
            let event = event(&said(&json!([{"text": "again "}])));
            events(pause, note, stream::repeat(event).boxed(), false)
        }
        GeminiScript::Say { parts, pause, reason } => {
            let last = json!({
                "candidates": [{"content": {"role": "model", "parts": [{"text": ""}]}, "finishReason": reason}],
                "usageMetadata": {"promptTokenCount": 5, "candidatesTokenCount": 7, "totalTokenCount": 12},
            });
            let pieces: Vec<Bytes> = parts
                .iter()
                .map(said)
                .chain([last])
                .map(|piece| event(&piece))
                .collect();
            events(pause, note, stream::iter(pieces).boxed(), true)
        }
    };
    ([(header::CONTENT_TYPE, "text/event-stream")], body).into_response()
}

fn event(piece: &Value) -> Bytes {
    format!("data: {piece}\r\n\r\n").into()
}

/// The events with a wait before each. A client may go away as soon as it has the last one: that is no disconnect, but
/// the body only knows it has sent that one when it is asked for more.
fn events(pause: Duration, note: CallNote, pieces: stream::BoxStream<'static, Bytes>, ends: bool) -> Body {
    let state = (pieces.peekable(), note);
    Body::from_stream(stream::unfold(state, move |(mut pieces, note)| async move {
        tokio::time::sleep(pause).await;
        let piece = pieces.next().await?;
        if ends && std::pin::Pin::new(&mut pieces).peek().await.is_none() {
            note.note(Ending::Said);
        }
        Some((Ok::<Bytes, Infallible>(piece), (pieces, note)))
    }))
}

fn admit(shared: &Shared, headers: &HeaderMap) -> Result<(), Refusal> {
    let sent = headers.get("x-goog-api-key").and_then(|value| value.to_str().ok());
    match &shared.key {
        Some(key) if sent != Some(key.as_str()) => Err((400, "INVALID_ARGUMENT", "API key not valid.".to_owned())),
        _ => Ok(()),
    }
}

fn have(model: &str) -> Result<(), Refusal> {
    if model == GeminiDouble::MODEL {
        return Ok(());
    }
    let why = format!("models/{model} is not found for API version v1beta");
    Err((404, "NOT_FOUND", why))
}

fn refuse(shared: &Shared, (status, word, why): Refusal) -> Response {
    let reason = if why.starts_with("API key") {
        json!([{"reason": "API_KEY_INVALID"}])
    } else {
        json!([])
    };
    let body = json!({"error": {"code": status, "message": why, "status": word, "details": reason}});
    shared.refused(format!("{status}: {why}"));
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    (status, Json(body)).into_response()
}

/// Notes the end of one call: a disconnect if it is dropped before all was said.
struct CallNote {
    shared: Arc<Shared>,
    place: usize,
}

impl CallNote {
    fn open(shared: &Arc<Shared>, call: Call) -> Self {
        let mut place = 0;
        shared.log.send_modify(|log| {
            place = log.calls.len();
            log.calls.push(call);
        });
        Self {
            shared: Arc::clone(shared),
            place,
        }
    }

    fn note(&self, ending: Ending) {
        self.shared.log.send_modify(|log| {
            if let Some(call) = log.calls.get_mut(self.place)
                && call.ending == Ending::Open
            {
                call.ending = ending;
            }
        });
    }
}

impl Drop for CallNote {
    fn drop(&mut self) {
        self.note(Ending::Disconnected);
    }
}
