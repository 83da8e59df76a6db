//! Anthropic's Messages API, and every server that speaks it under its own address.

mod block;
mod config;
mod content;
mod counts;
mod echo;
mod reader;
mod request;
mod traits;

use async_trait::async_trait;
use reqwest::header::HeaderName;
use reqwest::{RequestBuilder, Response, StatusCode, Url};
use tertulia_core::provider::{Capabilities, ModelRequest, ProviderError, ProviderFault};
use tertulia_ports::{DeltaStream, Provider};

use crate::answer;
use crate::connection::{Connection, SetupError, not_set, ready};
use crate::names::Names;

pub use config::{AnthropicConfig, AnthropicModel};
pub use traits::Thinking as AnthropicThinking;

use content::Audience;
use reader::Reader;
use traits::Traits;

/// The kind's name.
const KIND: &str = "anthropic";
/// The version of the protocol, which every request names.
const VERSION: (&str, &str) = ("anthropic-version", "2023-06-01");

/// A provider that speaks the Messages API.
///
/// Its connections go to the configured address and nowhere else: no proxy, no redirect.
pub struct Anthropic {
    config: AnthropicConfig,
    endpoint: Url,
    missing: Option<String>,
    connection: Connection,
}

impl Anthropic {
    /// Checks the configuration and makes the client; connects to nothing.
    ///
    /// # Errors
    /// When the base address is no HTTP address, or no client can be made (no certificates on this machine, say).
    pub fn new(config: AnthropicConfig) -> Result<Self, SetupError> {
        let endpoint = config.address_of(&["messages"])?;
        let key_header = HeaderName::from_static("x-api-key");
        let connection = Connection::with_key_in(
            key_header,
            "",
            config.server.api_key.as_ref(),
            config.server.connect_timeout,
        )?;
        let official = endpoint.host_str() == Some(config::OFFICIAL_HOST);
        let missing = (connection.has_bad_key() || (official && !connection.has_key()))
            .then(|| format!("providers.{}.api_key_file", config.server.name));
        Ok(Self {
            config,
            endpoint,
            missing,
            connection,
        })
    }

    /// The model that a name means; an empty one means the configured one.
    fn model<'a>(&'a self, name: &'a str) -> &'a str {
        self.config.server.meant(name)
    }

    async fn send(&self, request: RequestBuilder) -> Result<Response, ProviderError> {
        let (name, version) = VERSION;
        self.connection
            .send(request.header(name, version), "text/event-stream, application/json")
            .await
    }
}

#[async_trait]
impl Provider for Anthropic {
    fn capabilities(&self, model: &str) -> Capabilities {
        let model = self.model(model);
        let way = Traits::of(model, &self.config).thinking;
        let known = Capabilities {
            thinking: way != AnthropicThinking::None,
            ..traits::abilities(model)
        };
        self.config.server.capabilities.apply(model, known)
    }

    fn missing_setting(&self) -> Option<&str> {
        self.missing.as_deref()
    }

    fn describe(&self) -> String {
        self.config.server.description(KIND)
    }

    /// Asks for what the server tells about the model: it costs nothing, and says whether the address, the key and the model
    /// are right. Servers that tell nothing answer 404 to it; that they answer is enough then.
    async fn probe(&self, model: &str, fresh: bool) -> Result<(), ProviderError> {
        if !fresh {
            return Ok(());
        }
        if let Some(setting) = &self.missing {
            return Err(not_set(setting));
        }
        let model = Some(self.model(model)).filter(|model| !model.is_empty());
        let segments: Vec<&str> = std::iter::once("models").chain(model).collect();
        let wrong = |error: SetupError| self.connection.error(ProviderFault::NotConfigured, &error.to_string());
        let address = self.config.address_of(&segments).map_err(wrong)?;
        let response = self.send(self.connection.get(&address)).await?;
        let status = response.status();
        if status.is_success() {
            return answer::shape(&response).map(drop);
        }
        let error = self.connection.refused(response).await;
        if status == StatusCode::NOT_FOUND && error.kind != ProviderFault::NoSuchModel {
            return Ok(());
        }
        Err(error)
    }

    async fn stream(&self, request: ModelRequest) -> Result<DeltaStream, ProviderError> {
        let (missing, config) = (self.missing.as_deref(), &self.config);
        let model = ready(missing, &config.server.name, &request.model, &config.server.model)?;
        let names = Names::new(&request.tools);
        let audience = Audience {
            model,
            able: self.capabilities(model),
            names: &names,
        };
        let body = request::body(&request, &audience, &Traits::of(model, &self.config));
        let response = self.send(self.connection.post(&self.endpoint).json(&body)).await?;
        if !response.status().is_success() {
            return Err(self.connection.refused(response).await);
        }
        let reader = Reader::new(answer::shape(&response)?, model.to_owned(), names);
        Ok(answer::stream(response, reader, self.connection.key().cloned()))
    }
}

impl std::fmt::Debug for Anthropic {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Anthropic")
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}

/// A reader of streams, as nobody in particular is asked.
#[cfg(test)]
pub(crate) fn figures_reader() -> impl answer::ReadAnswer {
    Reader::new(answer::Shape::Stream, String::new(), Names::default())
}
