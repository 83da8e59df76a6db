//! Recorded and written text generation, cut anywhere.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::Response;
use axum::routing::post;
use tertulia_providers::{HuggingFace, HuggingFaceConfig, ServerConfig};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use super::{SHARED, asking};
use crate::asking::{CANARY, ask};
use crate::recordings::case::{self, Case};
use crate::recordings::{expected, server, tell};

const SIZES: [usize; 3] = [1, 7, 4096];

/// The model `{case}/{size}`.
async fn serve(State(cases): State<Arc<Vec<Case>>>, Path((number, size)): Path<(usize, usize)>) -> Response<Body> {
    server::pieces(&cases[number].exchanges[0], size)
}

#[tokio::test]
async fn recordings_of_text_generation() {
    let Some(folder) = case::folder() else { return };
    let (cases, _) = case::cases(&folder, &["huggingface"], "tgi");
    let cases = Arc::new(cases);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base_url = format!("http://{}", listener.local_addr().unwrap());
    let router = Router::new()
        .route("/models/{number}/{size}", post(serve))
        .with_state(Arc::clone(&cases));
    let mut task = JoinSet::new();
    task.spawn(async move { axum::serve(listener, router).await.unwrap() });
    let provider = HuggingFace::new(HuggingFaceConfig {
        api: SHARED,
        ..HuggingFaceConfig::of(ServerConfig {
            api_key: Some(CANARY.into()),
            ..ServerConfig::at("huggingface", base_url)
        })
    });
    let provider = provider.unwrap();
    let mut broken = Vec::new();
    for (number, case) in cases.iter().enumerate() {
        for size in SIZES {
            let answer = ask(&provider, asking(&format!("{number}/{size}"))).await;
            let outcome = expected::compare(case, &case.exchanges[0], &answer);
            broken.extend(outcome.err().map(|error| format!("{} by {size}: {error}", case.name)));
        }
    }
    let count = cases.len();
    tell(&format!(
        "{count} recordings of text generation in {} runs",
        count * SIZES.len()
    ));
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}
