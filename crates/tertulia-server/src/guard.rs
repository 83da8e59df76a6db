//! What every request passes before anything of its body is read: host, origin, token.

mod host;
mod origin;
mod revocable;

use std::net::SocketAddr;
use std::sync::{Arc, PoisonError, RwLock};

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use host::Hosts;
use origin::Origins;
use revocable::Revocable;
use tokio_util::sync::CancellationToken;

use crate::access::Access;
use crate::client::{Client, Tokens};
use crate::refusal::{Form, Refusal};

/// The outermost layer of a door. What it asks for can be replaced while it serves.
pub(crate) struct Guard {
    bound: SocketAddr,
    rules: RwLock<Arc<Rules>>,
    form: Form,
}

struct Rules {
    hosts: Hosts,
    origins: Origins,
    tokens: Tokens,
}

/// Somebody who is let in.
struct Visitor {
    client: Client,
    /// Fires when it may stay no longer.
    revoked: CancellationToken,
    /// The page it comes from, if that has to be told.
    origin: Option<HeaderValue>,
}

/// Routes that answer without a token, since they tell nothing of what is said here: supervisors ask them.
const PUBLIC: [&str; 2] = ["/healthz", "/readyz"];

impl Guard {
    pub(crate) fn new(access: &Access, bound: SocketAddr, form: Form) -> Self {
        Self {
            bound,
            rules: RwLock::new(Arc::new(Rules::new(access, bound))),
            form,
        }
    }

    /// From now on this is asked for. Whoever holds a token that is good no more is cut off, in the middle of an answer.
    pub(crate) fn replace(&self, access: &Access) {
        let mut rules = Rules::new(access, self.bound);
        let before = self.rules();
        rules.tokens.follow(&before.tokens);
        let now = Arc::new(rules);
        *self.rules.write().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&now);
        before.tokens.revoke(&now.tokens);
    }

    fn rules(&self) -> Arc<Rules> {
        Arc::clone(&self.rules.read().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Rules {
    fn new(access: &Access, bound: SocketAddr) -> Self {
        Self {
            hosts: Hosts::new(bound, &access.hosts),
            origins: Origins::new(&access.origins),
            tokens: Tokens::new(&access.tokens),
        }
    }

    fn check(&self, request: &Request) -> Result<Visitor, Refusal> {
        let host = self.hosts.check(request.uri(), request.headers())?;
        let origin = self.origins.check(&host, request.headers())?;
        if is_preflight(request) && origin.is_some() || PUBLIC.contains(&request.uri().path()) {
            return Ok(Visitor {
                client: Client::Local,
                revoked: CancellationToken::new(),
                origin,
            });
        }
        let client = self.tokens.client(bearer(request.headers()));
        let (client, revoked) = client.ok_or_else(unauthorized)?;
        origin::check_content_type(request)?;
        Ok(Visitor {
            client,
            revoked,
            origin,
        })
    }
}

fn unauthorized() -> Refusal {
    Refusal::new(StatusCode::UNAUTHORIZED, "unauthorized")
}

/// Lets a request through with its [`Client`] as an extension, or answers it.
pub(crate) async fn pass(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    let (mut response, origin) = match guard.rules().check(&request) {
        Ok(Visitor {
            origin: Some(origin), ..
        }) if is_preflight(&request) => (origin::preflight(), Some(origin)),
        Ok(visitor) => {
            let answered = answer(visitor.client, visitor.revoked, request, next).await;
            let response = answered.unwrap_or_else(|refusal| refuse(&refusal, guard.form));
            (response, visitor.origin)
        }
        Err(refusal) => (refuse(&refusal, guard.form), None),
    };
    if let Some(origin) = origin {
        origin::allow(response.headers_mut(), origin);
    }
    response
}

/// Answers as long as the client may hear it.
async fn answer(
    client: Client,
    revoked: CancellationToken,
    mut request: Request,
    next: Next,
) -> Result<Response, Refusal> {
    request.extensions_mut().insert(client);
    tokio::select! {
        biased;
        () = revoked.cancelled() => Err(unauthorized()),
        response = next.run(request) => Ok(response.map(|body| Body::new(Revocable::new(body, revoked)))),
    }
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
