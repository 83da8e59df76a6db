//! HuggingFace: the router's chat, and text generation.

mod config;
mod listed;
mod media;
mod text;

use async_trait::async_trait;
use reqwest::{StatusCode, Url};
use tertulia_core::provider::{Capabilities, ModelRequest, ProviderError, ProviderFault};
use tertulia_ports::{DeltaStream, Media, Provider};

use crate::chat_shape::{ChatServer, Dialect, Echo, Traits};
use crate::connection::{SetupError, address_below};
use crate::kinds::PROMPT_ONLY;
use crate::memory::Memory;

pub use config::{HuggingFaceApi, HuggingFaceConfig};

use listed::Listed;

/// The kind's name.
const KIND: &str = "huggingface";

/// HuggingFace.
///
/// Its connections go to the configured address and nowhere else: no proxy, no redirect.
pub struct HuggingFace {
    config: HuggingFaceConfig,
    base: Url,
    chat: ChatServer,
    memory: Memory<Listed>,
}

impl HuggingFace {
    /// Checks the configuration and makes the client; connects to nothing.
    ///
    /// # Errors
    /// When the base address is no HTTP address, or no client can be made (no certificates on this machine, say).
    pub fn new(config: HuggingFaceConfig) -> Result<Self, SetupError> {
        let base = config.server.address_of(&[])?;
        let dialect = Dialect {
            kind: KIND,
            needs_key: base.host_str() == Some(config::OFFICIAL_HOST),
            traits: |_| Traits::USUAL,
            echo: Echo::Nothing,
            billed: false,
        };
        Ok(Self {
            chat: ChatServer::new(dialect, &config.server, &config.models)?,
            base,
            memory: Memory::default(),
            config,
        })
    }

    fn is_chat(&self) -> bool {
        self.config.api == HuggingFaceApi::Chat
    }

    /// Where a model generates text.
    fn generator(&self, model: &str) -> Result<Url, ProviderError> {
        let is_dedicated = self.config.api == HuggingFaceApi::TextGeneration { dedicated: true };
        if is_dedicated {
            return Ok(self.base.clone());
        }
        below_models(&self.base, model)
    }

    /// What the router's list says of a model. A list without it is no proof that it is not there, but at the router.
    async fn ask_list(&self, model: &str) -> Result<Listed, ProviderError> {
        let Some(response) = self.chat.list().await? else {
            return Ok(Listed::default());
        };
        let list = self.chat.connection().json(response).await?;
        match Listed::read(&list, model) {
            Some(listed) => Ok(listed),
            None if Listed::is_of_router(&list) => Err(ProviderError::new(
                ProviderFault::NoSuchModel,
                "the router's list of models does not have it, or not from this partner",
            )),
            None => Ok(Listed::default()),
        }
    }

    /// What an endpoint of its own tells; others tell nothing, but whether they are there and take the key.
    async fn ask_generator(&self, model: &str) -> Result<Listed, ProviderError> {
        let connection = self.chat.connection();
        let place = self.generator(model)?;
        let is_dedicated = place == self.base;
        let place = if is_dedicated {
            address_below(place.as_str(), &["info"]).unwrap_or(place)
        } else {
            place
        };
        let response = connection.send(connection.get(&place), "application/json").await?;
        match response.status() {
            status if status.is_success() && is_dedicated => Ok(Listed::of_endpoint(&connection.json(response).await?)),
            status if status.is_success() => Ok(Listed::default()),
            // it is there, and wants a question
            StatusCode::METHOD_NOT_ALLOWED | StatusCode::BAD_REQUEST | StatusCode::UNPROCESSABLE_ENTITY => {
                Ok(Listed::default())
            }
            StatusCode::NOT_FOUND if is_dedicated => Ok(Listed::default()),
            StatusCode::NOT_FOUND => {
                let refused = connection.refused(response).await;
                Err(ProviderError::new(ProviderFault::NoSuchModel, refused.detail))
            }
            _ => Err(connection.refused(response).await),
        }
    }
}

/// `{base}/models/{owner}/{name}`.
fn below_models(base: &Url, model: &str) -> Result<Url, ProviderError> {
    let unusable = || ProviderError::new(ProviderFault::NoSuchModel, "a model of HuggingFace is owner/name");
    let words: Vec<&str> = model.split('/').collect();
    if words.len() > 2 || words.iter().any(|word| matches!(*word, "" | "." | "..")) {
        return Err(unusable());
    }
    let segments: Vec<&str> = std::iter::once("models").chain(words).collect();
    address_below(base.as_str(), &segments).ok_or_else(unusable)
}

#[async_trait]
impl Provider for HuggingFace {
    fn capabilities(&self, model: &str) -> Capabilities {
        let listed = self.memory.learnt(self.config.server.meant(model)).unwrap_or_default();
        let chats = self.is_chat();
        let known = Capabilities {
            conversation: chats,
            system: chats,
            tool_calls: chats && listed.tools,
            vision: chats && listed.vision,
            max_context: listed.context.unwrap_or(PROMPT_ONLY.max_context),
            ..PROMPT_ONLY
        };
        let able = self.chat.capabilities(model, known);
        Capabilities {
            // text generation takes a prompt and nothing else
            conversation: chats && able.conversation,
            tool_calls: chats && able.tool_calls,
            vision: chats && able.vision,
            ..able
        }
    }

    fn missing_setting(&self) -> Option<&str> {
        self.chat.missing_setting()
    }

    fn describe(&self) -> String {
        self.chat.describe()
    }

    /// Asks what the router or the endpoint tells of the model, which costs nothing: its window, and whether it can call tools
    /// and see. What was learnt is believed for ten minutes. Text generation without an endpoint of its own has nothing to
    /// tell.
    async fn probe(&self, model: &str, fresh: bool) -> Result<(), ProviderError> {
        let model = self.chat.ready(model)?;
        match self.config.api {
            HuggingFaceApi::Chat => self.memory.learn(model, fresh, self.ask_list(model)).await,
            HuggingFaceApi::TextGeneration { dedicated: false } if !fresh => Ok(()),
            HuggingFaceApi::TextGeneration { .. } => self.memory.learn(model, fresh, self.ask_generator(model)).await,
        }
    }

    fn media(&self) -> Option<&dyn Media> {
        Some(self)
    }

    async fn stream(&self, request: ModelRequest) -> Result<DeltaStream, ProviderError> {
        let able = self.capabilities(&request.model);
        if self.is_chat() {
            return self.chat.stream(&request, able).await;
        }
        let place = self.generator(self.chat.ready(&request.model)?)?;
        text::stream(self.chat.connection(), &place, &request, able).await
    }
}

impl std::fmt::Debug for HuggingFace {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("HuggingFace")
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}
