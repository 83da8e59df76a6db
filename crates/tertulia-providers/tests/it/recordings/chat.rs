//! The side of `DeepSeek` and of `OpenRouter`: what was thought must come back with the turn.

use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::Response;
use serde_json::Value;
use tertulia_testkit::model_double::{Habits, refusal_by};

use super::case::Exchange;
use super::expected::told;
use super::server::{numbers, serve};

pub(super) async fn deepseek(State(exchanges): State<Arc<Vec<Vec<Exchange>>>>, body: Bytes) -> Response<Body> {
    answer(&exchanges, &body, Habits::DeepSeek, "reasoning_content")
}

pub(super) async fn openrouter(State(exchanges): State<Arc<Vec<Vec<Exchange>>>>, body: Bytes) -> Response<Body> {
    answer(&exchanges, &body, Habits::OpenRouter, "reasoning_details")
}

fn answer(exchanges: &[Vec<Exchange>], body: &[u8], habits: Habits, field: &str) -> Response<Body> {
    let asked: Value = serde_json::from_slice(body).unwrap();
    let [case, _, round] = numbers(&asked);
    let echo = round
        .checked_sub(1)
        .map(|before| &exchanges[case][before].expected["echo"][field]);
    let returned = &asked["messages"][1][field];
    let lost = echo.filter(|echo| told(echo) != told(returned));
    let lost = lost.map(|echo| format!("{field} is {returned} and not {echo}"));
    let refusal = refusal_by(habits, &asked).map(|refusal| refusal.message);
    serve(exchanges, &asked, refusal.or(lost))
}
