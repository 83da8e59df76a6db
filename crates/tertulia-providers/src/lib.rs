//! Language-model providers over HTTP, and the built-in demo.
//!
//! Each kind is one [`tertulia_ports::Provider`]: [`OpenAi`] speaks to OpenAI and to every server of that shape,
//! [`Ollama`] to an Ollama by its own API, [`Demo`] answers by rule without any server.

mod answer;
mod capabilities;
mod connection;
mod demo;
mod failure;
mod kinds;
mod names;
mod ollama;
mod openai;
mod pairs;
mod scrub;
mod sse;

pub use capabilities::{AbilityOverrides, Overrides};
pub use connection::SetupError;
pub use demo::Demo;
pub use kinds::kind_defaults;
pub use ollama::{Ollama, OllamaConfig};
pub use openai::{OpenAi, OpenAiConfig};
