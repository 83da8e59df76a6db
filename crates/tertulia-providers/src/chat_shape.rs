//! The shape of OpenAI's chat completions, which several kinds speak: in a [`Dialect`] each says in what it differs.

mod calls;
mod chunk;
mod echo;
mod end;
mod format;
mod lesson;
mod messages;
mod model;
mod neighbours;
mod reader;
mod request;
mod thought;
mod usage;
mod written;

use std::collections::BTreeMap;

use reqwest::header::HeaderMap;
use reqwest::{RequestBuilder, Response, StatusCode, Url};
use tertulia_core::provider::{Capabilities, ModelRequest, ProviderError};
use tertulia_ports::DeltaStream;

use crate::answer;
use crate::connection::{Connection, SetupError, not_set, ready};
use crate::names::Names;
use crate::server::{ServerConfig, said_of};

pub(crate) use echo::Echo;
pub(crate) use model::Traits;
pub use model::{ChatLimit, ChatModel, ChatRole, ChatThinking};

use echo::Owner;
use lesson::{Learnt, Lesson};
use reader::Asked;
use request::Audience;
use written::AnswerBody;

/// In what a kind of this shape differs from the others.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Dialect {
    /// The kind's name.
    pub(crate) kind: &'static str,
    /// It cannot be asked without a key.
    pub(crate) needs_key: bool,
    /// What is known of how a model is asked, by its name.
    pub(crate) traits: fn(&str) -> Traits,
    /// What it wants back with its turns.
    pub(crate) echo: Echo,
    /// It says in dollars what an answer cost.
    pub(crate) billed: bool,
}

/// A server of this shape.
pub(crate) struct ChatServer {
    dialect: Dialect,
    server: ServerConfig,
    models: BTreeMap<String, ChatModel>,
    endpoint: Url,
    list: Url,
    headers: HeaderMap,
    missing: Option<String>,
    connection: Connection,
    learnt: Learnt,
}

impl ChatServer {
    /// Checks the configuration and makes the client; connects to nothing.
    ///
    /// # Errors
    /// When the base address is no HTTP address, or no client can be made (no certificates on this machine, say).
    pub(crate) fn new(
        dialect: Dialect,
        server: &ServerConfig,
        models: &BTreeMap<String, ChatModel>,
    ) -> Result<Self, SetupError> {
        let connection = Connection::new(server.api_key.as_ref(), server.connect_timeout)?;
        let missing = (connection.has_bad_key() || (dialect.needs_key && !connection.has_key()))
            .then(|| format!("providers.{}.api_key_file", server.name));
        Ok(Self {
            dialect,
            endpoint: server.address_of(&["chat", "completions"])?,
            list: server.address_of(&["models"])?,
            server: server.clone(),
            models: models.clone(),
            headers: HeaderMap::new(),
            missing,
            connection,
            learnt: Learnt::default(),
        })
    }

    /// The same with headers that go with every request.
    pub(crate) fn with_headers(self, headers: HeaderMap) -> Self {
        Self { headers, ..self }
    }

    /// The abilities of a model of which so much is known.
    pub(crate) fn capabilities(&self, model: &str, known: Capabilities) -> Capabilities {
        let model = self.server.meant(model);
        let able = self.server.capabilities.apply(model, known);
        Capabilities {
            // tools go with a conversation only
            tool_calls: able.tool_calls && able.conversation,
            ..able
        }
    }

    pub(crate) fn missing_setting(&self) -> Option<&str> {
        self.missing.as_deref()
    }

    pub(crate) fn describe(&self) -> String {
        self.server.description(self.dialect.kind)
    }

    pub(crate) fn connection(&self) -> &Connection {
        &self.connection
    }

    /// The model that a name means, where everything is there to ask it.
    pub(crate) fn ready<'a>(&'a self, name: &'a str) -> Result<&'a str, ProviderError> {
        ready(self.missing_setting(), &self.server.name, name, &self.server.model)
    }

    /// How a model is asked, by its name and by what the operator says of it.
    pub(crate) fn traits(&self, model: &str) -> Traits {
        (self.dialect.traits)(model).overruled(said_of(&self.models, model))
    }

    /// The list of models, which costs nothing; `None` where the server has no such list, but answers.
    pub(crate) async fn list(&self) -> Result<Option<Response>, ProviderError> {
        if let Some(setting) = &self.missing {
            return Err(not_set(setting));
        }
        let response = self.send(self.connection.get(&self.list), "application/json").await?;
        match response.status() {
            // a page says that nothing of this kind is there
            status if status.is_success() => answer::shape(&response).map(|_| Some(response)),
            StatusCode::NOT_FOUND => Ok(None),
            _ => Err(self.connection.refused(response).await),
        }
    }

    /// Asks a model that is able to so much. Where the server refuses a parameter, it is asked once more without it, and not
    /// again with it for this model.
    pub(crate) async fn stream(
        &self,
        request: &ModelRequest,
        able: Capabilities,
    ) -> Result<DeltaStream, ProviderError> {
        let model = self.ready(&request.model)?;
        let names = Names::new(&request.tools);
        let response = self.ask(request, model, able, &names).await?;
        let asked = Asked {
            kind: self.dialect.kind,
            model: model.to_owned(),
            names,
            echo: self.dialect.echo,
            billed: self.dialect.billed,
        };
        let body = AnswerBody::new(answer::shape(&response)?, asked);
        Ok(answer::stream(response, body, self.connection.key().cloned()))
    }

    async fn ask(
        &self,
        request: &ModelRequest,
        model: &str,
        able: Capabilities,
        names: &Names,
    ) -> Result<Response, ProviderError> {
        let known = self.traits(model);
        let mut unwanted = self.learnt.of(model);
        loop {
            let audience = Audience {
                owner: Owner {
                    kind: self.dialect.kind,
                    model,
                    echo: self.dialect.echo,
                },
                able,
                traits: unwanted.taken_from(known),
                names,
            };
            let body = request::body(request, &audience);
            let asking = self.connection.post(&self.endpoint).json(&body);
            let response = self.send(asking, "text/event-stream, application/json").await?;
            let status = response.status();
            if status.is_success() {
                return Ok(response);
            }
            let evidence = self.connection.evidence(response).await;
            let lesson = Lesson::of(&evidence, |parameter| body.carries(parameter));
            // each parameter goes once, so this ends
            let Some(lesson) = lesson.filter(|lesson| unwanted.insert(lesson.parameter)) else {
                return Err(self.connection.refusal(status, &evidence));
            };
            if lesson.lasting {
                self.learnt.remember(model, lesson.parameter);
            }
        }
    }

    async fn send(&self, request: RequestBuilder, accept: &'static str) -> Result<Response, ProviderError> {
        self.connection
            .send(request.headers(self.headers.clone()), accept)
            .await
    }
}

impl std::fmt::Debug for ChatServer {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("ChatServer")
            .field("server", &self.server)
            .field("models", &self.models)
            .finish_non_exhaustive()
    }
}

/// A reader of streams, as nobody in particular is asked.
#[cfg(test)]
pub(crate) fn figures_reader() -> impl answer::ReadAnswer {
    let asked = Asked {
        kind: "openai",
        model: String::new(),
        names: Names::default(),
        echo: Echo::Nothing,
        billed: false,
    };
    AnswerBody::new(answer::Shape::Stream, asked)
}
