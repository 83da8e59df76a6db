//! How the server of a provider is reached: what every kind is told that asks one.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use reqwest::Url;
use secrecy::{ExposeSecret, SecretString};

use crate::Overrides;
use crate::connection::{SetupError, address_below, shown};

/// How the server of a provider is reached.
#[derive(Clone)]
pub struct ServerConfig {
    /// The provider's name in the configuration: `providers.<name>`.
    pub name: String,
    /// The address in front of everything that the kind asks for. A query stays where it is.
    pub base_url: String,
    /// The key; an empty one counts as none.
    pub api_key: Option<SecretString>,
    /// The model for requests that name none; may be empty.
    pub model: String,
    /// How long making a connection may take.
    pub connect_timeout: Duration,
    /// Overruled abilities.
    pub capabilities: Overrides,
}

impl ServerConfig {
    /// A server at an address, without key and model.
    #[must_use]
    pub fn at(name: impl Into<String>, base_url: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            base_url: base_url.into(),
            api_key: None,
            model: String::new(),
            connect_timeout: Duration::from_secs(10),
            capabilities: Overrides::default(),
        }
    }

    /// The address below the base address.
    pub(crate) fn address_of(&self, segments: &[&str]) -> Result<Url, SetupError> {
        address_below(&self.base_url, segments).ok_or_else(|| SetupError::BaseUrl {
            name: self.name.clone(),
        })
    }

    /// The base address, as it may be shown.
    pub(crate) fn shown_address(&self) -> String {
        self.address_of(&[])
            .map_or_else(|_| "invalid".to_owned(), |url| shown(&url))
    }

    /// The model that is meant: the one that is named, else the provider's own.
    pub(crate) fn meant<'a>(&'a self, named: &'a str) -> &'a str {
        if named.is_empty() { &self.model } else { named }
    }

    /// What operators read of it.
    pub(crate) fn description(&self, kind: &str) -> String {
        let model = match self.model.as_str() {
            "" => "no default model",
            model => model,
        };
        format!("{kind} at {}, {model}", self.shown_address())
    }
}

/// What the operator says of a model in a table by names, upper and lower case alike.
pub(crate) fn said_of<T: Clone + Default>(models: &BTreeMap<String, T>, model: &str) -> T {
    let model = model.to_lowercase();
    let mut named = models.iter().filter(|(name, _)| name.to_lowercase() == model);
    named.next().map(|(_, said)| said.clone()).unwrap_or_default()
}

impl fmt::Debug for ServerConfig {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ServerConfig")
            .field("name", &self.name)
            .field("address", &self.shown_address())
            .field("model", &self.model)
            .field("connect_timeout", &self.connect_timeout)
            .field("capabilities", &self.capabilities)
            .finish_non_exhaustive()
    }
}

impl PartialEq for ServerConfig {
    fn eq(&self, other: &Self) -> bool {
        // every field is named, so that none is forgotten
        let Self {
            name,
            base_url,
            api_key,
            model,
            connect_timeout,
            capabilities,
        } = self;
        let key = |key: &Option<SecretString>| key.as_ref().map(|key| key.expose_secret().to_owned());
        *name == other.name
            && *base_url == other.base_url
            && key(api_key) == key(&other.api_key)
            && *model == other.model
            && *connect_timeout == other.connect_timeout
            && *capabilities == other.capabilities
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_secret_is_shown() {
        let server = ServerConfig {
            api_key: Some("canary".into()),
            ..ServerConfig::at("here", "http://u:canary@h/v1?k=canary")
        };
        assert!(!format!("{server:?}").contains("canary"), "{server:?}");
        let line = server.description("openai");
        assert_eq!(line, "openai at http://h/v1, no default model");
    }

    #[test]
    fn servers_differ_by_their_keys() {
        let with = |key: &str| ServerConfig {
            api_key: Some(key.into()),
            ..ServerConfig::at("here", "http://h")
        };
        assert_eq!(with("a"), with("a"));
        assert_ne!(with("a"), with("b"));
        assert_ne!(with("a"), ServerConfig::at("here", "http://h"));
    }

    #[test]
    fn the_operator_names_models_in_any_case() {
        let models = BTreeMap::from([("Llava:7B".to_owned(), 7)]);
        assert_eq!((said_of(&models, "llava:7b"), said_of(&models, "llava")), (7, 0));
    }
}
