//! The configuration of a provider of OpenAI's shape.

use std::collections::BTreeMap;

use crate::chat_shape::ChatModel;
use crate::{MediaModels, ServerConfig};

/// The host that insists on a key and takes the newest fields.
pub(crate) const OFFICIAL_HOST: &str = "api.openai.com";

/// How to reach a provider of OpenAI's shape.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenAiConfig {
    /// How it is reached. The address is the one in front of `/chat/completions` or `/responses`, e.g.
    /// `https://api.openai.com/v1`.
    pub server: ServerConfig,
    /// How it is asked.
    pub api: OpenAiApi,
    /// Its models for pictures and sound. OpenAI itself has usual ones; of any other server nothing is known.
    pub media: MediaModels,
    /// What is special about a model, by its name, upper and lower case alike; stronger than what is known.
    pub models: BTreeMap<String, ChatModel>,
}

/// The ways to ask a provider of OpenAI's shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OpenAiApi {
    /// `/chat/completions`, which every such server has.
    #[default]
    Chat,
    /// `/responses`, where models that think get their own thoughts back.
    Responses,
}

impl OpenAiConfig {
    /// OpenAI itself, named `openai`, without key and model.
    #[must_use]
    pub fn official() -> Self {
        Self::at(format!("https://{OFFICIAL_HOST}/v1"))
    }

    /// A server of the same shape at another address, without key and model.
    #[must_use]
    pub fn at(base_url: impl Into<String>) -> Self {
        Self::of(ServerConfig::at("openai", base_url))
    }

    /// This server, with all else as usual.
    #[must_use]
    pub fn of(server: ServerConfig) -> Self {
        Self {
            server,
            api: OpenAiApi::default(),
            media: MediaModels::default(),
            models: BTreeMap::new(),
        }
    }
}
