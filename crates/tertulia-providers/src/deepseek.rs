//! DeepSeek, whose models think before they answer and want their thoughts back with their calls.

mod config;
mod traits;

use async_trait::async_trait;
use tertulia_core::provider::{Capabilities, ModelRequest, ProviderError};
use tertulia_ports::{DeltaStream, Provider};

use crate::chat_shape::{ChatServer, Dialect, Echo};
use crate::connection::SetupError;

pub use config::DeepSeekConfig;

/// The kind's name.
const KIND: &str = "deepseek";

/// DeepSeek.
///
/// Its connections go to the configured address and nowhere else: no proxy, no redirect.
pub struct DeepSeek {
    config: DeepSeekConfig,
    chat: ChatServer,
}

impl DeepSeek {
    /// Checks the configuration and makes the client; connects to nothing.
    ///
    /// # Errors
    /// When the base address is no HTTP address, or no client can be made (no certificates on this machine, say).
    pub fn new(config: DeepSeekConfig) -> Result<Self, SetupError> {
        let dialect = Dialect {
            kind: KIND,
            needs_key: config.server.address_of(&[])?.host_str() == Some(config::OFFICIAL_HOST),
            traits: traits::of,
            echo: Echo::Reasoning,
            billed: false,
        };
        Ok(Self {
            chat: ChatServer::new(dialect, &config.server, &config.models)?,
            config,
        })
    }
}

#[async_trait]
impl Provider for DeepSeek {
    fn capabilities(&self, model: &str) -> Capabilities {
        let known = traits::abilities(self.config.server.meant(model));
        self.chat.capabilities(model, known)
    }

    fn missing_setting(&self) -> Option<&str> {
        self.chat.missing_setting()
    }

    fn describe(&self) -> String {
        self.chat.describe()
    }

    /// Asks for the list of models: it costs nothing, and says whether the address and the key are right.
    async fn probe(&self, _model: &str, fresh: bool) -> Result<(), ProviderError> {
        if !fresh {
            return Ok(());
        }
        self.chat.list().await.map(drop)
    }

    async fn stream(&self, request: ModelRequest) -> Result<DeltaStream, ProviderError> {
        self.chat.stream(&request, self.capabilities(&request.model)).await
    }
}

impl std::fmt::Debug for DeepSeek {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("DeepSeek")
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}
