//! Bodies of answers, refusals and updates.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use tertulia_message::{Addressed, RateScope};

use super::cut::Wire;
use crate::chat_double::{Event, Refusal, Said, Update};

/// The answer to a call; where the outcome is to stay unknown the connection is cut instead.
pub(super) fn answer(wire: &Wire, outcome: Result<Value, Refusal>) -> Response {
    let refusal = match outcome {
        Ok(body) => return Json(body).into_response(),
        Err(refusal) => refusal,
    };
    if refusal == Refusal::Unsure {
        wire.cut();
    }
    let (status, body) = refused(refusal);
    (status, Json(body)).into_response()
}

fn refused(refusal: Refusal) -> (StatusCode, Value) {
    let named = |status, name: &str| (status, json!({ "error": name }));
    match refusal {
        Refusal::RateLimited { after, scope } => {
            let scope = match scope {
                RateScope::Path => "path",
                RateScope::Account => "account",
            };
            // rounded up, so that nobody comes back too early
            let after_ms = after.as_millis() + 1;
            let body = json!({ "after_ms": u64::try_from(after_ms).unwrap_or(u64::MAX), "scope": scope });
            (StatusCode::TOO_MANY_REQUESTS, body)
        }
        Refusal::Lost => named(StatusCode::SERVICE_UNAVAILABLE, "not_taken"),
        Refusal::Unsure => named(StatusCode::INTERNAL_SERVER_ERROR, "unsure"),
        Refusal::TooLong => named(StatusCode::BAD_REQUEST, "too_long"),
        Refusal::Malformed(_) => named(StatusCode::BAD_REQUEST, "malformed"),
        Refusal::NoMessage => named(StatusCode::NOT_FOUND, "no_message"),
        Refusal::Gone => named(StatusCode::NOT_FOUND, "gone"),
        Refusal::Refused => named(StatusCode::FORBIDDEN, "refused"),
        Refusal::Moved(to) => (StatusCode::BAD_REQUEST, json!({ "error": "moved", "to": to })),
        Refusal::CannotTell => named(StatusCode::CONFLICT, "cannot_tell"),
    }
}

/// One update.
pub(super) fn update(update: &Update) -> Value {
    json!({ "id": update.id, "event": event(&update.event) })
}

fn event(event: &Event) -> Value {
    match event {
        Event::Said { message, said: body } => {
            let mut event = said(message, body);
            if let Some(event) = event.as_object_mut() {
                event.insert("kind".to_owned(), json!("said"));
            }
            event
        }
        Event::Changed {
            id,
            message,
            said: body,
        } => json!({ "kind": "changed", "id": id, "said": said(message, body) }),
        Event::Redacted {
            id,
            message,
            said: body,
        } => json!({ "kind": "redacted", "id": id, "said": said(message, body) }),
        Event::Pressed { id, said: body } => json!({ "kind": "pressed", "id": id, "said": said(id, body) }),
        Event::Moved { id, from, to } => json!({ "kind": "moved", "id": id, "from": from, "to": to }),
    }
}

fn said(message: &str, said: &Said) -> Value {
    let addressed = match said.addressed {
        Addressed::Direct => "direct",
        Addressed::Mention => "mention",
        Addressed::Reply => "reply",
        Addressed::Command => "command",
        Addressed::None => "none",
    };
    json!({
        "message": message,
        "chat": said.spot.chat,
        "thread": said.spot.thread,
        "person": said.person,
        "text": said.text,
        "addressed": addressed,
        "reply_to": said.reply_to,
    })
}
