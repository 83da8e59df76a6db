//! `tertulia providers`: who could be asked, what they can do, and whether they answer.

mod overview;
mod probe;

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use serde_json::Value;
use tertulia_engine::ProviderPart;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::config::{Configuration, Sources};
use crate::environment::Environment;
use crate::failure::Failure;
use crate::run::assemble::{self, Built};
use crate::run::discover::Chosen;
use crate::terminal::one_line;
use overview::Overview;

/// How long the servers may take to tell what their models can.
const PATIENCE: Duration = Duration::from_secs(3);

/// What the command line says.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// The configuration file
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Ask each one a short question, all at once, and show what comes of it
    #[arg(long)]
    probe: bool,
    /// Print one JSON array instead of lines
    #[arg(long)]
    json: bool,
}

/// Shows them.
///
/// # Errors
/// The configuration is wrong, or one that was asked does not answer.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let chosen = Ready::read(options.config.clone())?;
    let runtime = runtime()?;
    let (overviews, found) = runtime.block_on(look(chosen, options.probe))?;
    let text = if options.json {
        let all: Vec<Value> = overviews.iter().map(Overview::json).collect();
        format!("{:#}\n", Value::Array(all))
    } else {
        let found: Vec<String> = found.iter().map(|sentence| one_line(sentence) + "\n").collect();
        let texts: Vec<String> = overviews.iter().map(Overview::text).collect();
        found.concat() + &texts.join("\n")
    };
    let written = std::io::stdout().lock().write_all(text.as_bytes());
    written.map_err(|error| Failure::broken(format!("standard output is closed: {error}")))?;
    let failed = overviews.iter().filter(|overview| overview.has_failed()).count();
    match (failed, overviews.len()) {
        (0, _) => Ok(()),
        (failed, all) => Err(Failure::invalid(format!("{failed} of {all} providers did not answer"))),
    }
}

/// A configuration that was read.
pub(crate) struct Ready {
    configuration: Configuration,
    environment: Environment,
}

/// Providers that can be asked.
pub(crate) struct Asked {
    pub(crate) chosen: Chosen,
    pub(crate) parts: BTreeMap<String, ProviderPart>,
    /// The model that is asked where nothing else is said, by provider.
    pub(crate) models: BTreeMap<String, String>,
}

impl Ready {
    /// Reads the configuration as the daemon does.
    pub(crate) fn read(file: Option<PathBuf>) -> Result<Self, Failure> {
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
    pub(crate) async fn set_up(&self) -> Result<Asked, Failure> {
        let configuration = &self.configuration;
        let own = configuration.door.as_ref().map(|_| configuration.server.address);
        let chosen = Chosen::find(configuration, &self.environment, own).await?;
        let parts = assemble::providers(&chosen.settings, &Built::default())?;
        let of_persona = |name: &String| configuration.persona.model.clone().filter(|_| *name == chosen.name);
        let models = parts
            .iter()
            .map(|(name, part)| (name.clone(), of_persona(name).unwrap_or_else(|| part.model.clone())))
            .collect();
        Ok(Asked { chosen, parts, models })
    }
}

/// A runtime for a command.
pub(crate) fn runtime() -> Result<tokio::runtime::Runtime, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| Failure::broken(format!("the runtime could not be started: {error}")))
}

/// All of them by name, and what was found, in sentences.
async fn look(ready: Ready, asks: bool) -> Result<(Vec<Overview>, Vec<String>), Failure> {
    let asked = ready.set_up().await?;
    asked.learn().await;
    let mut outcomes = if asks {
        probe::all(&asked).await
    } else {
        BTreeMap::new()
    };
    let overviews = asked.parts.iter().filter_map(|(name, part)| {
        let settings = asked.chosen.settings.get(name)?;
        let mut overview = Overview::new(name, settings, part, asked.models.get(name)?);
        overview.answers = *name == asked.chosen.name;
        overview.probe = outcomes.remove(name);
        Some(overview)
    });
    Ok((overviews.collect(), asked.chosen.found.clone().unwrap_or_default()))
}

impl Asked {
    /// Lets those that have to ask their servers what the models can do so; who does not hear it in time shows what is
    /// usual.
    async fn learn(&self) {
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
