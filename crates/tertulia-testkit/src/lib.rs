//! Doubles, contract suites, transcripts and fault plans for tests.

pub mod chat_double;
pub mod conformance;
pub mod discord_double;
pub mod fake_store;
pub mod gemini_double;
pub mod interface_contract;
pub mod line;
pub mod loopback_server;
pub mod matrix_person;
pub mod matrix_tools;
pub mod model_double;
mod multipart;
pub mod ollama_double;
pub mod provider_contract;
pub mod simulation;
pub mod store_contract;
pub mod synapse;
pub mod telegram_double;
