//! The configuration of a provider that speaks Anthropic's Messages API.

use std::collections::BTreeMap;
use std::time::Duration;

use reqwest::Url;
use secrecy::SecretString;

use super::traits::Thinking;
use crate::Overrides;
use crate::connection::{SetupError, address_below, shown};

/// The host that insists on a key.
pub(crate) const OFFICIAL_HOST: &str = "api.anthropic.com";

/// How to reach a provider that speaks the Messages API.
#[derive(Clone)]
pub struct AnthropicConfig {
    /// The provider's name in the configuration: `providers.<name>`.
    pub name: String,
    /// The address in front of `/v1/messages`, e.g. `https://api.anthropic.com`; a `/v1` at its end is taken for that one.
    pub base_url: String,
    /// The key; an empty one counts as none.
    pub api_key: Option<SecretString>,
    /// The model for requests that name none; may be empty.
    pub model: String,
    /// How long making a connection may take.
    pub connect_timeout: Duration,
    /// The longest answer where a request does not say, in tokens, without thinking: this protocol insists on one.
    pub max_tokens: u64,
    /// What is special about a model, by its name, upper and lower case alike; stronger than what is known.
    pub models: BTreeMap<String, AnthropicModel>,
    /// Overruled abilities.
    pub capabilities: Overrides,
}

/// What is special about a model; what is absent stays as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AnthropicModel {
    /// The longest answer where a request does not say, in tokens.
    pub max_tokens: Option<u64>,
    /// How it is told to think.
    pub thinking: Option<Thinking>,
    /// It takes `temperature` and `top_p`.
    pub sampling: Option<bool>,
    /// It takes a JSON schema that its answer must follow.
    pub schema: Option<bool>,
}

impl AnthropicConfig {
    /// The longest answer where nobody has said anything, in tokens.
    pub const USUAL_MAX_TOKENS: u64 = 4_096;

    /// Anthropic itself, named `anthropic`, without key and model.
    #[must_use]
    pub fn official() -> Self {
        Self {
            name: "anthropic".to_owned(),
            base_url: format!("https://{OFFICIAL_HOST}"),
            api_key: None,
            model: String::new(),
            connect_timeout: Duration::from_secs(10),
            max_tokens: Self::USUAL_MAX_TOKENS,
            models: BTreeMap::new(),
            capabilities: Overrides::default(),
        }
    }

    /// A server of the same protocol at another address, without key and model.
    #[must_use]
    pub fn at(base_url: impl Into<String>) -> Self {
        Self {
            base_url: base_url.into(),
            ..Self::official()
        }
    }

    /// What the operator says about a model.
    pub(crate) fn said_of(&self, model: &str) -> AnthropicModel {
        let model = model.to_lowercase();
        let mut named = self.models.iter().filter(|(name, _)| name.to_lowercase() == model);
        named.next().map(|(_, said)| *said).unwrap_or_default()
    }

    pub(crate) fn address_of(&self, segments: &[&str]) -> Result<Url, SetupError> {
        let wrong = || SetupError::BaseUrl {
            name: self.name.clone(),
        };
        let base = address_below(&self.base_url, &[]).ok_or_else(wrong)?;
        let has_version = base.path().trim_end_matches('/').ends_with("/v1");
        let version = (!has_version).then_some("v1");
        let segments: Vec<&str> = version.iter().chain(segments).copied().collect();
        address_below(&self.base_url, &segments).ok_or_else(wrong)
    }

    /// The base address, as it may be shown.
    pub(crate) fn shown_address(&self) -> String {
        address_below(&self.base_url, &[]).map_or_else(|| "invalid".to_owned(), |url| shown(&url))
    }
}

impl std::fmt::Debug for AnthropicConfig {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("AnthropicConfig")
            .field("name", &self.name)
            .field("address", &self.shown_address())
            .field("model", &self.model)
            .field("connect_timeout", &self.connect_timeout)
            .field("max_tokens", &self.max_tokens)
            .field("models", &self.models)
            .field("capabilities", &self.capabilities)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_secret_is_shown() {
        let config = AnthropicConfig {
            api_key: Some("canary".into()),
            ..AnthropicConfig::at("http://u:canary@h/v1?k=canary")
        };
        assert!(!format!("{config:?}").contains("canary"), "{config:?}");
    }

    #[test]
    fn the_version_comes_once() {
        let address = |base: &str| AnthropicConfig::at(base).address_of(&["messages"]).unwrap().to_string();
        for base in ["http://h:1", "http://h:1/", "http://h:1/v1", "http://h:1/v1/"] {
            assert_eq!(address(base), "http://h:1/v1/messages", "{base}");
        }
        assert_eq!(address("http://h/anthropic"), "http://h/anthropic/v1/messages");
        assert!(AnthropicConfig::at("nowhere").address_of(&[]).is_err());
    }
}
