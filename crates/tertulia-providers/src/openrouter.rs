//! OpenRouter, which passes requests on to many makers' models.

mod config;
mod listed;
mod traits;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tertulia_core::provider::{Capabilities, ModelRequest, ProviderError, ProviderFault};
use tertulia_ports::{DeltaStream, Provider};

use crate::answer::broken;
use crate::chat_shape::{ChatServer, Dialect, Echo};
use crate::connection::SetupError;
use crate::memory::Memory;

pub use config::OpenRouterConfig;

use listed::Models;

/// The kind's name.
const KIND: &str = "openrouter";
/// How long the list is believed.
const BELIEVED: Duration = Duration::from_hours(6);
/// There is one list for all models.
const LIST: &str = "";

/// OpenRouter.
///
/// Its connections go to the configured address and nowhere else: no proxy, no redirect.
pub struct OpenRouter {
    config: OpenRouterConfig,
    chat: ChatServer,
    /// What its list told.
    memory: Memory<Arc<Models>>,
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
            memory: Memory::believing_for(BELIEVED),
            config,
        })
    }

    /// Asks for the list of models, which costs nothing and tells what they can.
    async fn ask_list(&self) -> Result<Arc<Models>, ProviderError> {
        let told = match self.chat.list().await? {
            Some(response) => Models::read(&self.chat.connection().json(response).await?),
            None => Some(Models::default()),
        };
        told.map(Arc::new)
            .ok_or_else(|| broken("the list of models is none; check base_url"))
    }
}

#[async_trait]
impl Provider for OpenRouter {
    fn capabilities(&self, model: &str) -> Capabilities {
        let models = self.memory.learnt(LIST);
        let listed = models.and_then(|models| models.get(self.config.server.meant(model)));
        self.chat.capabilities(model, traits::abilities(listed))
    }

    fn missing_setting(&self) -> Option<&str> {
        self.chat.missing_setting()
    }

    fn describe(&self) -> String {
        self.chat.describe()
    }

    /// The list of models says what each can, and is believed for hours. A turn works without it, too.
    ///
    /// The list is there for everybody, so a wrong key is found out by the first question alone.
    async fn probe(&self, model: &str, fresh: bool) -> Result<(), ProviderError> {
        let learnt = self.memory.learn(LIST, fresh, self.ask_list()).await;
        if !fresh {
            return Ok(());
        }
        learnt?;
        let model = self.config.server.meant(model);
        let is_told = |models: Arc<Models>| model.is_empty() || models.is_empty() || models.get(model).is_some();
        if self.memory.learnt(LIST).is_none_or(is_told) {
            return Ok(());
        }
        let detail = format!("{model} is not in the list of models");
        Err(ProviderError::new(ProviderFault::NoSuchModel, detail))
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
