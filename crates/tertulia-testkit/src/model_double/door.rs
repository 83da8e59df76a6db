//! The double's HTTP side: checks a request, logs it, and plays the next script.

use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::{Value, json};

use super::log::{self, CallNote};
use super::rules::{self, Refusal};
use super::script::Script;
use super::{ModelDouble, Shared, answer};

/// The routes of the double.
pub(crate) fn router(shared: Arc<Shared>) -> Router {
    Router::new()
        .route("/v1/chat/completions", post(complete))
        .route("/v1/models", get(models))
        .layer(axum::extract::DefaultBodyLimit::max(64 << 20))
        .with_state(shared)
}

async fn models(State(shared): State<Arc<Shared>>) -> Json<Value> {
    let names = std::iter::once(ModelDouble::MODEL).chain(shared.strictness.models.iter().map(String::as_str));
    let data: Vec<Value> = names.map(|id| shared.habits.listed(id)).collect();
    Json(json!({"object": "list", "data": data}))
}

async fn complete(State(shared): State<Arc<Shared>>, headers: HeaderMap, body: Bytes) -> Response {
    match admit(&shared, &headers, &body) {
        Ok(request) => {
            let script = shared
                .scripts()
                .pop_front()
                .unwrap_or_else(|| Script::text(ModelDouble::DEFAULT_ANSWER));
            let note = CallNote::open(&shared, request);
            play(script, note, &shared)
        }
        Err(refusal) => {
            log::refused(
                &shared,
                format!("{} {}: {}", refusal.status, refusal.code, refusal.message),
            );
            failure(refusal.status, None, &refusal.code, &refusal.message)
        }
    }
}

fn admit(shared: &Shared, headers: &HeaderMap, body: &[u8]) -> Result<Value, Refusal> {
    if let Some(key) = &shared.strictness.key {
        let sent = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        if sent != Some(&format!("Bearer {key}")) {
            return Err(Refusal::new(401, "invalid_api_key", "Incorrect API key provided"));
        }
    }
    let request: Value = serde_json::from_slice(body)
        .map_err(|error| Refusal::new(400, "invalid_json", format!("could not parse the body: {error}")))?;
    if let Some(refusal) = rules::refusal_by(shared.habits, &request) {
        return Err(refusal);
    }
    let model = request.get("model").and_then(Value::as_str).unwrap_or_default();
    if !shared.knows(model) {
        let message = format!("The model `{model}` does not exist or you do not have access to it.");
        return Err(Refusal::new(404, "model_not_found", message));
    }
    Ok(request)
}

fn play(script: Script, note: CallNote, shared: &Shared) -> Response {
    let asked = answer::Asked::read(shared, &note);
    match script {
        Script::Fail {
            status,
            retry_after,
            code,
            message,
        } => {
            note.said();
            failure(status, retry_after, &code, &message)
        }
        Script::Html => {
            note.said();
            (
                [(header::CONTENT_TYPE, "text/html")],
                "<html><body>Please log in</body></html>",
            )
                .into_response()
        }
        Script::Say(speech) if !asked.stream => {
            note.said();
            Json(answer::whole(&speech, &asked)).into_response()
        }
        script => {
            let body = Body::from_stream(answer::stream(script, asked, note));
            ([(header::CONTENT_TYPE, "text/event-stream")], body).into_response()
        }
    }
}

fn failure(status: u16, retry_after: Option<u64>, code: &str, message: &str) -> Response {
    let body = Json(json!({"error": {"message": message, "type": "scripted", "param": null, "code": code}}));
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = (status, body).into_response();
    if let Some(seconds) = retry_after {
        response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
    }
    response
}
