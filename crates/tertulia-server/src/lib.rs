//! The HTTP doors: programs that talk to the daemon as they would to a model's server.
//!
//! [`Server::bind`] takes the port; each door is an `Interface` that serves on what was bound. Whatever arrives passes
//! the guard first (host, origin, token), then its route, then the gate behind the inlet.

mod access;
mod body;
mod client;
mod guard;
mod limits;
mod ollama;
mod open;
mod readiness;
mod refusal;
mod server;

use std::sync::Arc;

pub use access::Access;
use jiff::Timestamp;
pub use limits::HttpLimits;
pub use ollama::{ModelCard, ModelSkill, OllamaConfig, OllamaDoor};
pub use readiness::{Readiness, Trouble};
pub use server::{BindError, Bound, Server};

/// Tells the time: the daemon has one clock, and the doors do not read another.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;
