//! Language-model providers over HTTP, and the built-in demo.
//!
//! Each kind is one [`tertulia_ports::Provider`]: [`OpenAi`] speaks to OpenAI and to every server of that shape,
//! [`Demo`] answers by rule without any server.

mod capabilities;
mod demo;
mod failure;
mod openai;
mod scrub;
mod sse;

pub use capabilities::{AbilityOverrides, Overrides};
pub use demo::Demo;
pub use openai::{OpenAi, OpenAiConfig, SetupError};
