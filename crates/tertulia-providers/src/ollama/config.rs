//! The configuration of an Ollama.

use std::time::Duration;

use reqwest::Url;
use secrecy::SecretString;

use crate::Overrides;
use crate::connection::{SetupError, address_below, shown};

/// The host that insists on a key.
pub(crate) const HOSTED: &str = "ollama.com";

/// How to reach an Ollama.
#[derive(Clone)]
pub struct OllamaConfig {
    /// The provider's name in the configuration: `providers.<name>`.
    pub name: String,
    /// The address in front of `/api/chat`.
    pub base_url: String,
    /// The key; only Ollama's own service wants one. An empty one counts as none.
    pub api_key: Option<SecretString>,
    /// The model for requests that name none; may be empty.
    pub model: String,
    /// How long making a connection may take.
    pub connect_timeout: Duration,
    /// Overruled abilities.
    pub capabilities: Overrides,
    /// The window of every model, in tokens. Without it: `max_context_length`, the model's own `num_ctx`, or what
    /// [`OllamaConfig::USUAL_WINDOW`] says. Never more than the model was made for.
    pub num_ctx: Option<u64>,
    /// How long the server keeps the model in memory after an answer, in its own words: `5m`, `-1` for ever, or seconds.
    pub keep_alive: Option<String>,
}

impl OllamaConfig {
    /// The longest window that is asked for where nobody has said anything, in tokens.
    ///
    /// Most models were made for far more; but the memory for the window is taken when the model is loaded, a gigabyte or
    /// two at this length for a model of eight thousand million parameters, and a server without it becomes slow or fails.
    /// What an Ollama takes by itself (4096 on small machines) holds hardly more than the tools' descriptions.
    pub const USUAL_WINDOW: u64 = 16_384;

    /// An Ollama on this machine's usual port, named `ollama`, without key and model.
    #[must_use]
    pub fn local() -> Self {
        Self {
            name: "ollama".to_owned(),
            base_url: "http://127.0.0.1:11434".to_owned(),
            api_key: None,
            model: String::new(),
            connect_timeout: Duration::from_secs(10),
            capabilities: Overrides::default(),
            num_ctx: None,
            keep_alive: None,
        }
    }

    /// An Ollama at another address.
    #[must_use]
    pub fn at(base_url: impl Into<String>) -> Self {
        Self {
            base_url: base_url.into(),
            ..Self::local()
        }
    }

    pub(crate) fn address_of(&self, call: &str) -> Result<Url, SetupError> {
        address_below(&self.base_url, &["api", call]).ok_or_else(|| SetupError::BaseUrl {
            name: self.name.clone(),
        })
    }

    /// The base address, as it may be shown.
    pub(crate) fn shown_address(&self) -> String {
        address_below(&self.base_url, &[]).map_or_else(|| "invalid".to_owned(), |url| shown(&url))
    }
}

impl std::fmt::Debug for OllamaConfig {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("OllamaConfig")
            .field("name", &self.name)
            .field("address", &self.shown_address())
            .field("model", &self.model)
            .field("connect_timeout", &self.connect_timeout)
            .field("capabilities", &self.capabilities)
            .field("num_ctx", &self.num_ctx)
            .field("keep_alive", &self.keep_alive)
            .finish_non_exhaustive()
    }
}
