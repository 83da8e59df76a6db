//! The form of this door's answers.

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::Value;
use tertulia_output::ollama;

use crate::refusal::Refusal;

/// `{"error": ".."}` with the status.
pub(super) fn refuse(refusal: &Refusal) -> Response {
    (refusal.status, json(&ollama::error(&refusal.text))).into_response()
}

/// One JSON object.
pub(super) fn json(object: &Value) -> Response {
    (
        [(header::CONTENT_TYPE, "application/json; charset=utf-8")],
        object.to_string(),
    )
        .into_response()
}

/// One JSON object on a line of its own.
pub(super) fn line(object: &Value) -> String {
    format!("{object}\n")
}

/// The type of a stream of lines.
pub(super) const LINES: &str = "application/x-ndjson";

/// An answer, or the error in this door's form.
pub(super) fn settle(answer: Result<Response, Refusal>) -> Response {
    answer.unwrap_or_else(|refusal| refuse(&refusal))
}

/// An error that is nobody's fault but the route's.
pub(super) fn not_found(text: &str) -> Response {
    refuse(&Refusal::new(StatusCode::NOT_FOUND, text))
}
