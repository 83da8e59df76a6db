//! Reads the configuration again while everything runs.

mod differences;

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tertulia_engine::{Reload, Reloaded};
use tertulia_message::{InterfaceName, Level};
use tertulia_server::OllamaDoor;
use tokio::sync::Mutex;

use super::assemble;
use super::discover::Answering;
use crate::config::{Configuration, Platform, Settings, Sources};
use crate::environment::Environment;
use crate::logging::Logging;
use differences::Secrets;

/// A file that stays the same for so long is not being written.
const CALM: Duration = Duration::from_millis(50);

/// How often it is looked whether more is known of the door's models.
const EVERY: Duration = Duration::from_secs(30);

/// Reads the configuration again, from where it was read at the start.
pub(super) struct Reloading {
    pub(super) sources: Sources,
    pub(super) environment: Environment,
    pub(super) logging: Logging,
    pub(super) door: Option<Arc<OllamaDoor>>,
    /// The name that the door was opened under.
    pub(super) door_name: Option<InterfaceName>,
    /// Where the door listens until the next start.
    pub(super) address: Option<SocketAddr>,
    /// What the process was started with: some of it holds until the next start.
    pub(super) started_with: Settings,
    /// What the platforms were let in with that were started.
    pub(super) platforms: Secrets,
    /// What answers now.
    pub(super) answering: Mutex<Answering>,
}

#[async_trait]
impl Reload for Reloading {
    async fn reload(&self) -> Result<Reloaded, String> {
        let configuration = self.read().await?;
        self.check_address(&configuration)?;
        // before anything is done with a new secret
        self.logging.redact(&configuration.secrets);
        let mut answering = self.answering.lock().await;
        let found = Answering::find(&configuration, &self.environment, self.address, Some(&answering)).await;
        let found = found.map_err(|failure| failure.to_string())?;
        // from here on nothing fails
        self.logging.set_level(&configuration.log);
        if let Some(door) = &self.door {
            door.replace(found.cards.all(), &assemble::access(&configuration));
        }
        let mut live = assemble::live(&configuration, &found);
        if let Some(name) = &self.door_name {
            // it stays open until the next start, also where it was renamed or switched off: so does who may use it
            let open = live.settings.access.interfaces.entry(name.as_str().to_owned());
            open.or_insert(Level::User);
        }
        *answering = found;
        let mut notes = differences::notes(&self.started_with, &configuration.settings);
        notes.extend(differences::other_secrets(
            &self.platforms,
            &secrets(&configuration.platforms),
        ));
        Ok(Reloaded { live, notes })
    }
}

/// What each platform is let in with, by its name and the word for it.
pub(super) fn secrets(platforms: &BTreeMap<String, Platform>) -> Secrets {
    let of_one = |(name, platform): (&String, &Platform)| {
        let name = name.clone();
        let secrets = platform.secrets().into_iter();
        let owned = secrets.map(|(word, secret)| (word, secret.clone())).collect();
        (name, owned)
    };
    platforms.iter().map(of_one).collect()
}

impl Reloading {
    /// Keeps what the door tells about its models as good as what is known of them: the server that runs them may come up
    /// after us, and a model may be replaced by another of its name. It never ends; dropping it does.
    pub(super) async fn keep_cards(&self) -> Infallible {
        loop {
            tokio::time::sleep(EVERY).await;
            let Some(door) = &self.door else { continue };
            let cards = Arc::clone(&self.answering.lock().await.cards);
            cards.learn().await;
            // a reload may have come meanwhile
            let answering = self.answering.lock().await;
            door.offer(answering.cards.all());
        }
    }

    /// Reads it, unless somebody is writing it.
    async fn read(&self) -> Result<Configuration, String> {
        let before = self.text().await?;
        let (sources, environment) = (self.sources.clone(), self.environment.clone());
        let configuration = blocking(move || Configuration::read(&sources, &environment)).await?;
        tokio::time::sleep(CALM).await;
        let Some(file) = configuration.settings.file() else {
            return match self.started_with.file() {
                Some(file) => Err(format!("{}: the configuration file is gone", file.display())),
                None => Ok(configuration),
            };
        };
        let shown = file.display();
        if self.text().await? != before {
            return Err(format!(
                "{shown}: the file changed while it was read; try again when it is complete"
            ));
        }
        if before.trim().is_empty() && self.started_with.has_file_settings() {
            return Err(format!(
                "{shown}: the file is empty; a comment in it says that this is meant"
            ));
        }
        Ok(configuration)
    }

    async fn text(&self) -> Result<String, String> {
        let sources = self.sources.clone();
        blocking(move || sources.text()).await
    }

    /// The address stays until the next start, and with it what it asks for.
    fn check_address(&self, configuration: &Configuration) -> Result<(), String> {
        match self.address.filter(|address| !address.ip().is_loopback()) {
            Some(address) if configuration.server.tokens.is_empty() => Err(format!(
                "server.token_file must be set as long as the server listens on {}, where others can reach it: \
                 a new server.bind takes effect at the next start",
                address.ip()
            )),
            _ => Ok(()),
        }
    }
}

/// Files may be slow; nothing else waits for them.
async fn blocking<T: Send + 'static, E: std::fmt::Display + Send + 'static>(
    read: impl FnOnce() -> Result<T, E> + Send + 'static,
) -> Result<T, String> {
    match tokio::task::spawn_blocking(read).await {
        Ok(read) => read.map_err(|error| error.to_string()),
        Err(error) => Err(format!("the configuration could not be read: {error}")),
    }
}
