//! An answer that is an error, before it gets the form of its door.

use axum::http::StatusCode;
use axum::response::Response;

/// Why a request is not answered. The text is for the client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) status: StatusCode,
    pub(crate) text: String,
}

/// How a door writes its errors.
pub(crate) type Form = fn(&Refusal) -> Response;

impl Refusal {
    pub(crate) fn new(status: StatusCode, text: impl Into<String>) -> Self {
        Self {
            status,
            text: text.into(),
        }
    }

    pub(crate) fn bad(text: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, text)
    }
}
