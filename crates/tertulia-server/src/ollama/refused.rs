//! What an Ollama server does to its models, and this one does not.

use axum::extract::{Request, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde_json::json;

use super::admit::Hall;
use super::{catalog, form};
use crate::refusal::Refusal;

/// A model that is offered is there already; others cannot be had.
pub(super) async fn pull(State(hall): State<Hall>, request: Request) -> Response {
    let pulled = catalog::read_model(&hall, request).await;
    // one line is one object: the same bytes, streamed or not
    let success = (
        [(header::CONTENT_TYPE, form::LINES)],
        form::line(&json!({"status": "success"})),
    );
    form::settle(pulled.map(|_| success.into_response()))
}

pub(super) async fn embed(State(hall): State<Hall>, request: Request) -> Response {
    let model = catalog::read_model(&hall, request).await;
    form::settle(model.and_then(|_| Err(Refusal::bad("this model does not support embeddings"))))
}

/// Nothing of the body is read.
pub(super) async fn change() -> Response {
    form::not_found("models cannot be made, copied or deleted here")
}
