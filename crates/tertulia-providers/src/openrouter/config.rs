//! The configuration of OpenRouter.

use std::collections::BTreeMap;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue, REFERER};

use crate::ServerConfig;
use crate::chat_shape::ChatModel;

/// The host that insists on a key.
pub(crate) const OFFICIAL_HOST: &str = "openrouter.ai";

/// How to reach OpenRouter.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenRouterConfig {
    /// How it is reached. The address is the one in front of `/chat/completions`, e.g. `https://openrouter.ai/api/v1`.
    pub server: ServerConfig,
    /// What is special about a model, by its name, upper and lower case alike; stronger than what is known.
    pub models: BTreeMap<String, ChatModel>,
    /// The address under which `OpenRouter` lists the bot; nothing is told of it without one.
    pub site_url: Option<String>,
    /// The name under which `OpenRouter` lists the bot; nothing is told of it without one.
    pub site_name: Option<String>,
}

impl OpenRouterConfig {
    /// `OpenRouter` itself, named `openrouter`, without key and model.
    #[must_use]
    pub fn official() -> Self {
        Self::at(format!("https://{OFFICIAL_HOST}/api/v1"))
    }

    /// A server that speaks as `OpenRouter` does at another address, without key and model.
    #[must_use]
    pub fn at(base_url: impl Into<String>) -> Self {
        Self::of(ServerConfig::at("openrouter", base_url))
    }

    /// This server, with all else as usual.
    #[must_use]
    pub fn of(server: ServerConfig) -> Self {
        Self {
            server,
            models: BTreeMap::new(),
            site_url: None,
            site_name: None,
        }
    }

    /// What is told of the bot. What does not fit into a header is not told.
    pub(crate) fn headers(&self) -> HeaderMap {
        let told = [
            (REFERER, &self.site_url),
            (HeaderName::from_static("x-title"), &self.site_name),
        ];
        let header = |(name, value): (HeaderName, &Option<String>)| {
            let value = value.as_deref().filter(|value| !value.is_empty())?;
            Some((name, HeaderValue::from_str(value).ok()?))
        };
        told.into_iter().filter_map(header).collect()
    }
}
