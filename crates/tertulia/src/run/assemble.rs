//! From the configuration to the parts of an engine.

use std::collections::BTreeMap;
use std::sync::Arc;

use tertulia_core::preferences::Persona;
use tertulia_engine::{Live, ProviderPart, Settings};
use tertulia_output::links::Links;
use tertulia_ports::{Provider, Tool};
use tertulia_providers::{
    Anthropic, DeepSeek, Demo, Google, HuggingFace, Ollama, OpenAi, OpenRouter, Replicate, SetupError,
};
use tertulia_server::{Access, Bound, HttpLimits, OllamaConfig, OllamaDoor, Readiness};

use super::discover::Answering;
use super::now;
use crate::config::{self, Configuration, ProviderKind, ProviderSettings};
use crate::failure::{Failure, chain};

/// The model that the doors offer.
pub(super) const MODEL: &str = "tertulia";

/// Providers that were set up, with what they were set up from.
#[derive(Default)]
pub(crate) struct Built {
    pub(super) settings: BTreeMap<String, ProviderSettings>,
    pub(super) parts: BTreeMap<String, ProviderPart>,
}

impl Built {
    /// The provider of this name, if it was set up from the same.
    fn same(&self, name: &str, settings: &ProviderSettings) -> Option<Arc<dyn Provider>> {
        let is_same = self.settings.get(name)?.kind == settings.kind;
        is_same.then(|| self.parts.get(name).map(|part| Arc::clone(&part.provider)))?
    }
}

/// What can be replaced while everything runs.
pub(super) fn live(configuration: &Configuration, answering: &Answering) -> Live {
    let enabled = |tool: &Arc<dyn Tool>| configuration.tools.contains(&tool.spec().offer.name);
    let chats = configuration.platforms.keys().map(String::as_str);
    let tools = tertulia_tools::shipped()
        .into_iter()
        .chain(tertulia_tools::messages_on(chats));
    let personas = configuration.personas.iter();
    Live {
        providers: answering.built.parts.clone(),
        tools: tools.into_iter().filter(enabled).collect(),
        personas: personas.map(|(name, given)| (name.clone(), persona(given))).collect(),
        base: Persona {
            provider: Some(answering.name.clone()),
            ..persona(&configuration.persona)
        },
        settings: settings(configuration),
    }
}

fn persona(given: &config::Persona) -> Persona {
    Persona {
        provider: given.provider.clone(),
        model: given.model.clone(),
        system: given.system.clone(),
    }
}

/// The providers, ready to be asked; those of before whose settings have not changed stay the same.
///
/// # Errors
/// One cannot be set up on this machine.
pub(crate) fn providers(
    settings: &BTreeMap<String, ProviderSettings>,
    before: &Built,
) -> Result<BTreeMap<String, ProviderPart>, Failure> {
    let set_up = |(name, settings): (&String, &ProviderSettings)| {
        let part = ProviderPart {
            provider: match before.same(name, settings) {
                Some(provider) => provider,
                None => provider(name, &settings.kind)?,
            },
            model: settings.model.clone(),
            deadlines: settings.deadlines,
            fallback: settings.fallback.clone(),
            prices: settings.prices.clone(),
            at_once: settings.at_once,
        };
        Ok((name.clone(), part))
    };
    settings.iter().map(set_up).collect()
}

fn provider(name: &str, kind: &ProviderKind) -> Result<Arc<dyn Provider>, Failure> {
    let wrong = |error: SetupError| Failure::config(format!("providers.{name}: {}", chain(&error)));
    Ok(match kind {
        ProviderKind::OpenAi(config) => Arc::new(OpenAi::new((**config).clone()).map_err(wrong)?),
        ProviderKind::Anthropic(config) => Arc::new(Anthropic::new((**config).clone()).map_err(wrong)?),
        ProviderKind::Google(config) => Arc::new(Google::new((**config).clone()).map_err(wrong)?),
        ProviderKind::DeepSeek(config) => Arc::new(DeepSeek::new((**config).clone()).map_err(wrong)?),
        ProviderKind::OpenRouter(config) => Arc::new(OpenRouter::new((**config).clone()).map_err(wrong)?),
        ProviderKind::HuggingFace(config) => Arc::new(HuggingFace::new((**config).clone()).map_err(wrong)?),
        ProviderKind::Replicate(config) => Arc::new(Replicate::new((**config).clone()).map_err(wrong)?),
        ProviderKind::Ollama(config) => Arc::new(Ollama::new((**config).clone()).map_err(wrong)?),
        ProviderKind::Demo(pause) => Arc::new(Demo::with_pause(*pause)),
    })
}

fn settings(configuration: &Configuration) -> Settings {
    let limits = &configuration.limits;
    Settings {
        access: configuration.access.clone(),
        own: Vec::new(),
        rounds: limits.rounds,
        answer_bytes: limits.answer_bytes,
        queue_bound: limits.queue,
        history_entries: limits.history_entries,
        passing_requests: limits.passing_requests,
        sessions: limits.conversations,
    }
}

/// The Ollama door, if it is on; nothing runs yet.
pub(super) fn door(
    configuration: &Configuration,
    answering: &Answering,
    bound: Option<Bound>,
    readiness: Arc<dyn Readiness>,
) -> Option<Arc<OllamaDoor>> {
    let config = OllamaConfig {
        name: configuration.door.clone()?,
        models: answering.cards.all(),
        access: access(configuration),
        limits: HttpLimits {
            connections: configuration.server.connections,
            ..HttpLimits::default()
        },
        links: Links::default(),
        clock: Arc::new(now),
        readiness,
    };
    Some(Arc::new(OllamaDoor::new(config, bound?)))
}

/// Who may use the door.
pub(super) fn access(configuration: &Configuration) -> Access {
    let server = &configuration.server;
    Access {
        tokens: server.tokens.clone(),
        hosts: server.hosts.clone(),
        origins: server.origins.clone(),
    }
}
