//! The configuration of Replicate.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::{MediaModels, ServerConfig};

/// The host that insists on a key.
pub(crate) const OFFICIAL_HOST: &str = "api.replicate.com";

/// How to reach Replicate.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplicateConfig {
    /// How it is reached. The address is the one in front of `/v1/`. A model is `owner/name`, `owner/name:version`, or the
    /// version alone.
    pub server: ServerConfig,
    /// What is special about a model, by its name, upper and lower case alike; stronger than what is known of it and than
    /// what the server tells.
    pub models: BTreeMap<String, ReplicateModel>,
    /// Its models for pictures and sound.
    pub media: MediaModels,
    /// Answers are streamed where the model can; without, they are always polled.
    pub stream: bool,
    /// The wait between two looks at a prediction that is polled. It grows up to ten times as long while nothing happens; a
    /// stream that is silent for twenty times as long is asked whether it still lives.
    pub poll: Duration,
}

/// What is special about a model; what is absent stays as it is known.
///
/// Every model names the fields of its input as it likes. An empty name says that the model has no such field.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReplicateModel {
    /// The field of the question, `prompt` for most.
    pub prompt: Option<String>,
    /// The field of the system prompt; without one, that stands in front of the question.
    pub system: Option<String>,
    /// The field that says how many tokens are written at most.
    pub limit: Option<String>,
    /// The field of the temperature.
    pub temperature: Option<String>,
    /// The field of nucleus sampling.
    pub top_p: Option<String>,
    /// The field of the pictures.
    pub images: Option<String>,
    /// The field of the pictures holds a list; without, it holds the last picture alone.
    pub image_list: Option<bool>,
    /// The field of the sound that is to be written down, `audio` for most.
    pub sound: Option<String>,
    /// The field of the voice that speaks, `voice` for most.
    pub voice: Option<String>,
    /// What a second costs that the model runs, in billionths of a dollar: for models that are not paid by the token.
    pub second: Option<u64>,
}

impl ReplicateConfig {
    /// Replicate itself, named `replicate`, without key and model.
    #[must_use]
    pub fn official() -> Self {
        Self::at(format!("https://{OFFICIAL_HOST}"))
    }

    /// A server that speaks Replicate's API at another address, without key and model.
    #[must_use]
    pub fn at(base_url: impl Into<String>) -> Self {
        Self::of(ServerConfig::at("replicate", base_url))
    }

    /// This server, with all else as usual.
    #[must_use]
    pub fn of(server: ServerConfig) -> Self {
        Self {
            server,
            models: BTreeMap::new(),
            media: MediaModels::default(),
            stream: true,
            poll: Duration::from_millis(500),
        }
    }
}
