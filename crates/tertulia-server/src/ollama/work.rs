//! What a request asks for, whichever route it came by.

use serde_json::{Map, Value};
use tertulia_message::{Generation, Role, SuppliedMessage, ToolOffer};
use tertulia_output::ollama::Route;

use super::duration;
use super::fields::Fields;
use crate::refusal::Refusal;

/// A route that talks.
pub(super) trait Talk: Sync {
    /// Which of the two it is.
    fn route(&self) -> Route;

    /// What the errors about its fields begin with.
    fn name(&self) -> &'static str;

    /// What is to be answered; none if the model is only to be loaded or unloaded.
    fn work(&self, fields: &Fields<'_>) -> Result<Option<Work>, Refusal>;
}

/// Something to answer.
#[derive(Debug)]
pub(super) struct Work {
    pub(super) system: Option<String>,
    pub(super) messages: Vec<SuppliedMessage>,
    pub(super) tools: Vec<ToolOffer>,
    pub(super) generation: Generation,
}

/// A whole request.
#[derive(Debug)]
pub(super) struct Ask {
    /// The model, as the client wrote it.
    pub(super) model: String,
    /// Whether the answer comes in pieces.
    pub(super) stream: bool,
    /// What an empty request means.
    pub(super) load: &'static str,
    /// What is to be answered, if anything.
    pub(super) work: Option<Work>,
}

impl Ask {
    pub(super) fn read(talk: &dyn Talk, body: &Map<String, Value>) -> Result<Self, Refusal> {
        let fields = Fields::new(body, talk.name());
        Ok(Self {
            model: fields.text("model")?.to_owned(),
            stream: fields.flag("stream")?.unwrap_or(true),
            load: if duration::is_zero(&fields)? { "unload" } else { "load" },
            work: talk.work(&fields)?,
        })
    }
}

impl Work {
    /// True if the client keeps the conversation and sends all of it, whatever id it gives.
    pub(super) fn is_supplied(&self) -> bool {
        !self.tools.is_empty() || self.messages.last().is_some_and(|message| message.role == Role::Tool)
    }

    /// What came after the last answer: the rest is remembered already.
    pub(super) fn new_messages(self) -> Vec<SuppliedMessage> {
        let old = self
            .messages
            .iter()
            .rposition(|message| message.role == Role::Assistant);
        self.messages.into_iter().skip(old.map_or(0, |last| last + 1)).collect()
    }
}
