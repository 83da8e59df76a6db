//! What is known of DeepSeek's models by their names.

use tertulia_core::provider::{Capabilities, Format};

use crate::chat_shape::{ChatThinking, Traits};

/// The window of the models of generation 4, in tokens.
const WINDOW: u64 = 1_000_000;
/// That of those before, in tokens.
const OLDER_WINDOW: u64 = 128_000;

/// How a model is asked. None takes a schema, only the wish for an object; while one thinks, temperature and the like are
/// passed over in silence.
pub(crate) fn of(_model: &str) -> Traits {
    Traits {
        thinking: ChatThinking::Switch,
        schema: false,
        seed: false,
        ..Traits::USUAL
    }
}

/// The abilities of a model before the operator overrules any.
pub(crate) fn abilities(model: &str) -> Capabilities {
    let older = matches!(model.to_lowercase().as_str(), "deepseek-chat" | "deepseek-reasoner");
    Capabilities {
        conversation: true,
        system: true,
        tool_calls: true,
        vision: false,
        thinking: true,
        format: Format::Standard,
        max_context: if older { OLDER_WINDOW } else { WINDOW },
    }
}
