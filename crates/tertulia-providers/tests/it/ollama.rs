//! An Ollama that is strict, old, or broken.

mod answers;
mod learning;
mod windows;

use tertulia_core::chat::ChatMessage;
use tertulia_core::provider::ModelRequest;
use tertulia_message::ToolOffer;
use tertulia_providers::Ollama;
use tertulia_testkit::ollama_double::{OllamaDouble, OllamaServer};

use crate::asking::{ollama_at, request};

/// A server, and a provider that has not asked it for anything.
async fn start(server: OllamaServer) -> (OllamaDouble, Ollama) {
    let double = OllamaDouble::start(server).await.unwrap();
    let provider = ollama_at(&double);
    (double, provider)
}

/// A question for the configured model.
fn question(messages: Vec<ChatMessage>) -> ModelRequest {
    ModelRequest {
        model: String::new(),
        ..request(messages)
    }
}

fn tool(name: &str) -> ToolOffer {
    ToolOffer {
        name: name.into(),
        description: String::new(),
        parameters: serde_json::Value::Null,
    }
}
