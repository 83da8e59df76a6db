//! What the doors offer: ourselves, and ourselves as each persona, with what the model behind each can.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use tertulia_ports::Provider;
use tertulia_server::{ModelCard, ModelSkill};
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::now;
use crate::config::{Configuration, Persona};
use crate::run::assemble::{Built, MODEL};

/// How long a start, or a reload, waits for what providers say of their models.
const PATIENCE: Duration = Duration::from_secs(1);

/// The context of a model of which nothing is known, in tokens.
const UNKNOWN: u64 = 8192;

/// The models of the doors, each with the model that answers behind it.
#[derive(Default)]
pub(super) struct Cards {
    offered: Vec<Offered>,
    since: Timestamp,
}

struct Offered {
    name: String,
    provider: Option<Arc<dyn Provider>>,
    model: String,
}

impl Cards {
    /// One for the default persona, whom this provider answers with this model, and one for each other.
    pub(super) fn new(configuration: &Configuration, built: &Built, (provider, model): (&str, &str)) -> Self {
        let offered = |name: String, persona: &Persona| {
            let named = persona.provider.as_deref().unwrap_or(provider);
            let part = built.parts.get(named);
            let usual = match part {
                Some(part) if named != provider => &part.model,
                _ => model,
            };
            Offered {
                name,
                provider: part.map(|part| Arc::clone(&part.provider)),
                model: persona.model.as_deref().unwrap_or(usual).to_owned(),
            }
        };
        let own = offered(MODEL.to_owned(), &configuration.persona);
        let others = configuration.personas.iter();
        let others = others.map(|(name, persona)| offered(format!("{MODEL}:{name}"), persona));
        Self {
            offered: [own].into_iter().chain(others).collect(),
            since: now(),
        }
    }

    /// Lets providers ask their servers what the models can; who does not know it within a second may know it later.
    /// Those who have nothing to ask do not wait.
    pub(super) async fn learn(&self) {
        let mut asking = JoinSet::new();
        for offered in &self.offered {
            if let Some(provider) = offered.provider.clone() {
                let model = offered.model.clone();
                // a server that is not there is told of when somebody is to be answered
                asking.spawn(async move { drop(timeout(PATIENCE, provider.probe(&model, false)).await) });
            }
        }
        while asking.join_next().await.is_some() {}
    }

    /// What clients are told, by what is known now.
    pub(super) fn all(&self) -> Vec<ModelCard> {
        self.offered.iter().map(|offered| offered.card(self.since)).collect()
    }
}

impl Offered {
    fn card(&self, modified_at: Timestamp) -> ModelCard {
        let able = self
            .provider
            .as_ref()
            .map(|provider| provider.capabilities(&self.model));
        let skills = able.map(|able| {
            [
                (able.tool_calls, ModelSkill::Tools),
                (able.vision, ModelSkill::Vision),
                (able.thinking, ModelSkill::Thinking),
            ]
        });
        ModelCard {
            name: self.name.clone(),
            context_length: able.map_or(UNKNOWN, |able| able.max_context),
            skills: skills
                .into_iter()
                .flatten()
                .filter_map(|(has, skill)| has.then_some(skill))
                .collect(),
            modified_at,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;
    use std::sync::atomic::{AtomicBool, Ordering};

    use async_trait::async_trait;
    use tertulia_core::provider::{Capabilities, ModelRequest, ProviderError, ProviderFault};
    use tertulia_ports::DeltaStream;
    use tertulia_providers::Demo;

    use super::*;

    /// Whose server may be away, or hang.
    #[derive(Default)]
    struct Server {
        is_up: AtomicBool,
        hangs: AtomicBool,
        knows: AtomicBool,
    }

    #[async_trait]
    impl Provider for Server {
        fn capabilities(&self, model: &str) -> Capabilities {
            let tool_calls = self.knows.load(Ordering::SeqCst);
            Capabilities {
                tool_calls,
                ..Demo::default().capabilities(model)
            }
        }

        fn missing_setting(&self) -> Option<&str> {
            None
        }

        async fn probe(&self, _model: &str, _fresh: bool) -> Result<(), ProviderError> {
            if self.hangs.load(Ordering::SeqCst) {
                pending::<()>().await;
            }
            self.knows.store(self.is_up.load(Ordering::SeqCst), Ordering::SeqCst);
            Ok(())
        }

        fn describe(&self) -> String {
            String::new()
        }

        async fn stream(&self, _request: ModelRequest) -> Result<DeltaStream, ProviderError> {
            Err(ProviderError::new(ProviderFault::Broken, "it is not asked"))
        }
    }

    #[tokio::test(start_paused = true)]
    async fn what_a_server_tells_late_is_told_late_and_nobody_waits_longer_than_a_second() {
        let server = Arc::new(Server::default());
        let offered = Offered {
            name: MODEL.to_owned(),
            provider: Some(Arc::clone(&server) as _),
            model: "m".to_owned(),
        };
        let cards = Cards {
            offered: vec![offered],
            since: now(),
        };
        let has_tools = || cards.all().iter().all(|card| card.skills.contains(&ModelSkill::Tools));
        server.hangs.store(true, Ordering::SeqCst);
        let begin = tokio::time::Instant::now();
        cards.learn().await;
        assert_eq!((begin.elapsed(), has_tools()), (PATIENCE, false));
        server.hangs.store(false, Ordering::SeqCst);
        cards.learn().await;
        assert!(!has_tools());
        server.is_up.store(true, Ordering::SeqCst);
        cards.learn().await;
        assert!(has_tools());
    }
}
