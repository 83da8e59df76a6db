//! A tool that a model can call.

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
}

/// The turn a call belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolContext {
    /// The conversation.
    pub path: InterfacePath,
    /// Who started the turn.
    pub person: PersonId,
    /// The wall clock, in milliseconds since 1970.
    pub now: i64,
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
