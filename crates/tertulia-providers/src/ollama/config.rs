//! The configuration of an Ollama.

use reqwest::Url;

use crate::ServerConfig;
use crate::connection::SetupError;

/// The host that insists on a key.
pub(crate) const HOSTED: &str = "ollama.com";

/// How to reach an Ollama.
#[derive(Debug, Clone, PartialEq)]
pub struct OllamaConfig {
    /// How it is reached. The address is the one in front of `/api/chat`; only Ollama's own service wants a key.
    pub server: ServerConfig,
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
        Self::at("http://127.0.0.1:11434")
    }

    /// An Ollama at another address.
    #[must_use]
    pub fn at(base_url: impl Into<String>) -> Self {
        Self::of(ServerConfig::at("ollama", base_url))
    }

    /// This server, with all else as usual.
    #[must_use]
    pub fn of(server: ServerConfig) -> Self {
        Self {
            server,
            num_ctx: None,
            keep_alive: None,
        }
    }

    pub(crate) fn address_of(&self, call: &str) -> Result<Url, SetupError> {
        self.server.address_of(&["api", call])
    }
}
