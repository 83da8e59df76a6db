//! One section `[providers.<name>]`, and what is read alike for every kind.

use std::collections::BTreeMap;
use std::time::Duration;

use secrecy::SecretString;
use tertulia_providers::ServerConfig;

use super::kind::Kind;
use super::{abilities, address};
use crate::config::error::ConfigError;
use crate::config::nearest::hint;
use crate::config::secrets::{self, Known, Place};
use crate::config::settings::Settings;
use crate::environment::Environment;

/// Keys that every kind has.
const KEYS: [&str; 5] = ["kind", "model", "timeouts", "fallback", "at_once"];
/// Keys of every kind that asks a server.
const SERVER_KEYS: [&str; 5] = ["base_url", "api_key_file", "api_key", "capabilities", "models"];
/// Keys that the models of every kind have, beside those for their abilities.
pub(super) const PRICES: [&str; 4] = ["price_input", "price_output", "price_cache_read", "price_cache_written"];

/// The section of one provider.
#[derive(Clone, Copy)]
pub(super) struct Section<'a> {
    pub(super) name: &'a str,
    pub(super) kind: &'static Kind,
    pub(super) settings: &'a Settings,
    pub(super) environment: &'a Environment,
}

/// The section of one of its models.
#[derive(Clone, Copy)]
pub(super) struct ModelSection<'a> {
    pub(super) provider: &'a Section<'a>,
    pub(super) name: &'a str,
}

impl<'a> Section<'a> {
    pub(super) fn path<'b>(&'b self, key: &'b str) -> [&'b str; 3] {
        ["providers", self.name, key]
    }

    pub(super) fn text(&self, key: &str) -> Option<&'a str> {
        self.settings.text(&self.path(key))
    }

    pub(super) fn whole(&self, key: &str) -> Option<u64> {
        self.settings.whole(&self.path(key))
    }

    pub(super) fn wrong(&self, key: &str, problem: impl std::fmt::Display) -> ConfigError {
        self.settings.wrong(&self.path(key), problem)
    }

    /// The sections of its models.
    pub(super) fn models(&'a self) -> impl Iterator<Item = ModelSection<'a>> {
        let names = self.settings.names(&["providers", self.name, "models"]);
        names.into_iter().map(|name| ModelSection { provider: self, name })
    }

    /// What a kind has to say of each model, by the models' names.
    pub(super) fn of_models<T>(
        &self,
        read: impl Fn(&ModelSection<'_>) -> Result<T, ConfigError>,
    ) -> Result<BTreeMap<String, T>, ConfigError> {
        self.models()
            .map(|model| Ok((model.name.to_owned(), read(&model)?)))
            .collect()
    }

    /// Makes sure that nothing is set that only other kinds have.
    pub(super) fn refuse_foreign_keys(&self) -> Result<(), ConfigError> {
        let kind = self.kind;
        let is_own = |key: &str| {
            KEYS.contains(&key)
                || kind.keys.contains(&key)
                || (kind.has_server && SERVER_KEYS.contains(&key))
                || (key == "media" && !kind.media.is_empty())
        };
        let keys = self.settings.names(&["providers", self.name]);
        if let Some(key) = keys.into_iter().find(|key| !is_own(key)) {
            return Err(self.wrong(key, format!("is not a key of the kind {}", kind.name)));
        }
        let of_model =
            |key: &str| abilities::KEYS.contains(&key) || PRICES.contains(&key) || kind.model_keys.contains(&key);
        for model in self.models() {
            let path = ["providers", self.name, "models", model.name];
            if let Some(key) = self.settings.names(&path).into_iter().find(|key| !of_model(key)) {
                return Err(model.wrong(key, format!("is not a key of a model of the kind {}", kind.name)));
            }
        }
        Ok(())
    }

    /// How the server is reached.
    pub(super) fn server(&self, usual: ServerConfig, known: &mut Known) -> Result<ServerConfig, ConfigError> {
        let base_url = self.text("base_url").map_or(usual.base_url, str::to_owned);
        known.add_url(&base_url);
        if let Some(problem) = address::problem(&base_url) {
            return Err(self.wrong("base_url", problem));
        }
        let connect = self.settings.whole(&["providers", self.name, "timeouts", "connect"]);
        Ok(ServerConfig {
            name: self.name.to_owned(),
            base_url,
            api_key: self.key(known)?,
            model: self.text("model").unwrap_or_default().to_owned(),
            connect_timeout: connect.map_or(usual.connect_timeout, Duration::from_secs),
            capabilities: abilities::read(self),
        })
    }

    /// The key: its own, or, where it asks the service that its kind was made for, the one that the service's own clients read.
    fn key(&self, known: &mut Known) -> Result<Option<SecretString>, ConfigError> {
        let place = Place {
            section: &["providers", self.name],
            file_key: "api_key_file",
            key: "api_key",
            credential: &format!("{}_api_key", self.name),
        };
        let own = secrets::read(&place, self.settings, self.environment)?;
        if let Some(problem) = own.as_ref().and_then(secrets::unsendable) {
            return Err(self.unsendable(problem));
        }
        let service = self.kind.service.filter(|_| self.text("base_url").is_none());
        let variables = service.map_or(&[][..], |service| service.key_variables).iter();
        let mut of_service = variables.filter_map(|variable| Some((*variable, self.environment.get(variable)?)));
        let key = match (own, of_service.next()) {
            (Some(own), _) => Some(own),
            (None, Some((variable, key))) => Some(secrets::of_variable(variable, key)?),
            (None, None) => None,
        };
        if let Some(key) = &key {
            known.add(key);
        }
        Ok(key)
    }

    /// The error of a key of its own that no request could carry, by the setting that it comes from.
    fn unsendable(&self, problem: &str) -> ConfigError {
        let told = match (self.text("api_key"), self.text("api_key_file")) {
            (Some(_), _) => return self.wrong("api_key", format!("has a text, {problem}")),
            (None, Some(file)) => format!("names {file}, {problem}"),
            (None, None) => format!("is read from a credential, {problem}"),
        };
        self.wrong("api_key_file", told)
    }

    /// A word out of a few, with what it means.
    pub(super) fn word<T: Copy>(&self, key: &str, words: &[(&str, T)]) -> Result<Option<T>, ConfigError> {
        word(self.settings, &self.path(key), words)
    }
}

impl ModelSection<'_> {
    pub(super) fn path<'b>(&'b self, key: &'b str) -> [&'b str; 5] {
        ["providers", self.provider.name, "models", self.name, key]
    }

    pub(super) fn text(&self, key: &str) -> Option<&str> {
        self.provider.settings.text(&self.path(key))
    }

    pub(super) fn flag(&self, key: &str) -> Option<bool> {
        self.provider.settings.flag(&self.path(key))
    }

    pub(super) fn whole(&self, key: &str) -> Option<u64> {
        self.provider.settings.whole(&self.path(key))
    }

    pub(super) fn number(&self, key: &str) -> Option<f64> {
        self.provider.settings.number(&self.path(key))
    }

    /// A word out of a few, with what it means.
    pub(super) fn word<T: Copy>(&self, key: &str, words: &[(&str, T)]) -> Result<Option<T>, ConfigError> {
        word(self.provider.settings, &self.path(key), words)
    }

    pub(super) fn wrong(&self, key: &str, problem: impl std::fmt::Display) -> ConfigError {
        self.provider.settings.wrong(&self.path(key), problem)
    }
}

fn word<T: Copy>(settings: &Settings, path: &[&str], words: &[(&str, T)]) -> Result<Option<T>, ConfigError> {
    let Some(given) = settings.text(path) else {
        return Ok(None);
    };
    let known = || words.iter().map(|(word, _)| *word);
    if let Some((_, meaning)) = words.iter().find(|(word, _)| *word == given) {
        return Ok(Some(*meaning));
    }
    let all: Vec<&str> = known().collect();
    let problem = format!("must be {}, not {given:?}{}", all.join(" or "), hint(given, known()));
    Err(settings.wrong(path, problem))
}
