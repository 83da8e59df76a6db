//! Language-model providers over HTTP, and the built-in demo.
//!
//! Each kind is one [`tertulia_ports::Provider`]: [`OpenAi`] speaks to OpenAI and to every server of that shape,
//! [`Anthropic`] speaks Anthropic's Messages API, [`Ollama`] an Ollama's own API, [`Demo`] answers by rule without any
//! server.

mod answer;
mod anthropic;
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

pub use anthropic::{Anthropic, AnthropicConfig, AnthropicModel, AnthropicThinking};
pub use capabilities::{AbilityOverrides, Overrides};
pub use connection::SetupError;
pub use demo::Demo;
pub use kinds::kind_defaults;
pub use ollama::{Ollama, OllamaConfig};
pub use openai::{OpenAi, OpenAiConfig};
