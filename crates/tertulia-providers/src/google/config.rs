//! The configuration of Gemini.

use std::collections::BTreeMap;
use std::time::Duration;

use reqwest::Url;
use secrecy::SecretString;

use crate::Overrides;
use crate::connection::{SetupError, address_below, shown};

/// The host that insists on a key.
pub(crate) const OFFICIAL_HOST: &str = "generativelanguage.googleapis.com";

/// How to reach Gemini.
#[derive(Clone)]
pub struct GoogleConfig {
    /// The provider's name in the configuration: `providers.<name>`.
    pub name: String,
    /// The address in front of `/models/`, with the version of the API.
    pub base_url: String,
    /// The key; an empty one counts as none.
    pub api_key: Option<SecretString>,
    /// The model for requests that name none; may be empty. `models/` in front of its name may be there or not.
    pub model: String,
    /// How long making a connection may take.
    pub connect_timeout: Duration,
    /// What is special about a model, by its name, upper and lower case alike; stronger than what is known.
    pub models: BTreeMap<String, GoogleModel>,
    /// Overruled abilities.
    pub capabilities: Overrides,
}

/// What is special about a model; what is absent stays as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GoogleModel {
    /// How it is told to think.
    pub thinking: Option<GoogleThinking>,
    /// It takes schemas as JSON schemas; without, they are cut down to a subset of `OpenAPI`.
    pub json_schema: Option<bool>,
    /// It answers in a format also where tools are offered; without, whoever asks for a format gets no tools.
    pub format_beside_tools: Option<bool>,
    /// It takes an instruction apart from the conversation; without, that is the first thing a person says.
    pub instruction: Option<bool>,
}

/// How a model is told to think.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GoogleThinking {
    /// It cannot.
    Never,
    /// By a number of tokens.
    Budget,
    /// By a word.
    Level,
}

impl GoogleConfig {
    /// Google itself, named `google`, without key and model.
    #[must_use]
    pub fn official() -> Self {
        Self {
            name: "google".to_owned(),
            base_url: format!("https://{OFFICIAL_HOST}/v1beta"),
            api_key: None,
            model: String::new(),
            connect_timeout: Duration::from_secs(10),
            models: BTreeMap::new(),
            capabilities: Overrides::default(),
        }
    }

    /// A server that speaks Gemini's API at another address, without key and model.
    #[must_use]
    pub fn at(base_url: impl Into<String>) -> Self {
        Self {
            base_url: base_url.into(),
            ..Self::official()
        }
    }

    /// What the operator says of a model.
    pub(crate) fn said_of(&self, model: &str) -> GoogleModel {
        let name = model.to_lowercase();
        let said = self.models.iter().find(|(known, _)| known.to_lowercase() == name);
        said.map_or_else(GoogleModel::default, |(_, said)| *said)
    }

    /// The base address.
    pub(crate) fn base(&self) -> Result<Url, SetupError> {
        address_below(&self.base_url, &[]).ok_or_else(|| SetupError::BaseUrl {
            name: self.name.clone(),
        })
    }

    /// The base address, as it may be shown.
    pub(crate) fn shown_address(&self) -> String {
        self.base().map_or_else(|_| "invalid".to_owned(), |url| shown(&url))
    }
}

/// Where a model is described.
pub(crate) fn described(base: &Url, model: &str) -> Url {
    below(base, model, "")
}

/// Where a model answers as a stream of events.
pub(crate) fn streamed(base: &Url, model: &str) -> Url {
    let mut url = below(base, model, ":streamGenerateContent");
    url.query_pairs_mut().append_pair("alt", "sse");
    url
}

fn below(base: &Url, model: &str, call: &str) -> Url {
    let (folder, name) = match model.split_once('/') {
        Some((folder @ ("models" | "tunedModels"), name)) => (folder, name),
        _ => ("models", model),
    };
    let last = format!("{name}{call}");
    address_below(base.as_str(), &[folder, &last]).unwrap_or_else(|| base.clone())
}

impl std::fmt::Debug for GoogleConfig {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("GoogleConfig")
            .field("name", &self.name)
            .field("address", &self.shown_address())
            .field("model", &self.model)
            .field("connect_timeout", &self.connect_timeout)
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
        let config = GoogleConfig {
            api_key: Some("canary".into()),
            ..GoogleConfig::at("http://u:canary@h/v1beta?k=canary")
        };
        assert!(!format!("{config:?}").contains("canary"), "{config:?}");
    }

    #[test]
    fn models_have_addresses() {
        let base = |text: &str| Url::parse(text).unwrap();
        let official = GoogleConfig::official().base().unwrap();
        assert_eq!(
            streamed(&official, "models/gemini-2.5-flash").as_str(),
            "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse"
        );
        assert_eq!(
            streamed(&base("http://h/x/?v=1"), "tunedModels/a b").as_str(),
            "http://h/x/tunedModels/a%20b:streamGenerateContent?v=1&alt=sse"
        );
        assert_eq!(described(&base("http://h"), "a/b").as_str(), "http://h/models/a%2Fb");
    }
}
