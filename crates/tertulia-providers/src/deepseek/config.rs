//! The configuration of DeepSeek.

use std::collections::BTreeMap;

use crate::ServerConfig;
use crate::chat_shape::ChatModel;

/// The host that insists on a key.
pub(crate) const OFFICIAL_HOST: &str = "api.deepseek.com";

/// How to reach DeepSeek.
#[derive(Debug, Clone, PartialEq)]
pub struct DeepSeekConfig {
    /// How it is reached. The address is the one in front of `/chat/completions`, e.g. `https://api.deepseek.com`.
    pub server: ServerConfig,
    /// What is special about a model, by its name, upper and lower case alike; stronger than what is known.
    pub models: BTreeMap<String, ChatModel>,
}

impl DeepSeekConfig {
    /// DeepSeek itself, named `deepseek`, without key and model.
    #[must_use]
    pub fn official() -> Self {
        Self::at(format!("https://{OFFICIAL_HOST}"))
    }

    /// A server that speaks as DeepSeek does at another address, without key and model.
    #[must_use]
    pub fn at(base_url: impl Into<String>) -> Self {
        Self::of(ServerConfig::at("deepseek", base_url))
    }

    /// This server, with all else as usual.
    #[must_use]
    pub fn of(server: ServerConfig) -> Self {
        Self {
            server,
            models: BTreeMap::new(),
        }
    }
}
