//! Gemini, by its own API, at Google or under another address.

mod config;
mod content;
mod media;
mod owned;
mod reader;
mod request;
mod schema;
mod traits;

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use reqwest::header::HeaderName;
use reqwest::{RequestBuilder, Response, Url};
use serde_json::Value;
use tertulia_core::provider::{Capabilities, ModelRequest, ProviderError};
use tertulia_ports::{DeltaStream, Media, Provider};

use crate::answer;
use crate::connection::{Connection, SetupError, ready};
use crate::names::Names;
use crate::server::said_of;

pub use config::{GoogleConfig, GoogleModel, GoogleThinking};

use media::GoogleMedia;
use reader::Reader;
use request::Aim;
use traits::Traits;

/// The kind's name.
const KIND: &str = "google";
/// Of how many models the window is remembered.
const MODELS: usize = 64;

/// Gemini.
///
/// Its connections go to the configured address and nowhere else: no proxy, no redirect; the key goes in a header and
/// never in an address.
pub struct Google {
    config: GoogleConfig,
    base: Url,
    missing: Option<String>,
    connection: Connection,
    media: GoogleMedia,
    /// What the server said of the models' windows, by their names in lower case.
    windows: Mutex<BTreeMap<String, u64>>,
}

impl Google {
    /// Checks the configuration and makes the client; connects to nothing.
    ///
    /// # Errors
    /// When the base address is no HTTP address, or no client can be made (no certificates on this machine, say).
    pub fn new(config: GoogleConfig) -> Result<Self, SetupError> {
        let base = config.base()?;
        let official = base.host_str() == Some(config::OFFICIAL_HOST);
        let header = HeaderName::from_static("x-goog-api-key");
        let connection = Connection::with_key_in(
            header,
            "",
            config.server.api_key.as_ref(),
            config.server.connect_timeout,
        )?;
        let missing = (connection.has_bad_key() || (official && !connection.has_key()))
            .then(|| format!("providers.{}.api_key_file", config.server.name));
        Ok(Self {
            media: GoogleMedia::new(&config, &base, missing.as_deref(), &connection),
            base,
            missing,
            connection,
            windows: Mutex::default(),
            config,
        })
    }

    /// The model that a name means; an empty one means the configured one.
    fn model<'a>(&'a self, name: &'a str) -> &'a str {
        self.config.server.meant(name)
    }

    /// What is known of a model, and what the operator says of it.
    fn traits(&self, model: &str) -> Traits {
        traits::of(model).overruled(said_of(&self.config.models, model))
    }

    /// The model that a name means, where everything is there to ask it.
    fn ready<'a>(&'a self, name: &'a str) -> Result<&'a str, ProviderError> {
        ready(
            self.missing.as_deref(),
            &self.config.server.name,
            name,
            &self.config.server.model,
        )
    }

    async fn send(&self, request: RequestBuilder, accept: &'static str) -> Result<Response, ProviderError> {
        let response = self.connection.send(request, accept).await?;
        if response.status().is_success() {
            Ok(response)
        } else {
            Err(self.connection.refused(response).await)
        }
    }

    fn windows(&self) -> MutexGuard<'_, BTreeMap<String, u64>> {
        self.windows.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn remember(&self, model: &str, window: u64) {
        let mut windows = self.windows();
        if windows.len() >= MODELS {
            windows.pop_first();
        }
        windows.insert(model.to_lowercase(), window);
    }
}

#[async_trait]
impl Provider for Google {
    fn capabilities(&self, model: &str) -> Capabilities {
        let model = self.model(model);
        let learnt = self.windows().get(&model.to_lowercase()).copied();
        let able = self
            .config
            .server
            .capabilities
            .apply(model, self.traits(model).abilities(learnt));
        Capabilities {
            // tools go with a conversation only
            tool_calls: able.tool_calls && able.conversation,
            ..able
        }
    }

    fn missing_setting(&self) -> Option<&str> {
        self.missing.as_deref()
    }

    fn describe(&self) -> String {
        self.config.server.description(KIND)
    }

    fn media(&self) -> Option<&dyn Media> {
        Some(&self.media)
    }

    /// Asks for the description of the model, which costs nothing, and learns its window.
    async fn probe(&self, model: &str, fresh: bool) -> Result<(), ProviderError> {
        if !fresh {
            return Ok(());
        }
        let model = self.ready(model)?;
        let asking = self.connection.get(&config::described(&self.base, model));
        let response = self.send(asking, "application/json").await?;
        let described = self.connection.json(response).await?;
        if !described.is_object() {
            return Err(answer::broken(
                "what the server tells about the model is no object; check base_url",
            ));
        }
        let window = described.get("inputTokenLimit").and_then(Value::as_u64);
        if let Some(window) = window.filter(|window| *window > 0) {
            self.remember(model, window);
        }
        Ok(())
    }

    async fn stream(&self, request: ModelRequest) -> Result<DeltaStream, ProviderError> {
        let model = self.ready(&request.model)?;
        let aim = Aim {
            model,
            able: self.capabilities(model),
            traits: self.traits(model),
        };
        let names = Names::new(&request.tools);
        let body = request::body(&request, &names, aim);
        let asking = self.connection.post(&config::streamed(&self.base, model)).json(&body);
        let response = self.send(asking, "text/event-stream, application/json").await?;
        let reader = Reader::new(answer::shape(&response)?, model.to_owned(), names);
        Ok(answer::stream(response, reader, self.connection.key().cloned()))
    }
}

impl std::fmt::Debug for Google {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Google")
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}

/// A reader of streams, as nobody in particular is asked.
#[cfg(test)]
pub(crate) fn figures_reader() -> impl answer::ReadAnswer {
    Reader::new(answer::Shape::Stream, String::new(), Names::default())
}
