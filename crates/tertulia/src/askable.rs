//! The providers, set up to be asked by a command without any daemon.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use tertulia_core::chat::{ChatMessage, Part};
use tertulia_core::provider::ModelRequest;
use tertulia_engine::ProviderPart;
use tertulia_message::Generation;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::config::{Configuration, Sources};
use crate::environment::Environment;
use crate::failure::Failure;
use crate::run::assemble::{self, Built};
use crate::run::discover::Chosen;

/// How long the servers may take to tell what their models can.
const PATIENCE: Duration = Duration::from_secs(3);

/// A configuration that was read.
pub(crate) struct Read {
    configuration: Configuration,
    environment: Environment,
}

/// Providers that can be asked.
pub(crate) struct Askable {
    pub(crate) chosen: Chosen,
    pub(crate) parts: BTreeMap<String, ProviderPart>,
    /// The model that is asked where nothing else is said, by provider.
    pub(crate) models: BTreeMap<String, String>,
}

impl Read {
    /// Reads the configuration as the daemon does.
    pub(crate) fn from(file: Option<PathBuf>) -> Result<Self, Failure> {
        let sources = Sources { file, port: None };
        let environment = Environment::of_process();
        let configuration =
            Configuration::read(&sources, &environment).map_err(|error| Failure::config(error.to_string()))?;
        Ok(Self {
            configuration,
            environment,
        })
    }

    /// Sets its providers up, or those that are found; connects to none.
    pub(crate) async fn set_up(&self) -> Result<Askable, Failure> {
        let configuration = &self.configuration;
        let own = configuration.door.as_ref().map(|_| configuration.server.address);
        let chosen = Chosen::find(configuration, &self.environment, own).await?;
        let parts = assemble::providers(&chosen.settings, &Built::default())?;
        let of_persona = |name: &String| configuration.persona.model.clone().filter(|_| *name == chosen.name);
        let models = parts
            .iter()
            .map(|(name, part)| (name.clone(), of_persona(name).unwrap_or_else(|| part.model.clone())))
            .collect();
        Ok(Askable { chosen, parts, models })
    }
}

/// A runtime for a command.
pub(crate) fn runtime() -> Result<tokio::runtime::Runtime, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| Failure::broken(format!("the runtime could not be started: {error}")))
}

impl Askable {
    /// Lets those that have to ask their servers what the models can do so; who does not hear it in time shows what is
    /// usual.
    pub(crate) async fn learn(&self) {
        let mut asking = JoinSet::new();
        for (name, part) in &self.parts {
            let (provider, model) = (
                part.provider.clone(),
                self.models.get(name).cloned().unwrap_or_default(),
            );
            asking.spawn(async move { drop(timeout(PATIENCE, provider.probe(&model, false)).await) });
        }
        while asking.join_next().await.is_some() {}
    }
}

/// One question, without anything around it.
pub(crate) fn question(model: &str, text: &str, max_tokens: Option<u64>) -> ModelRequest {
    ModelRequest {
        model: model.to_owned(),
        system: String::new(),
        messages: vec![ChatMessage::User {
            parts: vec![Part::Text(text.to_owned())],
        }],
        tools: Vec::new(),
        generation: Generation {
            max_tokens,
            ..Generation::default()
        },
    }
}
