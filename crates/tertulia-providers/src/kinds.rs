//! What models of each kind can do until more is known of them.

use tertulia_core::provider::{Capabilities, Format};

/// The window of a model of which nothing is known, in tokens.
const SMALL_WINDOW: u64 = 8_192;
/// What an Ollama that is told nothing uses on a small machine, in tokens.
const OLLAMA_WINDOW: u64 = 4_096;

const FULL: Capabilities = Capabilities {
    conversation: true,
    system: true,
    tool_calls: true,
    vision: false,
    thinking: false,
    format: Format::Standard,
    max_context: SMALL_WINDOW,
};
/// The abilities of a model that takes one prompt.
pub(crate) const PROMPT_ONLY: Capabilities = Capabilities {
    conversation: false,
    system: false,
    tool_calls: false,
    ..FULL
};

/// The abilities of an unknown model of a kind, which is looked up without regard to case; `None` for an unknown kind.
#[must_use]
pub fn kind_defaults(kind: &str) -> Option<Capabilities> {
    match kind.to_lowercase().as_str() {
        "openai" | "anthropic" | "deepseek" | "openrouter" => Some(FULL),
        "google" => Some(Capabilities {
            system: false,
            format: Format::Gemini,
            ..FULL
        }),
        "huggingface" | "replicate" => Some(PROMPT_ONLY),
        "ollama" => Some(OLLAMA),
        _ => None,
    }
}

/// The abilities of a model of Ollama that was not asked for yet.
pub(crate) const OLLAMA: Capabilities = Capabilities {
    max_context: OLLAMA_WINDOW,
    ..PROMPT_ONLY
};
