//! OpenRouter, which passes requests on to many makers' models.

mod config;
mod traits;

use async_trait::async_trait;
use tertulia_core::provider::{Capabilities, ModelRequest, ProviderError};
use tertulia_ports::{DeltaStream, Provider};

use crate::chat_shape::{ChatServer, Dialect, Echo};
use crate::connection::SetupError;

pub use config::OpenRouterConfig;

/// The kind's name.
const KIND: &str = "openrouter";

/// OpenRouter.
///
/// Its connections go to the configured address and nowhere else: no proxy, no redirect.
pub struct OpenRouter {
    config: OpenRouterConfig,
    chat: ChatServer,
}

impl OpenRouter {
    /// Checks the configuration and makes the client; connects to nothing.
    ///
    /// # Errors
    /// When the base address is no HTTP address, or no client can be made (no certificates on this machine, say).
    pub fn new(config: OpenRouterConfig) -> Result<Self, SetupError> {
        let dialect = Dialect {
            kind: KIND,
            needs_key: config.server.address_of(&[])?.host_str() == Some(config::OFFICIAL_HOST),
            traits: traits::of,
            echo: Echo::Details,
            billed: true,
        };
        let chat = ChatServer::new(dialect, &config.server, &config.models)?;
        Ok(Self {
            chat: chat.with_headers(config.headers()),
            config,
        })
    }
}

#[async_trait]
impl Provider for OpenRouter {
    fn capabilities(&self, model: &str) -> Capabilities {
        let known = traits::abilities();
        self.chat.capabilities(model, known)
    }

    fn missing_setting(&self) -> Option<&str> {
        self.chat.missing_setting()
    }

    fn describe(&self) -> String {
        self.chat.describe()
    }

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

impl std::fmt::Debug for OpenRouter {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("OpenRouter")
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}
