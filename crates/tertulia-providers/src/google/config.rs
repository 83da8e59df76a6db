//! The configuration of Gemini.

use std::collections::BTreeMap;

use reqwest::Url;

use crate::connection::{SetupError, address_below};
use crate::{MediaModels, ServerConfig};

/// The host that insists on a key.
pub(crate) const OFFICIAL_HOST: &str = "generativelanguage.googleapis.com";

/// How to reach Gemini.
#[derive(Debug, Clone, PartialEq)]
pub struct GoogleConfig {
    /// How it is reached. The address is the one in front of `/models/`, with the version of the API. In front of a model's name
    /// `models/` may be there or not.
    pub server: ServerConfig,
    /// What is special about a model, by its name, upper and lower case alike; stronger than what is known.
    pub models: BTreeMap<String, GoogleModel>,
    /// Its models for pictures and sound; where none is named, it can do none of that.
    pub media: MediaModels,
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
        Self::at(format!("https://{OFFICIAL_HOST}/v1beta"))
    }

    /// A server that speaks Gemini's API at another address, without key and model.
    #[must_use]
    pub fn at(base_url: impl Into<String>) -> Self {
        Self::of(ServerConfig::at("google", base_url))
    }

    /// This server, with all else as usual.
    #[must_use]
    pub fn of(server: ServerConfig) -> Self {
        Self {
            server,
            models: BTreeMap::new(),
            media: MediaModels::default(),
        }
    }

    /// The base address.
    pub(crate) fn base(&self) -> Result<Url, SetupError> {
        self.server.address_of(&[])
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

/// Where a method of a model is called, e.g. `:predict`.
pub(crate) fn called(base: &Url, model: &str, method: &str) -> Url {
    below(base, model, method)
}

fn below(base: &Url, model: &str, call: &str) -> Url {
    let (folder, name) = match model.split_once('/') {
        Some((folder @ ("models" | "tunedModels"), name)) => (folder, name),
        _ => ("models", model),
    };
    let last = format!("{name}{call}");
    address_below(base.as_str(), &[folder, &last]).unwrap_or_else(|| base.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

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
