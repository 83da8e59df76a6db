//! The configuration of a provider that speaks Anthropic's Messages API.

use std::collections::BTreeMap;

use reqwest::Url;

use super::traits::Thinking;
use crate::ServerConfig;
use crate::connection::SetupError;

/// The host that insists on a key.
pub(crate) const OFFICIAL_HOST: &str = "api.anthropic.com";

/// How to reach a provider that speaks the Messages API.
#[derive(Debug, Clone, PartialEq)]
pub struct AnthropicConfig {
    /// How it is reached. The address is the one in front of `/v1/messages`, e.g. `https://api.anthropic.com`; a `/v1` at its end
    /// is taken for that one.
    pub server: ServerConfig,
    /// The longest answer where a request does not say, in tokens, without thinking: this protocol insists on one.
    pub max_tokens: u64,
    /// What is special about a model, by its name, upper and lower case alike; stronger than what is known.
    pub models: BTreeMap<String, AnthropicModel>,
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
        Self::at(format!("https://{OFFICIAL_HOST}"))
    }

    /// A server of the same protocol at another address, without key and model.
    #[must_use]
    pub fn at(base_url: impl Into<String>) -> Self {
        Self::of(ServerConfig::at("anthropic", base_url))
    }

    /// This server, with all else as usual.
    #[must_use]
    pub fn of(server: ServerConfig) -> Self {
        Self {
            server,
            max_tokens: Self::USUAL_MAX_TOKENS,
            models: BTreeMap::new(),
        }
    }

    pub(crate) fn address_of(&self, segments: &[&str]) -> Result<Url, SetupError> {
        let base = self.server.address_of(&[])?;
        let has_version = base.path().trim_end_matches('/').ends_with("/v1");
        let version = (!has_version).then_some("v1");
        let segments: Vec<&str> = version.iter().chain(segments).copied().collect();
        self.server.address_of(&segments)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
