//! The configuration of HuggingFace.

use std::collections::BTreeMap;

use crate::chat_shape::ChatModel;
use crate::{MediaModels, ServerConfig};

/// The host that insists on a key.
pub(crate) const OFFICIAL_HOST: &str = "router.huggingface.co";

/// How to reach HuggingFace.
#[derive(Debug, Clone, PartialEq)]
pub struct HuggingFaceConfig {
    /// How it is reached. What the address stands in front of is said at [`HuggingFaceApi`].
    pub server: ServerConfig,
    /// What is spoken there.
    pub api: HuggingFaceApi,
    /// Its models for pictures and sound, which run at HuggingFace itself (`/hf-inference/models/{model}` at the same host).
    pub media: MediaModels,
    /// What is special about a model in a chat, by its name, upper and lower case alike; stronger than what is known.
    pub models: BTreeMap<String, ChatModel>,
}

/// What a server of HuggingFace speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HuggingFaceApi {
    /// OpenAI's chat completions: the router, and the newer of the dedicated endpoints. The address is the one in front of
    /// `/chat/completions`; with the name of a partner in it (`https://router.huggingface.co/{partner}/v1`) that one alone is
    /// asked. A model is `org/name`, or `org/name:partner`.
    #[default]
    Chat,
    /// Text generation. The address is the one in front of `/models/{model}`, or, if `dedicated`, that of the endpoint itself,
    /// which has one model whatever its name.
    TextGeneration {
        /// The address is that of an endpoint of its own.
        dedicated: bool,
    },
}

impl HuggingFaceConfig {
    /// The router itself, named `huggingface`, without key and model.
    #[must_use]
    pub fn official() -> Self {
        Self::at(format!("https://{OFFICIAL_HOST}/v1"))
    }

    /// A chat at another address, without key and model.
    #[must_use]
    pub fn at(base_url: impl Into<String>) -> Self {
        Self::of(ServerConfig::at("huggingface", base_url))
    }

    /// This server, with all else as usual.
    #[must_use]
    pub fn of(server: ServerConfig) -> Self {
        Self {
            server,
            api: HuggingFaceApi::default(),
            media: MediaModels::default(),
            models: BTreeMap::new(),
        }
    }
}
