//! Models that run at Replicate: predictions, streamed or polled.

mod answering;
mod api;
mod cancels;
mod config;
mod fields;
mod hosts;
mod looks;
mod media;
mod name;
mod prediction;
mod reader;
mod request;

use std::sync::Arc;

use async_trait::async_trait;
use reqwest::Url;
use serde_json::Value;
use tertulia_core::provider::{Capabilities, ModelRequest, ProviderError, ProviderFault};
use tertulia_ports::{DeltaStream, Media, Provider};

use crate::answer;
use crate::connection::{Connection, SetupError, address_below, ready};
use crate::kinds::PROMPT_ONLY;
use crate::memory::Memory;
use crate::server::said_of;

pub use config::{ReplicateConfig, ReplicateModel};

use answering::Terms;
use api::{Api, Running};
use fields::Fields;
use hosts::Hosts;
use name::Name;
use request::Body;

/// The kind's name.
const KIND: &str = "replicate";

/// Replicate.
///
/// Its connections go to the configured host, and from Replicate's own to its hosts for streams and files: no proxy, no
/// redirect. An answer that is dropped is cancelled, as far as that is possible without waiting for it.
pub struct Replicate {
    config: ReplicateConfig,
    base: Url,
    missing: Option<String>,
    api: Arc<Api>,
    memory: Memory<Learnt>,
}

/// What the server told of a model.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Learnt {
    fields: Option<Fields>,
    /// The version by which it must be asked, since it is not an official one.
    version: Option<String>,
}

impl Replicate {
    /// Checks the configuration and makes the client; connects to nothing.
    ///
    /// # Errors
    /// When the base address is no HTTP address, or no client can be made (no certificates on this machine, say).
    pub fn new(config: ReplicateConfig) -> Result<Self, SetupError> {
        let base = config.server.address_of(&[])?;
        let hosts = Hosts::around(base.clone());
        let connection = Connection::new(config.server.api_key.as_ref(), config.server.connect_timeout)?;
        let missing = (connection.has_bad_key() || (hosts.is_official() && !connection.has_key()))
            .then(|| format!("providers.{}.api_key_file", config.server.name));
        Ok(Self {
            base,
            missing,
            api: Arc::new(Api::new(hosts, connection)),
            memory: Memory::default(),
            config,
        })
    }

    /// The model that a name means, where everything is there to ask it.
    fn ready<'a>(&'a self, name: &'a str) -> Result<(&'a str, Name<'a>), ProviderError> {
        let server = &self.config.server;
        let model = ready(self.missing.as_deref(), &server.name, name, &server.model)?;
        let name = Name::read(model).ok_or_else(|| {
            let detail = "a model of Replicate is owner/name, owner/name:version, or a version";
            ProviderError::new(ProviderFault::NoSuchModel, detail)
        })?;
        Ok((model, name))
    }

    /// What is special about a model: said of this very one, or of all its versions.
    fn said(&self, model: &str) -> ReplicateModel {
        let models = &self.config.models;
        let said: ReplicateModel = said_of(models, model);
        match model.split_once(':') {
            Some((name, _)) if said == ReplicateModel::default() => said_of(models, name),
            _ => said,
        }
    }

    fn fields(&self, model: &str) -> Fields {
        let learnt = self.memory.learnt(model).and_then(|learnt| learnt.fields);
        let known = || Fields::known(&Name::read(model).map(|name| name.known_as()).unwrap_or_default());
        learnt.unwrap_or_else(known).overruled(&self.said(model))
    }

    async fn learn(&self, place: &Url) -> Result<Learnt, ProviderError> {
        let described = self.api.described(place).await.map_err(|error| match error.kind {
            ProviderFault::Rejected if error.detail.starts_with("404") => {
                ProviderError::new(ProviderFault::NoSuchModel, error.detail)
            }
            _ => error,
        })?;
        if !described.is_object() {
            return Err(answer::broken(
                "what the server tells about the model is no object; check base_url",
            ));
        }
        let is_foreign = described.get("is_official") == Some(&Value::Bool(false));
        let latest = described.pointer("/latest_version/id").and_then(Value::as_str);
        Ok(Learnt {
            fields: Fields::described(&described),
            version: latest.filter(|_| is_foreign).map(str::to_owned),
        })
    }

    /// Whether the server takes the key, where there is nothing to learn.
    async fn greet(&self) -> Result<(), ProviderError> {
        match address_below(self.base.as_str(), &["v1", "account"]) {
            Some(place) => self.api.described(&place).await.map(drop),
            None => Ok(()),
        }
    }
}

#[async_trait]
impl Provider for Replicate {
    fn capabilities(&self, model: &str) -> Capabilities {
        let model = self.config.server.meant(model);
        let fields = self.fields(model);
        let known = Capabilities {
            system: fields.system.is_some(),
            vision: fields.images.is_some(),
            ..PROMPT_ONLY
        };
        Capabilities {
            // there is no other way to ask
            conversation: false,
            tool_calls: false,
            ..self.config.server.capabilities.apply(model, known)
        }
    }

    fn missing_setting(&self) -> Option<&str> {
        self.missing.as_deref()
    }

    fn describe(&self) -> String {
        self.config.server.description(KIND)
    }

    /// Asks for the description of the model, which costs nothing, and learns the fields of its input. What was learnt is
    /// believed for ten minutes. Of a version without its model nothing can be learnt.
    async fn probe(&self, model: &str, fresh: bool) -> Result<(), ProviderError> {
        let (model, name) = self.ready(model)?;
        match name.described(&self.base) {
            Some(place) => self.memory.learn(model, fresh, self.learn(&place)).await,
            None if fresh => self.greet().await,
            None => Ok(()),
        }
    }

    fn media(&self) -> Option<&dyn Media> {
        Some(self)
    }

    async fn stream(&self, request: ModelRequest) -> Result<DeltaStream, ProviderError> {
        let (model, name) = self.ready(&request.model)?;
        let fields = self.fields(model);
        let mut body = Body::asking(&request, &fields, self.capabilities(model));
        body.stream = self.config.stream;
        let (running, first) = self.begin(model, &name, body).await?;
        let terms = Terms {
            poll: self.config.poll,
            limit: request.generation.max_tokens.filter(|_| fields.limit.is_some()),
            second: self.said(model).second,
        };
        Ok(answering::answer(running, &first, terms, self.config.stream))
    }
}

impl Replicate {
    /// Makes a prediction.
    async fn begin(
        &self,
        model: &str,
        name: &Name<'_>,
        mut body: Body,
    ) -> Result<(Running, prediction::Prediction), ProviderError> {
        let learnt = self.memory.learnt(model).and_then(|learnt| learnt.version);
        body.version = name.version.map(str::to_owned).or(learnt);
        let place = name.asked(&self.base, body.version.as_deref());
        let place = place.ok_or_else(|| answer::broken("the base address takes no path"))?;
        Running::begin(&self.api, &place, &body).await
    }
}

impl std::fmt::Debug for Replicate {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Replicate")
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}
