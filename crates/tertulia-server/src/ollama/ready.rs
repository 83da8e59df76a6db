//! Whether we can be worked with, for those who decide where requests go.

use std::time::Duration;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value, json};
use tertulia_output::ollama::rfc3339;

use super::admit::Hall;
use super::form;
use crate::readiness::Trouble;

/// How long the daemon may take to say how it is.
const PATIENCE: Duration = Duration::from_secs(3);

/// `{"ready":true}`, or 503 with what is wrong.
pub(super) async fn ready(State(hall): State<Hall>) -> Response {
    let troubles = if hall.stop.is_cancelled() {
        vec![trouble("is stopping")]
    } else {
        let asked = tokio::time::timeout(PATIENCE, hall.config.readiness.troubles()).await;
        asked.unwrap_or_else(|_| vec![trouble("does not answer")])
    };
    if troubles.is_empty() {
        return form::json(&json!({"ready": true}));
    }
    let troubles: Vec<Value> = troubles.iter().map(shown).collect();
    let body = form::json(&json!({"ready": false, "troubles": troubles}));
    (StatusCode::SERVICE_UNAVAILABLE, body).into_response()
}

fn trouble(problem: &str) -> Trouble {
    Trouble {
        part: "daemon".to_owned(),
        problem: problem.to_owned(),
        since: None,
    }
}

fn shown(trouble: &Trouble) -> Value {
    let mut object = Map::new();
    object.insert("part".to_owned(), trouble.part.clone().into());
    object.insert("problem".to_owned(), trouble.problem.clone().into());
    if let Some(since) = trouble.since {
        object.insert("since".to_owned(), rfc3339(since).into());
    }
    object.into()
}
