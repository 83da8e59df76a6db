//! From the configuration to the parts of an engine.

use std::collections::BTreeMap;
use std::sync::Arc;

use tertulia_core::preferences::Persona;
use tertulia_engine::{Live, Parts, ProviderPart, Settings};
use tertulia_interface::Interface;
use tertulia_message::InterfaceName;
use tertulia_output::links::Links;
use tertulia_ports::{Provider, Store, Tool};
use tertulia_providers::{Demo, OpenAi};
use tertulia_server::{Access, Bound, HttpLimits, ModelCard, ModelSkill, OllamaConfig, OllamaDoor};

use super::discover::Answering;
use super::now;
use crate::config::{Configuration, ProviderKind, ProviderSettings};
use crate::failure::{Failure, chain};

/// The model that the doors offer.
pub(super) const MODEL: &str = "tertulia";

/// Puts the parts together; nothing runs yet.
pub(super) fn parts(
    configuration: &Configuration,
    answering: &Answering,
    bound: Option<Bound>,
    store: Arc<dyn Store>,
) -> Parts {
    let mut interfaces: BTreeMap<String, Arc<dyn Interface>> = BTreeMap::new();
    if let (Some(name), Some(bound)) = (&configuration.door, bound) {
        let door = OllamaDoor::new(door(configuration, answering, name), bound);
        interfaces.insert(name.as_str().to_owned(), Arc::new(door));
    }
    interfaces.extend(configuration.platforms.clone());
    let enabled = |tool: &Arc<dyn Tool>| configuration.tools.contains(&tool.spec().offer.name);
    let live = Live {
        providers: answering.providers.clone(),
        tools: tertulia_tools::shipped().into_iter().filter(enabled).collect(),
        personas: BTreeMap::new(),
        base: Persona {
            provider: Some(answering.name.clone()),
            model: configuration.persona.model.clone(),
            system: Some(configuration.persona.system.clone()),
        },
        settings: settings(configuration),
    };
    Parts {
        store,
        interfaces,
        claimable: !configuration.platforms.is_empty(),
        live,
        reload: None,
    }
}

/// The providers, ready to be asked.
///
/// # Errors
/// One cannot be set up on this machine.
pub(crate) fn providers(
    settings: &BTreeMap<String, ProviderSettings>,
) -> Result<BTreeMap<String, ProviderPart>, Failure> {
    let set_up = |(name, settings): (&String, &ProviderSettings)| {
        let provider: Arc<dyn Provider> = match &settings.kind {
            ProviderKind::OpenAi(config) => match OpenAi::new((**config).clone()) {
                Ok(provider) => Arc::new(provider),
                Err(error) => return Err(Failure::config(format!("providers.{name}: {}", chain(&error)))),
            },
            ProviderKind::Demo(pause) => Arc::new(Demo::with_pause(*pause)),
        };
        let part = ProviderPart {
            provider,
            model: settings.model.clone(),
            deadlines: settings.deadlines,
        };
        Ok((name.clone(), part))
    };
    settings.iter().map(set_up).collect()
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

fn door(configuration: &Configuration, answering: &Answering, name: &InterfaceName) -> OllamaConfig {
    let server = &configuration.server;
    OllamaConfig {
        name: name.clone(),
        models: vec![card(answering)],
        access: Access {
            tokens: server.tokens.clone(),
            hosts: server.hosts.clone(),
            origins: server.origins.clone(),
        },
        limits: HttpLimits {
            connections: server.connections,
            ..HttpLimits::default()
        },
        links: Links::default(),
        clock: Arc::new(now),
    }
}

/// What clients are told about our model: what the model behind it can.
fn card(answering: &Answering) -> ModelCard {
    let able = answering
        .provider()
        .map(|provider| provider.capabilities(&answering.model));
    let skills = able.map(|able| {
        [
            (able.tool_calls, ModelSkill::Tools),
            (able.vision, ModelSkill::Vision),
            (able.thinking, ModelSkill::Thinking),
        ]
    });
    ModelCard {
        name: MODEL.to_owned(),
        context_length: able.map_or(8192, |able| able.max_context),
        skills: skills
            .into_iter()
            .flatten()
            .filter_map(|(has, skill)| has.then_some(skill))
            .collect(),
        modified_at: now(),
    }
}
