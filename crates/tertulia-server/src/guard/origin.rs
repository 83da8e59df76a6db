//! The web page a request comes from: a foreign one has no business here unless it is listed.

use axum::extract::Request;
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::only;
use crate::refusal::Refusal;

/// The foreign origins that may use the door.
pub(super) struct Origins(Vec<String>);

impl Origins {
    pub(super) fn new(origins: &[String]) -> Self {
        Self(
            origins
                .iter()
                .map(|origin| origin.trim_end_matches('/').to_ascii_lowercase())
                .collect(),
        )
    }

    /// The foreign origin that is to be told that it may read the answer; none for programs and our own pages.
    pub(super) fn check(&self, host: &Authority, headers: &HeaderMap) -> Result<Option<HeaderValue>, Refusal> {
        if !headers.contains_key(header::ORIGIN) {
            return Ok(None);
        }
        let refusal = || Refusal::new(StatusCode::FORBIDDEN, "this origin is not allowed");
        let value = only(headers, &header::ORIGIN).ok_or_else(refusal)?;
        let origin = value.to_str().map_err(|_| refusal())?.to_ascii_lowercase();
        if self.0.contains(&origin) {
            return Ok(Some(value.clone()));
        }
        let own = host.as_str().to_ascii_lowercase();
        let is_own = ["http://", "https://"]
            .iter()
            .any(|scheme| origin.strip_prefix(scheme) == Some(&own));
        if is_own { Ok(None) } else { Err(refusal()) }
    }
}

/// A web page says that it sends JSON: a form that only looks like it is sent without asking anybody.
pub(super) fn check_content_type(request: &Request) -> Result<(), Refusal> {
    let headers = request.headers();
    if request.method() != Method::POST || !headers.contains_key(header::ORIGIN) {
        return Ok(());
    }
    let kind = only(headers, &header::CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok())
        .unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    if kind.eq_ignore_ascii_case("application/json") {
        Ok(())
    } else {
        Err(Refusal::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "a web page must send application/json",
        ))
    }
}

/// The answer to a listed origin that asks what it may do.
pub(super) fn preflight() -> Response {
    let methods = (header::ACCESS_CONTROL_ALLOW_METHODS, "GET, HEAD, POST, DELETE");
    let names = (
        header::ACCESS_CONTROL_ALLOW_HEADERS,
        "authorization, content-type, x-conversation-id",
    );
    (StatusCode::NO_CONTENT, [methods, names]).into_response()
}

/// Tells a listed origin's browser that the page may read the answer.
pub(super) fn allow(headers: &mut HeaderMap, origin: HeaderValue) {
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.append(header::VARY, HeaderValue::from_static("origin"));
}
