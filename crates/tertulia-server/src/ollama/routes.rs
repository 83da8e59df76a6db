//! Every route of the API, and what answers it.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::{any, delete, get, post};
use axum::{Router, middleware};
use serde_json::json;

use super::admit::Hall;
use super::{answer, catalog, chat, form, generate, ready, refused};
use crate::guard::{self, Guard};
use crate::refusal::Refusal;

/// The API version that clients see: dotted integers, since they compare it with what they need.
const VERSION: &str = "0.12.10";

pub(super) fn routes(hall: Hall, guard: Arc<Guard>) -> Router {
    Router::new()
        .route("/", get(|| async { "Ollama is running" }))
        .route("/healthz", get(|| async { "ok" }))
        .route("/readyz", get(ready::ready))
        .route(
            "/api/version",
            get(|| async { form::json(&json!({"version": VERSION})) }),
        )
        .route("/api/tags", get(catalog::tags))
        .route("/api/ps", get(catalog::running))
        .route("/api/show", post(catalog::show))
        .route("/api/pull", post(refused::pull))
        .route("/api/chat", post(talk_chat))
        .route("/api/generate", post(talk_generate))
        .route("/api/embed", post(refused::embed))
        .route("/api/embeddings", post(refused::embed))
        .route("/api/delete", delete(refused::change))
        .route("/api/create", post(refused::change))
        .route("/api/copy", post(refused::change))
        .route("/api/push", post(refused::change))
        .route("/api/blobs/{digest}", any(refused::change))
        .fallback(|| async { form::not_found("no such route") })
        .method_not_allowed_fallback(wrong_method)
        .with_state(hall)
        .layer(middleware::from_fn_with_state(guard, guard::pass))
}

async fn talk_chat(State(hall): State<Hall>, request: Request) -> Response {
    form::settle(answer::talk(&hall, request, &chat::Chat).await)
}

async fn talk_generate(State(hall): State<Hall>, request: Request) -> Response {
    form::settle(answer::talk(&hall, request, &generate::Generate).await)
}

async fn wrong_method() -> Response {
    form::refuse(&Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "method not allowed"))
}
