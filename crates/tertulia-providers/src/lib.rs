//! Language-model providers over HTTP, and the built-in demo.
//!
//! Each kind is one [`tertulia_ports::Provider`]: [`OpenAi`] speaks to OpenAI and to every server of that shape,
//! [`DeepSeek`] and [`OpenRouter`] to those two in the same shape with habits of their own, [`Anthropic`] speaks
//! Anthropic's Messages API, [`Google`] that of Gemini, [`Ollama`] an Ollama's own, [`HuggingFace`] the router's
//! chat and text generation, [`Replicate`] makes predictions, [`Demo`] answers by rule without any server.

mod answer;
mod anthropic;
mod capabilities;
mod chat_shape;
mod connection;
mod deepseek;
mod demo;
mod failure;
#[cfg(test)]
mod figures;
mod framed;
mod google;
mod huggingface;
mod kinds;
mod media;
mod memory;
mod names;
mod ollama;
mod openai;
mod openrouter;
mod pairs;
mod replicate;
mod scrub;
mod server;
mod sse;
mod wording;

pub use anthropic::{Anthropic, AnthropicConfig, AnthropicModel, AnthropicThinking};
pub use capabilities::{AbilityOverrides, Overrides};
pub use chat_shape::{ChatLimit, ChatModel, ChatRole, ChatThinking};
pub use connection::SetupError;
pub use deepseek::{DeepSeek, DeepSeekConfig};
pub use demo::Demo;
pub use google::{Google, GoogleConfig, GoogleModel, GoogleThinking};
pub use huggingface::{HuggingFace, HuggingFaceApi, HuggingFaceConfig};
pub use kinds::kind_defaults;
pub use media::MediaModels;
pub use ollama::{Ollama, OllamaConfig};
pub use openai::{OpenAi, OpenAiApi, OpenAiConfig};
pub use openrouter::{OpenRouter, OpenRouterConfig};
pub use replicate::{Replicate, ReplicateConfig, ReplicateModel};
pub use server::ServerConfig;
