//! A tool that a model can call.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;
use tertulia_core::record::ToolEffect;
use tertulia_message::path::InterfacePath;
use tertulia_message::{PersonId, ToolOffer};

/// What is known of a tool without running it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    /// Name, description and schema, as models read them.
    pub offer: ToolOffer,
    /// What it does to the world.
    pub effect: ToolEffect,
    /// How long one call may take.
    pub deadline: Duration,
    /// The interface on which it has messages said, through the [`Outbox`]; then it does nothing else. What is said is stored
    /// together with the call's result, so a call that a restart cut off is run again, whatever its effect.
    pub speaks_on: Option<String>,
}

/// The turn a call belongs to.
#[derive(Clone)]
pub struct ToolContext {
    /// The conversation.
    pub path: InterfacePath,
    /// Who started the turn.
    pub person: PersonId,
    /// The wall clock, in milliseconds since 1970.
    pub now: i64,
    /// Where messages are handed in; absent where nothing is stored that they could be part of.
    pub outbox: Option<Arc<dyn Outbox>>,
}

/// Takes the message that one call has said.
#[async_trait]
pub trait Outbox: Send + Sync {
    /// Has a text, in Markdown, said in a conversation on this interface; without `path`, in the one that the call belongs to.
    /// It goes out when the call's result is stored, and never if the call fails. Gives the path of the conversation.
    ///
    /// # Errors
    /// The path is none or names no conversation that whoever asked may write to, the text is too long or empty, or the call has
    /// said something before.
    async fn say(&self, interface: &str, path: Option<&str>, text: &str) -> Result<InterfacePath, ToolError>;
}

/// Why a call failed; the model reads the text.
#[derive(Debug, thiserror::Error)]
pub enum ToolError {
    /// The arguments do not fit.
    #[error("bad arguments: {0}")]
    Arguments(String),
    /// It did not work.
    #[error("{0}")]
    Failed(String),
}

/// A tool. Calls may run side by side.
#[async_trait]
pub trait Tool: Send + Sync {
    /// What is known of it.
    fn spec(&self) -> &ToolSpec;

    /// Runs one call. The future is dropped when the turn is stopped or the deadline has passed.
    async fn call(&self, arguments: Value, context: &ToolContext) -> Result<String, ToolError>;
}
