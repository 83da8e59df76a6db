//! Gemini's side of the recordings: the model is in the address, and signatures must come back on their parts.

use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::{Path, RawQuery, State};
use axum::http::Response;
use serde_json::Value;
use tertulia_testkit::gemini_double;

use super::case::Exchange;
use super::server::{numbers, serve};

pub(super) async fn generate(
    State(exchanges): State<Arc<Vec<Vec<Exchange>>>>,
    Path(called): Path<String>,
    RawQuery(query): RawQuery,
    body: Bytes,
) -> Response<Body> {
    let mut asked: Value = serde_json::from_slice(&body).unwrap();
    let refusal = gemini_double::refusal(&asked);
    let model = called.strip_suffix(":streamGenerateContent").unwrap();
    assert_eq!(query.as_deref(), Some("alt=sse"));
    asked["model"] = model.into();
    let [case, _, round] = numbers(&asked);
    let before = round.checked_sub(1).map(|before| &exchanges[case][before].expected);
    let refusal = refusal.or_else(|| before.and_then(|before| lacks(&asked, before)));
    serve(&exchanges, &asked, refusal)
}

/// What should have come back with the last turn of the model, and has not.
fn lacks(asked: &Value, before: &Value) -> Option<String> {
    let contents = asked["contents"].as_array().unwrap();
    let turn = contents.iter().rev().find(|content| content["role"] == "model")?;
    let parts = turn["parts"].as_array().unwrap();
    let calls: Vec<&Value> = parts.iter().filter(|part| part.get("functionCall").is_some()).collect();
    if calls.len() != before["tool_calls"].as_array().unwrap().len() {
        return Some("the calls are lost".into());
    }
    let signatures = before["echo"]["signatures"].as_array();
    let is_missing = |signed: &&Value| {
        let returned = match signed["call"].as_u64() {
            Some(place) => calls[usize::try_from(place).unwrap()]["thoughtSignature"] == signed["thoughtSignature"],
            None => parts
                .iter()
                .any(|part| part.get("text").is_some() && part["thoughtSignature"] == signed["thoughtSignature"]),
        };
        !returned
    };
    let missing = signatures.into_iter().flatten().find(is_missing);
    missing.map(|signed| format!("a signature is lost: {signed}"))
}
