//! What is known of the models that OpenRouter offers.

use tertulia_core::provider::{Capabilities, Format};

use super::listed::Listed;
use crate::chat_shape::{ChatThinking, Traits};

/// The window of a model that the list was not asked for, in tokens.
const UNKNOWN_WINDOW: u64 = 32_768;

/// How a model is asked. What one does not take, `OpenRouter` passes over in silence.
pub(crate) fn of(_model: &str) -> Traits {
    Traits {
        thinking: ChatThinking::Reasoning,
        ..Traits::USUAL
    }
}

/// The abilities of a model before the operator overrules any.
pub(crate) fn abilities(listed: Option<Listed>) -> Capabilities {
    Capabilities {
        conversation: true,
        system: true,
        tool_calls: listed.is_none_or(|listed| listed.tools),
        vision: listed.is_some_and(|listed| listed.vision),
        thinking: listed.is_some_and(|listed| listed.thinking),
        format: Format::Standard,
        max_context: listed.and_then(|listed| listed.window).unwrap_or(UNKNOWN_WINDOW),
    }
}
