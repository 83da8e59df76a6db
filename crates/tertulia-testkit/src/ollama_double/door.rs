//! The double's HTTP side: checks a request, logs it, and plays the next script.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::{Map, Value, json};

use super::answer::{self, CallNote};
use super::script::OllamaScript;
use super::{Call, OllamaDouble, OllamaModel, OllamaServer, Shared, rules, window};
use crate::model_double::Ending;

type Double = State<Arc<Shared>>;

/// The routes of the double.
pub(super) fn router(shared: Arc<Shared>) -> Router {
    Router::new()
        .route("/api/chat", post(chat))
        .route("/api/generate", post(generate))
        .route("/api/show", post(show))
        .route("/api/tags", get(tags))
        .route("/api/version", get(version))
        .layer(axum::extract::DefaultBodyLimit::max(64 << 20))
        .with_state(shared)
}

async fn version(State(shared): Double) -> Response {
    match shared.server().version {
        Some(version) => Json(json!({"version": version})).into_response(),
        None => (StatusCode::NOT_FOUND, "404 page not found").into_response(),
    }
}

async fn tags(State(shared): Double) -> Json<Value> {
    let models: Vec<Value> = shared
        .server()
        .models
        .iter()
        .map(|model| json!({"name": model.name, "model": model.name}))
        .collect();
    Json(json!({"models": models}))
}

async fn show(State(shared): Double, headers: HeaderMap, body: Bytes) -> Response {
    shared.log.send_modify(|log| log.shows += 1);
    let server = shared.server();
    let found = admit(&server, &headers, &body).and_then(|request| model(&server, &request).cloned());
    // a crowd that asks at once is to be seen as one
    tokio::time::sleep(Duration::from_millis(20)).await;
    match found {
        Ok(model) => Json(shown(&model, server.lists_capabilities)).into_response(),
        Err(refusal) => refuse(&shared, refusal),
    }
}

fn shown(model: &OllamaModel, lists: bool) -> Value {
    let has = |ability: &str| model.capabilities.contains(&ability);
    let mut template = "{{ .Prompt }}".to_owned();
    if has("completion") {
        template.push_str("{{ range .Messages }}{{ .Content }}{{ end }}");
    }
    if has("tools") {
        template.push_str("{{ .Tools }}");
    }
    let families: Vec<&str> = std::iter::once("llama")
        .chain(has("vision").then_some("clip"))
        .collect();
    let parameters = model
        .num_ctx
        .map(|window| format!("stop    \"<end>\"\nnum_ctx    {window}"));
    let mut shown = json!({
        "modelfile": "", "parameters": parameters.unwrap_or_default(), "template": template,
        "details": {"format": "gguf", "family": "llama", "families": families},
        "model_info": {"general.architecture": "llama", "llama.context_length": model.context_length},
    });
    if let (true, Some(fields)) = (lists, shown.as_object_mut()) {
        fields.insert("capabilities".to_owned(), json!(model.capabilities));
    }
    shown
}

async fn chat(State(shared): Double, headers: HeaderMap, body: Bytes) -> Response {
    respond(&shared, &headers, &body, true)
}

async fn generate(State(shared): Double, headers: HeaderMap, body: Bytes) -> Response {
    respond(&shared, &headers, &body, false)
}

fn respond(shared: &Arc<Shared>, headers: &HeaderMap, body: &[u8], chat: bool) -> Response {
    let server = shared.server();
    let checked = admit(&server, headers, body).and_then(|request| {
        let model = model(&server, &request)?;
        match rules::refusal(&request, chat, &model.capabilities) {
            Some(why) => Err((400, why)),
            None => Ok(request),
        }
    });
    let request = match checked {
        Ok(request) => request,
        Err(refusal) => return refuse(shared, refusal),
    };
    let read = match window::read(&request, server.refuses) {
        Ok(read) => read,
        // no fault of the client's: it cannot count
        Err(too_long) => return failure(400, &too_long),
    };
    let route = if chat { "/api/chat" } else { "/api/generate" };
    let streams = request.get("stream") != Some(&Value::Bool(false));
    let note = CallNote::open(
        shared,
        Call {
            route,
            request,
            cut: read.cut,
            ending: Ending::Open,
        },
    );
    let script = shared.scripts().pop_front();
    let script = script.unwrap_or_else(|| OllamaScript::text(&[OllamaDouble::DEFAULT_ANSWER], Duration::ZERO));
    match script {
        OllamaScript::Fail(status, message) => {
            note.said();
            failure(status, message)
        }
        script => {
            let kind = if streams {
                "application/x-ndjson"
            } else {
                "application/json"
            };
            let body = Body::from_stream(answer::stream(script, chat, read.read, note));
            ([(header::CONTENT_TYPE, kind)], body).into_response()
        }
    }
}

fn admit(server: &OllamaServer, headers: &HeaderMap, body: &[u8]) -> Result<Value, (u16, String)> {
    if let Some(key) = &server.key {
        let sent = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        if sent != Some(&format!("Bearer {key}")) {
            return Err((401, "unauthorized".to_owned()));
        }
    }
    let fields: Map<String, Value> = serde_json::from_slice(body).map_err(|error| (400, error.to_string()))?;
    Ok(Value::Object(fields))
}

fn model<'a>(server: &'a OllamaServer, request: &Value) -> Result<&'a OllamaModel, (u16, String)> {
    let name = request.get("model").and_then(Value::as_str).unwrap_or_default();
    let found = server.models.iter().find(|model| model.name.eq_ignore_ascii_case(name));
    found.ok_or_else(|| (404, format!("model '{name}' not found")))
}

fn refuse(shared: &Shared, (status, why): (u16, String)) -> Response {
    let response = failure(status, &why);
    shared.refused(format!("{status}: {why}"));
    response
}

fn failure(status: u16, message: &str) -> Response {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    (status, Json(json!({"error": message}))).into_response()
}
