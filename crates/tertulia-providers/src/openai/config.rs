//! The configuration of a provider of OpenAI's shape.

use std::time::Duration;

use reqwest::Url;
use secrecy::SecretString;

use crate::Overrides;
use crate::connection::{SetupError, address_below, shown};

/// The host that insists on a key and takes the newest fields.
pub(crate) const OFFICIAL_HOST: &str = "api.openai.com";

/// How to reach a provider of OpenAI's shape.
#[derive(Clone)]
pub struct OpenAiConfig {
    /// The provider's name in the configuration: `providers.<name>`.
    pub name: String,
    /// The kind to report, e.g. `openai`.
    pub kind: &'static str,
    /// The address in front of `/chat/completions`, e.g. `https://api.openai.com/v1`. A query stays where it is.
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

impl OpenAiConfig {
    /// OpenAI itself, named `openai`, without key and model.
    #[must_use]
    pub fn official() -> Self {
        Self {
            name: "openai".to_owned(),
            kind: "openai",
            base_url: format!("https://{OFFICIAL_HOST}/v1"),
            api_key: None,
            model: String::new(),
            connect_timeout: Duration::from_secs(10),
            capabilities: Overrides::default(),
        }
    }

    /// A server of the same shape at another address, without key and model.
    #[must_use]
    pub fn at(base_url: impl Into<String>) -> Self {
        Self {
            base_url: base_url.into(),
            ..Self::official()
        }
    }

    pub(crate) fn endpoint(&self) -> Result<Url, SetupError> {
        self.address_of(&["chat", "completions"])
    }

    /// The address below the base address.
    pub(crate) fn address_of(&self, segments: &[&str]) -> Result<Url, SetupError> {
        address_below(&self.base_url, segments).ok_or_else(|| SetupError::BaseUrl {
            name: self.name.clone(),
        })
    }
}

impl std::fmt::Debug for OpenAiConfig {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let address = self
            .endpoint()
            .map_or_else(|_| "invalid".to_owned(), |url| address(&url));
        formatter
            .debug_struct("OpenAiConfig")
            .field("name", &self.name)
            .field("kind", &self.kind)
            .field("address", &address)
            .field("model", &self.model)
            .field("connect_timeout", &self.connect_timeout)
            .field("capabilities", &self.capabilities)
            .finish_non_exhaustive()
    }
}

/// The base address of an endpoint, as it may be shown.
pub(crate) fn address(endpoint: &Url) -> String {
    shown(endpoint).trim_end_matches("/chat/completions").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_secret_is_shown() {
        let config = OpenAiConfig {
            api_key: Some("canary".into()),
            ..OpenAiConfig::at("http://u:canary@h/v1?k=canary")
        };
        assert!(!format!("{config:?}").contains("canary"), "{config:?}");
    }
}
