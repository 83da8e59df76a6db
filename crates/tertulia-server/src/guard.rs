//! What every request passes before anything of its body is read: host, origin, token.

mod host;
mod origin;

use std::net::SocketAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use host::Hosts;
use origin::Origins;

use crate::access::Access;
use crate::client::{Client, Tokens};
use crate::refusal::{Form, Refusal};

/// The outermost layer of a door.
pub(crate) struct Guard {
    hosts: Hosts,
    origins: Origins,
    tokens: Tokens,
    form: Form,
}

/// Routes that answer without a token, since they tell nothing: supervisors ask them.
const PUBLIC: [&str; 1] = ["/healthz"];

impl Guard {
    pub(crate) fn new(access: &Access, bound: SocketAddr, form: Form) -> Self {
        Self {
            hosts: Hosts::new(bound, &access.hosts),
            origins: Origins::new(&access.origins),
            tokens: Tokens::new(&access.tokens),
            form,
        }
    }

    fn check(&self, request: &Request) -> Result<(Client, Option<HeaderValue>), Refusal> {
        let host = self.hosts.check(request.uri(), request.headers())?;
        let origin = self.origins.check(&host, request.headers())?;
        if is_preflight(request) && origin.is_some() || PUBLIC.contains(&request.uri().path()) {
            return Ok((Client::Local, origin));
        }
        let client = self.tokens.client(bearer(request.headers()));
        let client = client.ok_or_else(|| Refusal::new(StatusCode::UNAUTHORIZED, "unauthorized"))?;
        origin::check_content_type(request)?;
        Ok((client, origin))
    }
}

/// Lets a request through with its [`Client`] as an extension, or answers it.
pub(crate) async fn pass(State(guard): State<Arc<Guard>>, mut request: Request, next: Next) -> Response {
    let (mut response, origin) = match guard.check(&request) {
        Ok((_, Some(origin))) if is_preflight(&request) => (origin::preflight(), Some(origin)),
        Ok((client, origin)) => {
            request.extensions_mut().insert(client);
            (next.run(request).await, origin)
        }
        Err(refusal) => (refuse(&refusal, guard.form), None),
    };
    if let Some(origin) = origin {
        origin::allow(response.headers_mut(), origin);
    }
    response
}

fn refuse(refusal: &Refusal, form: Form) -> Response {
    tracing::info!(
        status = refusal.status.as_u16(),
        reason = refusal.text,
        "a request was turned away"
    );
    let mut response = form(refusal).into_response();
    if refusal.status == StatusCode::UNAUTHORIZED {
        let scheme = HeaderValue::from_static("Bearer");
        response.headers_mut().insert(header::WWW_AUTHENTICATE, scheme);
    }
    response
}

fn is_preflight(request: &Request) -> bool {
    request.method() == Method::OPTIONS && request.headers().contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
}

/// The token in `Authorization: Bearer <token>`: the one place for it, and only once.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = only(headers, &header::AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// The value of a header that is there exactly once.
fn only<'a>(headers: &'a HeaderMap, name: &header::HeaderName) -> Option<&'a HeaderValue> {
    let mut values = headers.get_all(name).iter();
    let first = values.next()?;
    values.next().is_none().then_some(first)
}
