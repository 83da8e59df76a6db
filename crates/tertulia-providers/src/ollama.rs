//! An Ollama, by its own API: chat and generate, with what each model can learnt from the server.

mod config;
mod content;
mod lines;
mod reader;
mod request;
mod room;
mod shown;

use async_trait::async_trait;
use reqwest::{Response, Url};
use serde_json::json;
use tertulia_core::provider::{Capabilities, ModelRequest, ProviderError, ProviderFault};
use tertulia_ports::{DeltaStream, Provider};

use crate::answer;
use crate::connection::{Connection, SetupError, ready};
use crate::kinds::OLLAMA;
use crate::memory::Memory;
use crate::names::Names;

pub use config::OllamaConfig;

use reader::Reader;
use request::{Aim, Body};
use room::Room;
use shown::{Learnt, Shown};

/// The kind's name.
const KIND: &str = "ollama";

/// An Ollama.
///
/// Its connections go to the configured address and nowhere else: no proxy, no redirect. Until a model was
/// [probed](Provider::probe) it is taken for one that only completes prompts.
pub struct Ollama {
    config: OllamaConfig,
    chat: Url,
    generate: Url,
    show: Url,
    version: Url,
    hosted: bool,
    missing: Option<String>,
    connection: Connection,
    memory: Memory<Learnt>,
}

impl Ollama {
    /// Checks the configuration and makes the client; connects to nothing.
    ///
    /// # Errors
    /// When the base address is no HTTP address, or no client can be made (no certificates on this machine, say).
    pub fn new(config: OllamaConfig) -> Result<Self, SetupError> {
        let chat = config.address_of("chat")?;
        let hosted = chat.host_str() == Some(config::HOSTED);
        let connection = Connection::new(config.server.api_key.as_ref(), config.server.connect_timeout)?;
        let missing = (connection.has_bad_key() || (hosted && !connection.has_key()))
            .then(|| format!("providers.{}.api_key_file", config.server.name));
        Ok(Self {
            chat,
            generate: config.address_of("generate")?,
            show: config.address_of("show")?,
            version: config.address_of("version")?,
            hosted,
            missing,
            connection,
            memory: Memory::eager(),
            config,
        })
    }

    /// The model that a name means; an empty one means the configured one.
    fn model<'a>(&'a self, name: &'a str) -> &'a str {
        self.config.server.meant(name)
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

    /// The window that is asked for, in tokens: what the operator says, else what the model says. Never more than the model
    /// was made for, since the server would take less without a word.
    fn window(&self, model: &str, learnt: Option<Shown>) -> u64 {
        let shown = learnt.unwrap_or_default();
        let longest = shown.context_length.unwrap_or(u64::MAX);
        let said = self.config.num_ctx.or_else(|| self.longest_allowed(model));
        let usual = shown
            .context_length
            .map(|length| length.min(OllamaConfig::USUAL_WINDOW));
        let window = said.or(shown.own_window).or(usual).unwrap_or(OLLAMA.max_context);
        window.min(longest).max(1)
    }

    /// `max_context_length`, where the operator has set it.
    fn longest_allowed(&self, model: &str) -> Option<u64> {
        let unset = Capabilities {
            max_context: 0,
            ..OLLAMA
        };
        let allowed = self.config.server.capabilities.apply(model, unset).max_context;
        (allowed > 0).then_some(allowed)
    }

    async fn learn(&self, model: &str) -> Result<Learnt, ProviderError> {
        let show = self.connection.post(&self.show).json(&json!({"model": model}));
        let (shown, refuses) = tokio::join!(self.connection.send(show, "application/json"), self.refuses());
        let shown = self.connection.json(self.accepted(shown?).await?).await?;
        if !shown.is_object() {
            return Err(answer::broken(
                "what the server tells about the model is no object; check base_url",
            ));
        }
        Ok(Learnt {
            shown: Shown::read(&shown),
            refuses,
        })
    }

    /// Whether the server refuses what is too long; one that does not tell its version is taken for an old one. Ollama's
    /// own service is always new.
    async fn refuses(&self) -> bool {
        if self.hosted {
            return true;
        }
        let asked = async {
            let request = self.connection.get(&self.version);
            let response = self.connection.send(request, "application/json").await.ok()?;
            let told = self.connection.json(self.accepted(response).await.ok()?).await.ok()?;
            Some(shown::refuses(told.get("version")?.as_str()?))
        };
        asked.await.unwrap_or(false)
    }

    async fn accepted(&self, response: Response) -> Result<Response, ProviderError> {
        if response.status().is_success() {
            Ok(response)
        } else {
            Err(self.connection.refused(response).await)
        }
    }

    /// A server that contradicts what it told before, since the model was replaced, say, is asked again next time.
    fn doubt(&self, model: &str, error: &ProviderError) {
        let contradicted = error.kind == ProviderFault::Rejected && error.detail.contains("does not support");
        if contradicted || error.kind == ProviderFault::NoSuchModel {
            self.memory.doubt(model);
        }
    }
}

#[async_trait]
impl Provider for Ollama {
    fn capabilities(&self, model: &str) -> Capabilities {
        let model = self.model(model);
        let shown = self.memory.learnt(model).map(|learnt| learnt.shown);
        let known = shown.map_or(OLLAMA, |shown| Capabilities {
            conversation: shown.chat,
            system: shown.chat,
            tool_calls: shown.tools,
            vision: shown.vision,
            thinking: shown.thinking,
            ..OLLAMA
        });
        let able = self.config.server.capabilities.apply(model, known);
        Capabilities {
            max_context: self
                .window(model, shown)
                .min(self.longest_allowed(model).unwrap_or(u64::MAX)),
            // tools go with a chat only
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

    /// Asks what the model can, unless that is known, and what the server is. What was learnt is believed for ten minutes.
    async fn probe(&self, model: &str, fresh: bool) -> Result<(), ProviderError> {
        let model = self.ready(model)?;
        self.memory.learn(model, fresh, self.learn(model)).await
    }

    async fn stream(&self, request: ModelRequest) -> Result<DeltaStream, ProviderError> {
        let model = self.ready(&request.model)?;
        let learnt = self.memory.learnt(model);
        let aim = Aim {
            model,
            able: self.capabilities(model),
            window: self.window(model, learnt.map(|learnt| learnt.shown)),
            keep_alive: self.config.keep_alive.as_deref(),
        };
        let names = Names::new(&request.tools);
        let mut body = Body::new(&request, &names, &aim);
        let room = Room {
            window: aim.window,
            refuses: learnt.map_or(self.hosted, |learnt| learnt.refuses),
            weight: body.weight(),
        };
        let limit = room.admit(request.generation.max_tokens);
        let too_long = |why: String| ProviderError::new(ProviderFault::ContextTooLong, why);
        body.limit(limit.map_err(too_long)?);
        let address = if body.is_chat() { &self.chat } else { &self.generate };
        let asking = self.connection.post(address).json(&body);
        let response = self
            .connection
            .send(asking, "application/x-ndjson, application/json")
            .await?;
        let response = self
            .accepted(response)
            .await
            .inspect_err(|error| self.doubt(model, error))?;
        let reader = Reader::new(answer::shape(&response)?, model.to_owned(), names, room);
        Ok(answer::stream(response, reader, self.connection.key().cloned()))
    }
}

impl std::fmt::Debug for Ollama {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Ollama")
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}
