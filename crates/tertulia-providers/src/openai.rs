//! OpenAI, by chat completions or by responses, and every server that speaks these under its own address.

mod config;
mod media;
mod responses;
mod traits;

use async_trait::async_trait;
use reqwest::Url;
use tertulia_core::provider::{Capabilities, ModelRequest, ProviderError};
use tertulia_ports::{DeltaStream, Media, Provider};

use crate::chat_shape::{ChatServer, Dialect, Echo, Traits};
use crate::connection::SetupError;

pub use config::{OpenAiApi, OpenAiConfig};

use media::OpenAiMedia;

/// The kind, as operators name it.
const KIND: &str = "openai";

/// A provider of OpenAI's shape.
///
/// Its connections go to the configured address and nowhere else: no proxy, no redirect.
pub struct OpenAi {
    config: OpenAiConfig,
    official: bool,
    chat: ChatServer,
    responses: Url,
    media: OpenAiMedia,
}

impl OpenAi {
    /// Checks the configuration and makes the client; connects to nothing.
    ///
    /// # Errors
    /// When the base address is no HTTP address, or no client can be made (no certificates on this machine, say).
    pub fn new(config: OpenAiConfig) -> Result<Self, SetupError> {
        let official = config.server.address_of(&[])?.host_str() == Some(config::OFFICIAL_HOST);
        let dialect = Dialect {
            kind: KIND,
            needs_key: official,
            traits: if official { traits::official } else { traits::compatible },
            echo: Echo::Nothing,
            billed: false,
        };
        let chat = ChatServer::new(dialect, &config.server, &config.models)?;
        Ok(Self {
            media: OpenAiMedia::new(&config, official, chat.missing_setting(), chat.connection())?,
            responses: config.server.address_of(&["responses"])?,
            chat,
            official,
            config,
        })
    }
}

#[async_trait]
impl Provider for OpenAi {
    fn capabilities(&self, model: &str) -> Capabilities {
        let known = traits::abilities(self.config.server.meant(model), self.official);
        self.chat.capabilities(model, known)
    }

    fn missing_setting(&self) -> Option<&str> {
        self.chat.missing_setting()
    }

    fn describe(&self) -> String {
        self.chat.describe()
    }

    fn media(&self) -> Option<&dyn Media> {
        Some(&self.media)
    }

    /// Asks for the list of models: it costs nothing, and says whether the address and the key are right. Servers that have
    /// no such list answer 404; that they answer is enough then.
    async fn probe(&self, _model: &str, fresh: bool) -> Result<(), ProviderError> {
        if !fresh {
            return Ok(());
        }
        self.chat.list().await.map(drop)
    }

    async fn stream(&self, request: ModelRequest) -> Result<DeltaStream, ProviderError> {
        let able = self.capabilities(&request.model);
        if self.config.api == OpenAiApi::Chat {
            return self.chat.stream(&request, able).await;
        }
        let model = self.chat.ready(&request.model)?;
        let Traits { temperature, top_p, .. } = self.chat.traits(model);
        let aim = responses::Aim {
            model,
            able,
            temperature,
            top_p,
        };
        responses::stream(self.chat.connection(), &self.responses, &request, aim).await
    }
}

impl std::fmt::Debug for OpenAi {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("OpenAi")
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}
