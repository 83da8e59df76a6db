//! What is special about a model behind chat completions, for every kind that speaks them.

use tertulia_providers::{ChatLimit, ChatModel, ChatRole, ChatThinking};

use super::section::ModelSection;
use crate::config::error::ConfigError;

/// The keys.
pub(super) const MODEL_KEYS: &[&str] = &[
    "limit_field",
    "system_role",
    "thinking",
    "takes_temperature",
    "takes_top_p",
    "takes_stop",
    "takes_seed",
    "takes_stream_options",
    "takes_schema",
];

const LIMITS: [(&str, ChatLimit); 3] = [
    ("none", ChatLimit::None),
    ("max_tokens", ChatLimit::MaxTokens),
    ("max_completion_tokens", ChatLimit::MaxCompletionTokens),
];

const ROLES: [(&str, ChatRole); 3] = [
    ("system", ChatRole::System),
    ("developer", ChatRole::Developer),
    ("user", ChatRole::User),
];

const THINKING: [(&str, ChatThinking); 5] = [
    ("none", ChatThinking::None),
    ("effort", ChatThinking::Effort),
    ("switch", ChatThinking::Switch),
    ("reasoning", ChatThinking::Reasoning),
    ("template", ChatThinking::Template),
];

pub(super) fn model(section: &ModelSection<'_>) -> Result<ChatModel, ConfigError> {
    Ok(ChatModel {
        limit: section.word("limit_field", &LIMITS)?,
        system_role: section.word("system_role", &ROLES)?,
        temperature: section.flag("takes_temperature"),
        top_p: section.flag("takes_top_p"),
        stop: section.flag("takes_stop"),
        seed: section.flag("takes_seed"),
        stream_options: section.flag("takes_stream_options"),
        thinking: section.word("thinking", &THINKING)?,
        schema: section.flag("takes_schema"),
    })
}
