//! The double's HTTP side: token, route, faults and limits.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{ConnectInfo, Request as HttpRequest, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::Value;

use super::Shared;
use super::faults::{Call, Fault};
use super::methods::Answer;
use super::rates::{Standing, name};
use super::refusal::{Refusal, Scope};
use super::request::{Request, pairs};
use super::route::{Route, route};
use super::truth::Refused;
use super::world::World;
use crate::loopback_server::Wire;

const VERSION: &str = "/api/v10";
const AGENT: &str = "DiscordBot (";
const HTML: &str = "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body><center><h1>502 Bad Gateway</h1></center>\
    <hr><center>cloudflare</center></body>\r\n</html>\r\n";
const BANNED: &str = "<html><title>Access denied | Cloudflare</title><body>error code: 1015</body></html>";

/// The one route: whatever is asked.
pub(super) fn router(shared: Arc<Shared>) -> Router {
    Router::new().fallback(any).with_state(shared)
}

/// The line between bot and server: during a partition nothing comes through in either direction.
async fn any(
    State(shared): State<Arc<Shared>>,
    ConnectInfo(wire): ConnectInfo<Wire>,
    request: HttpRequest,
) -> Response {
    if shared.weather.outlast_partition().await {
        wire.cut();
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    }
    let response = answer(&shared, &wire, request).await;
    if shared.weather.outlast_partition().await {
        wire.cut();
    }
    response
}

async fn answer(shared: &Shared, wire: &Wire, request: HttpRequest) -> Response {
    let path = request.uri().path().to_owned();
    let query = request.uri().query().unwrap_or_default().to_owned();
    if let Some(rest) = path.strip_prefix("/attachments/") {
        return download(shared, rest, &query);
    }
    let Some(route) = path
        .strip_prefix(VERSION)
        .and_then(|path| route(request.method().as_str(), path))
    else {
        shared
            .world()
            .violate(format!("called {} {path}, which there is not", request.method()));
        return refused(&Refusal::no_route());
    };
    let headers = request.headers().clone();
    let limit = shared.world().settings.largest_request;
    let Ok(body) = to_bytes(request.into_body(), limit).await else {
        let refusal = Refusal::of(413, 40005, "Request entity too large");
        return told(shared, route.name, &refusal);
    };
    let kind = text(&headers, header::CONTENT_TYPE.as_str());
    let read = Request::read(route.clone(), &query, kind, &body);
    let request = match stranger(shared, &route, &headers).map_or(read, Err) {
        Ok(request) => request,
        Err(refusal) => return told(shared, route.name, &refusal),
    };
    perform(shared, wire, &request).await
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> &'a str {
    let value = headers.get(name).and_then(|value| value.to_str().ok());
    value.unwrap_or_default()
}

/// Why this caller may not do this, if it may not.
fn stranger(shared: &Shared, route: &Route, headers: &HeaderMap) -> Option<Refusal> {
    let mut world = shared.world();
    if !text(headers, header::USER_AGENT.as_str()).starts_with(AGENT) {
        world.violate(format!("{} without the User-Agent that bots must have", route.name));
    }
    let token = text(headers, header::AUTHORIZATION.as_str());
    let is_ours = token.strip_prefix("Bot ") == Some(world.settings.token.as_str()) && !world.hub.is_locked_out;
    let needs_none = route.is_interaction() || route.name == "get_gateway";
    (!is_ours && !needs_none).then(Refusal::unauthorized)
}

async fn perform(shared: &Shared, wire: &Wire, request: &Request) -> Response {
    // not inside the match, which would keep the lock
    let admitted = admit(&mut shared.world(), request);
    let (fault, standing) = match admitted {
        Ok(admitted) => admitted,
        Err(refusal) => return told(shared, request.route.name, &refusal),
    };
    match &fault {
        Some(Fault::CutBefore) => wire.cut(),
        Some(Fault::Refuse(status, code, words)) => {
            return told(shared, request.route.name, &Refusal::of(*status, *code, words.clone()));
        }
        _ => {}
    }
    if let Some(fault) = fault.as_ref().filter(|fault| fault.prevents()) {
        return failure(fault);
    }
    let done = shared.world().perform(request);
    shared.arrivals.notify_waiters();
    let mut response = match done {
        Ok(answer) => accepted(answer),
        Err(refusal) => told(shared, request.route.name, &refusal),
    };
    if let Some(standing) = standing {
        let today = shared.world().today();
        describe(response.headers_mut(), request.route.name, &standing, today);
    }
    match fault {
        Some(Fault::CutAfter) => wire.cut(),
        Some(Fault::Slow(by)) => tokio::time::sleep(by).await,
        Some(fault) => return failure(&fault),
        None => {}
    }
    response
}

/// Counts the call; gives the fault that strikes it and the state of its bucket, or the wait that it has to keep.
fn admit(world: &mut World, request: &Request) -> Result<(Option<Fault>, Option<Standing>), Refusal> {
    let (route, at) = (&request.route, world.at);
    let (bucket, is_exempt) = ((route.name, route.major()), route.is_interaction());
    world.truth.counts.calls += 1;
    if let Some(wait) = world.rates.waiting(at, bucket, is_exempt, world.settings.grace) {
        if wait.is_early {
            world.truth.counts.early += 1;
            world.violate(format!("{} before the wait was over", route.name));
        }
        return Err(Refusal::wait(wait.left.as_secs_f64(), wait.scope));
    }
    let fault = world.plan.count(Call {
        name: route.name,
        channel: route.channel,
        nth: 0,
        content: request.text("content").to_owned(),
    });
    if let Some(Fault::Wait(wait, scope)) = fault {
        world.rates.tell(at, bucket, wait, scope);
        return Err(Refusal::wait(wait.as_secs_f64(), scope));
    }
    let Some(limits) = world.settings.rates else {
        return Ok((fault, None));
    };
    match world.rates.take(at, bucket, is_exempt, &limits) {
        Ok(standing) => Ok((fault, Some(standing))),
        Err((wait, scope)) => {
            world.rates.tell(at, bucket, wait, scope);
            Err(Refusal::wait(wait.as_secs_f64(), scope))
        }
    }
}

fn accepted(answer: Answer) -> Response {
    match answer {
        Answer::Json(body) => json_body(StatusCode::OK, &body),
        Answer::Created(body) => json_body(StatusCode::CREATED, &body),
        Answer::Nothing => StatusCode::NO_CONTENT.into_response(),
    }
}

/// A refusal that is written down.
fn told(shared: &Shared, name: &'static str, refusal: &Refusal) -> Response {
    let mut world = shared.world();
    let at = world.at;
    world.truth.refused.push(Refused {
        at,
        name,
        status: refusal.status,
        code: refusal.code,
        message: refusal.message.clone(),
    });
    if refusal.is_invalid_request() && world.truth.invalid(at) {
        return failure(&Fault::Banned);
    }
    let mut response = refused(refusal);
    if let Some((seconds, scope)) = refusal.wait {
        let headers = response.headers_mut();
        // whole seconds, rounded up, as the server gives them
        let whole = Duration::from_secs_f64(seconds.max(0.0).ceil());
        headers.insert(header::RETRY_AFTER, whole.as_secs().into());
        headers.insert("x-ratelimit-scope", HeaderValue::from_static(scope.word()));
        if scope == Scope::Global {
            headers.insert("x-ratelimit-global", HeaderValue::from_static("true"));
        }
        if world.settings.rates.is_some() && scope == Scope::User {
            let standing = Standing {
                limit: world.settings.rates.map_or(0, |limits| limits.limit),
                remaining: 0,
                reset_after: Duration::from_secs_f64(seconds.max(0.0)),
            };
            describe(headers, name, &standing, world.today());
        }
    }
    response
}

/// The headers about a bucket.
fn describe(headers: &mut HeaderMap, route: &str, standing: &Standing, today: u64) {
    let reset_after = standing.reset_after.as_secs_f64();
    let reset = (Duration::from_millis(today) + standing.reset_after).as_secs_f64();
    let all = [
        ("x-ratelimit-limit", standing.limit.to_string()),
        ("x-ratelimit-remaining", standing.remaining.to_string()),
        ("x-ratelimit-reset", format!("{reset:.3}")),
        ("x-ratelimit-reset-after", format!("{reset_after:.3}")),
        ("x-ratelimit-bucket", name(route)),
    ];
    for (name, value) in all {
        if let Ok(value) = HeaderValue::try_from(value) {
            headers.insert(name, value);
        }
    }
}

fn refused(refusal: &Refusal) -> Response {
    let status = StatusCode::from_u16(refusal.status).unwrap_or(StatusCode::BAD_REQUEST);
    json_body(status, &refusal.body())
}

/// What comes instead of an answer.
fn failure(fault: &Fault) -> Response {
    let html = [(header::CONTENT_TYPE, "text/html")];
    match fault {
        Fault::BadGateway { .. } => (StatusCode::BAD_GATEWAY, html, HTML).into_response(),
        Fault::Banned => (StatusCode::TOO_MANY_REQUESTS, html, BANNED).into_response(),
        Fault::InvalidJson => {
            let headers = [(header::CONTENT_TYPE, "application/json")];
            (headers, "{\"id\":\"12").into_response()
        }
        _ => refused(&Refusal::of(500, 0, "500: Internal Server Error")),
    }
}

/// An attachment, for whoever has its address.
fn download(shared: &Shared, path: &str, query: &str) -> Response {
    let id = path
        .split('/')
        .nth(1)
        .and_then(|id| id.parse().ok())
        .unwrap_or_default();
    let world = shared.world();
    match world.download(id, &pairs(query)) {
        Some(file) => ([(header::CONTENT_TYPE, file.mime.clone())], file.bytes.clone()).into_response(),
        None => (StatusCode::NOT_FOUND, "This content is no longer available.").into_response(),
    }
}

fn json_body(status: StatusCode, body: &Value) -> Response {
    let headers = [(header::CONTENT_TYPE, "application/json")];
    (status, headers, Body::from(body.to_string())).into_response()
}
