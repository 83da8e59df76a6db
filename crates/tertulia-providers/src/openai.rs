//! OpenAI's chat completions, and every server that speaks them under its own address.

mod abilities;
mod body;
mod chunk;
mod config;
mod content;
mod reader;
mod request;
mod responses;
mod usage;

use async_trait::async_trait;
use reqwest::{RequestBuilder, Response, Url};
use tertulia_core::provider::{Capabilities, ModelRequest, ProviderError};
use tertulia_ports::{DeltaStream, Provider};

use crate::answer;
use crate::connection::{Connection, SetupError, not_set, ready};
use crate::names::Names;

pub use config::{OpenAiApi, OpenAiConfig};

/// The kind, as operators name it.
const KIND: &str = "openai";

/// A provider of OpenAI's shape.
///
/// Its connections go to the configured address and nowhere else: no proxy, no redirect.
pub struct OpenAi {
    config: OpenAiConfig,
    endpoint: Url,
    models: Url,
    official: bool,
    missing: Option<String>,
    connection: Connection,
}

impl OpenAi {
    /// Checks the configuration and makes the client; connects to nothing.
    ///
    /// # Errors
    /// When the base address is no HTTP address, or no client can be made (no certificates on this machine, say).
    pub fn new(config: OpenAiConfig) -> Result<Self, SetupError> {
        let endpoint = config.server.address_of(match config.api {
            OpenAiApi::Chat => &["chat", "completions"],
            OpenAiApi::Responses => &["responses"],
        })?;
        let models = config.server.address_of(&["models"])?;
        let official = endpoint.host_str() == Some(config::OFFICIAL_HOST);
        let connection = Connection::new(config.server.api_key.as_ref(), config.server.connect_timeout)?;
        let missing = (connection.has_bad_key() || (official && !connection.has_key()))
            .then(|| format!("providers.{}.api_key_file", config.server.name));
        Ok(Self {
            config,
            endpoint,
            models,
            official,
            missing,
            connection,
        })
    }

    fn dialect(&self) -> request::Dialect {
        request::Dialect {
            official: self.official,
        }
    }

    async fn send(&self, request: RequestBuilder) -> Result<Response, ProviderError> {
        self.connection
            .send(request, "text/event-stream, application/json")
            .await
    }
}

#[async_trait]
impl Provider for OpenAi {
    fn capabilities(&self, model: &str) -> Capabilities {
        self.config
            .server
            .capabilities
            .apply(model, abilities::known(model, self.official))
    }

    fn missing_setting(&self) -> Option<&str> {
        self.missing.as_deref()
    }

    fn describe(&self) -> String {
        self.config.server.description(KIND)
    }

    /// Asks for the list of models: it costs nothing, and says whether the address and the key are right. Servers that have
    /// no such list answer 404; that they answer is enough then.
    async fn probe(&self, _model: &str, fresh: bool) -> Result<(), ProviderError> {
        if !fresh {
            return Ok(());
        }
        if let Some(setting) = &self.missing {
            return Err(not_set(setting));
        }
        let response = self.send(self.connection.get(&self.models)).await?;
        if response.status().is_success() || response.status() == reqwest::StatusCode::NOT_FOUND {
            return Ok(());
        }
        Err(self.connection.refused(response).await)
    }

    async fn stream(&self, request: ModelRequest) -> Result<DeltaStream, ProviderError> {
        let (missing, config) = (self.missing.as_deref(), &self.config);
        let model = ready(missing, &config.server.name, &request.model, &config.server.model)?;
        if config.api == OpenAiApi::Responses {
            let aim = responses::Aim {
                model,
                able: self.capabilities(model),
                temperature: true,
                top_p: true,
            };
            return responses::stream(&self.connection, &self.endpoint, &request, aim).await;
        }
        let names = Names::new(&request.tools);
        let body = request::body(model, &request, &names, self.dialect());
        let response = self.send(self.connection.post(&self.endpoint).json(&body)).await?;
        if !response.status().is_success() {
            return Err(self.connection.refused(response).await);
        }
        let body = body::Body::new(answer::shape(&response)?, names);
        Ok(answer::stream(response, body, self.connection.key().cloned()))
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
