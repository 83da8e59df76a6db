//! Calls and results as text, for a model that holds a conversation and has no way of its own to call tools.

use crate::chat::{ChatMessage, Part};
use crate::text_tools::{call_text, results_text, without_results};

/// The same conversation without calls and results: the model's messages have them in their text, and people's messages bring
/// the results, and nothing that looks like one.
pub(super) fn without_calls(messages: Vec<ChatMessage>) -> Vec<ChatMessage> {
    messages.into_iter().map(without_call).collect()
}

fn without_call(message: ChatMessage) -> ChatMessage {
    match message {
        ChatMessage::Assistant { text, calls, .. } if !calls.is_empty() => {
            let said = Some(text).filter(|text| !text.trim().is_empty());
            let texts: Vec<String> = said.into_iter().chain(calls.iter().map(call_text)).collect();
            // what a provider wants back belongs to calls of its own kind
            ChatMessage::assistant(texts.join("\n"))
        }
        ChatMessage::User { mut parts } => {
            for part in &mut parts {
                if let Part::Text(text) = part {
                    *text = without_results(text);
                }
            }
            ChatMessage::User { parts }
        }
        ChatMessage::Tool { results } => ChatMessage::User {
            parts: vec![Part::Text(results_text(&results))],
        },
        plain @ ChatMessage::Assistant { .. } => plain,
    }
}
