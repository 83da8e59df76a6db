//! The Responses API's side of the recordings: the items that must go back have come back.

use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::Response;
use serde_json::Value;
use tertulia_ports::Provider;
use tertulia_providers::{AbilityOverrides, OpenAi, OpenAiApi, OpenAiConfig, Overrides, ServerConfig};

use super::case::Exchange;
use super::server::{numbers, serve};
use crate::asking::CANARY;
use crate::responses::rules;

/// A provider whose models all think.
pub(super) fn provider(base_url: String) -> Arc<dyn Provider> {
    let all = AbilityOverrides {
        thinking: Some(true),
        ..AbilityOverrides::default()
    };
    let config = OpenAiConfig {
        api: OpenAiApi::Responses,
        ..OpenAiConfig::of(ServerConfig {
            api_key: Some(CANARY.into()),
            capabilities: Overrides {
                all,
                ..Overrides::default()
            },
            ..ServerConfig::at("openai", base_url)
        })
    };
    Arc::new(OpenAi::new(config).unwrap())
}

/// Either form of what must go back is right: that of the items, or that of the last event.
pub(super) async fn respond(State(exchanges): State<Arc<Vec<Vec<Exchange>>>>, body: Bytes) -> Response<Body> {
    let asked: Value = serde_json::from_slice(&body).unwrap();
    let [case, _, round] = numbers(&asked);
    let before = round.checked_sub(1).map(|before| &exchanges[case][before].expected);
    let lacks = before.is_some_and(|before| {
        let echoes = [&before["echo"]["items"], &before["echo_also"]["items"]];
        let mut told = echoes.into_iter().filter(|items| items.is_array());
        told.clone().next().is_some() && !told.any(|items| rules::has_items(&asked["input"], items))
    });
    let refusal = rules::refusal(&asked);
    let refusal = refusal.or_else(|| lacks.then(|| "the items are lost".into()));
    serve(&exchanges, &asked, refusal)
}
