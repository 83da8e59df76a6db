//! Replicate keeps the contract of a provider.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::json;
use tertulia_ports::Provider;
use tertulia_providers::{Replicate, ReplicateConfig};
use tertulia_testkit::provider_contract::{ProviderSubject, Scene, check};

use super::double::{self as replicate, Look, ReplicateDouble};
use crate::asking::CANARY;

struct ReplicateSubject {
    double: ReplicateDouble,
    provider: Arc<dyn Provider>,
}

#[async_trait]
impl ProviderSubject for ReplicateSubject {
    fn kind(&self) -> &'static str {
        "replicate"
    }

    fn provider(&self) -> Arc<dyn Provider> {
        Arc::clone(&self.provider)
    }

    fn model(&self) -> String {
        ReplicateDouble::MODEL.into()
    }

    fn secret(&self) -> String {
        CANARY.into()
    }

    fn unconfigured(&self) -> Option<(Arc<dyn Provider>, String)> {
        Some((
            Arc::new(Replicate::new(ReplicateConfig::official()).unwrap()),
            "providers.replicate.api_key_file".into(),
        ))
    }

    fn prepare(&self, scene: Scene) {
        let pause = Duration::from_millis(1);
        self.double.push(match scene {
            Scene::Answer => replicate::Scene::text(&["I am ", "the ", "double."], pause),
            Scene::Endless => replicate::Scene {
                looks: vec![Look::Is(json!({"status": "processing", "output": ["more "]}))],
                ..replicate::Scene::streamed(replicate::Stream::Endless(pause))
            },
        });
    }

    /// A connection that is closed frees nothing there: the prediction must be cancelled.
    async fn freed(&self) -> bool {
        self.double
            .until(|log| log.cancelled.last() == Some(&(log.made.len() - 1)))
            .await
    }
}

#[tokio::test]
async fn replicate_keeps_the_contract_streamed_and_polled() {
    for streamed in [true, false] {
        let double = ReplicateDouble::start().await;
        let mut config = double.config();
        config.stream = streamed;
        let subject = ReplicateSubject {
            provider: Arc::new(Replicate::new(config).unwrap()),
            double,
        };
        assert_eq!(check(&subject).await, Ok(()));
        assert_eq!(subject.double.log().refusals, Vec::<String>::new());
    }
}
