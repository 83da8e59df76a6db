//! Which provider answers: the configured one, else what is found on this machine, else the demo.

mod found;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;

use tertulia_engine::ProviderPart;

use super::assemble::{self, Built};
use super::cards::Cards;
use crate::config::{Configuration, ProviderSettings};
use crate::environment::Environment;
use crate::failure::Failure;

/// The providers, and which of them answers.
pub(super) struct Answering {
    pub(super) built: Built,
    pub(super) name: String,
    /// What the doors offer; nothing where none is open.
    pub(super) cards: Arc<Cards>,
    /// What was found, in sentences, if nothing was configured.
    pub(super) found: Option<Vec<String>>,
}

/// The settings of the providers, from the configuration or from this machine.
pub(crate) struct Chosen {
    pub(crate) settings: BTreeMap<String, ProviderSettings>,
    /// The one that answers.
    pub(crate) name: String,
    /// What was found, in sentences, if nothing was configured.
    pub(crate) found: Option<Vec<String>>,
}

impl Answering {
    /// Sets up what is configured, or what is found. Of what was there before, what has not changed stays the same; and what
    /// was found is not looked for again.
    pub(super) async fn find(
        configuration: &Configuration,
        environment: &Environment,
        own: Option<SocketAddr>,
        before: Option<&Self>,
    ) -> Result<Self, Failure> {
        let is_found = |before: &&Self| before.found.is_some() && configuration.providers.is_empty();
        let chosen = match before.filter(is_found) {
            Some(before) => Chosen {
                settings: before.built.settings.clone(),
                name: before.name.clone(),
                found: before.found.clone(),
            },
            None => Chosen::find(configuration, environment, own).await?,
        };
        let Chosen { settings, name, found } = chosen;
        let model = settings.get(&name).map(|provider| provider.model.clone());
        let nothing = Built::default();
        let parts = assemble::providers(&settings, before.map_or(&nothing, |before| &before.built))?;
        tell(&parts);
        let built = Built { settings, parts };
        // a door that is no longer wanted goes on until the next start
        let cards = match own {
            Some(_) => Cards::new(configuration, &built, (&name, &model.unwrap_or_default())),
            None => Cards::default(),
        };
        cards.learn().await;
        Ok(Self {
            built,
            name,
            cards: Arc::new(cards),
            found,
        })
    }
}

impl Chosen {
    /// Takes what is configured, or looks around; `own` is our own address, which is no Ollama.
    pub(crate) async fn find(
        configuration: &Configuration,
        environment: &Environment,
        own: Option<SocketAddr>,
    ) -> Result<Self, Failure> {
        let settings = &configuration.providers;
        if settings.is_empty() {
            return found::look_around(environment, own).await;
        }
        let (name, _) = configuration
            .persona
            .answering(settings)
            .ok_or_else(|| Failure::config("there is no provider (providers)"))?;
        Ok(Self {
            name: name.to_owned(),
            settings: settings.clone(),
            found: None,
        })
    }
}

fn tell(parts: &BTreeMap<String, ProviderPart>) {
    for (name, part) in parts {
        let provider = &part.provider;
        tracing::info!(name, provider = provider.describe(), "provider");
        if let Some(setting) = provider.missing_setting() {
            tracing::warn!(
                name,
                setting,
                "a provider cannot be used: a setting is missing or cannot be sent"
            );
        }
    }
}
