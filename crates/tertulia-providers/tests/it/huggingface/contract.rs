//! HuggingFace keeps the contract of a provider, with both of its APIs.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tertulia_ports::Provider;
use tertulia_providers::{HuggingFace, HuggingFaceConfig, ServerConfig};
use tertulia_testkit::model_double::{Ending, ModelDouble, Script, Strictness};
use tertulia_testkit::provider_contract::{ProviderSubject, Scene, check};

use super::double::{self, HuggingFaceDouble};
use super::{DEDICATED, SHARED};
use crate::asking::CANARY;

enum Server {
    Text(HuggingFaceDouble),
    Chat(ModelDouble),
}

struct Subject {
    server: Server,
    provider: Arc<dyn Provider>,
}

#[async_trait]
impl ProviderSubject for Subject {
    fn kind(&self) -> &'static str {
        "huggingface"
    }

    fn provider(&self) -> Arc<dyn Provider> {
        Arc::clone(&self.provider)
    }

    fn model(&self) -> String {
        match self.server {
            Server::Text(_) => HuggingFaceDouble::MODEL.into(),
            Server::Chat(_) => ModelDouble::MODEL.into(),
        }
    }

    fn secret(&self) -> String {
        CANARY.into()
    }

    fn unconfigured(&self) -> Option<(Arc<dyn Provider>, String)> {
        Some((
            Arc::new(HuggingFace::new(HuggingFaceConfig::official()).unwrap()),
            "providers.huggingface.api_key_file".into(),
        ))
    }

    fn prepare(&self, scene: Scene) {
        let pause = Duration::from_millis(1);
        match &self.server {
            Server::Text(double) => double.push(match scene {
                Scene::Answer => double::Scene::Tokens(vec!["I am ", "the ", "double."], pause),
                Scene::Endless => double::Scene::Endless(pause),
            }),
            Server::Chat(double) => double.push(match scene {
                Scene::Answer => Script::slow_text("I am the double.", 4, pause),
                Scene::Endless => Script::Endless(pause),
            }),
        }
    }

    async fn freed(&self) -> bool {
        match &self.server {
            Server::Text(double) => double.left_alone().await,
            Server::Chat(double) => {
                double
                    .until(|calls| calls.last().is_some_and(|call| call.ending == Ending::Disconnected))
                    .await
            }
        }
    }
}

#[tokio::test]
async fn huggingface_keeps_the_contract_with_text_generation() {
    for api in [SHARED, DEDICATED] {
        let double = HuggingFaceDouble::start().await;
        let subject = Subject {
            provider: Arc::new(HuggingFace::new(double.config(api)).unwrap()),
            server: Server::Text(double),
        };
        assert_eq!(check(&subject).await, Ok(()));
    }
}

#[tokio::test]
async fn huggingface_keeps_the_contract_with_chats() {
    let strictness = Strictness {
        key: Some(CANARY.into()),
        models: Vec::new(),
    };
    let double = ModelDouble::start_strict(strictness).await.unwrap();
    let config = HuggingFaceConfig::of(ServerConfig {
        api_key: Some(CANARY.into()),
        ..ServerConfig::at("huggingface", double.base_url())
    });
    let subject = Subject {
        provider: Arc::new(HuggingFace::new(config).unwrap()),
        server: Server::Chat(double),
    };
    assert_eq!(check(&subject).await, Ok(()));
    let Server::Chat(double) = subject.server else {
        unreachable!()
    };
    assert_eq!(double.refusals(), Vec::<String>::new());
}
