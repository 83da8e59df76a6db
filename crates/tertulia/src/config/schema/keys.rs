//! The table of the keys.

use super::{Key, Shape};

const fn key(path: &'static str, shape: Shape) -> Key {
    Key { path, shape }
}

const DAY: u64 = 24 * 3600;
/// Dollars for a million tokens.
const PRICE: Shape = Shape::Number(1_000_000);

/// The keys.
pub(super) const ALL: &[Key] = &[
    key("server.bind", Shape::Text),
    key("server.port", Shape::Whole(0, 65_535)),
    key("server.token_file", Shape::File),
    key("server.token", Shape::Secret),
    key("server.hosts", Shape::Texts),
    key("server.origins", Shape::Texts),
    key("server.max_connections", Shape::Whole(1, 100_000)),
    key("interfaces.*.kind", Shape::Text),
    key("interfaces.*.enabled", Shape::Flag),
    key("interfaces.*.token_file", Shape::File),
    key("interfaces.*.token", Shape::Secret),
    key("interfaces.*.base_url", Shape::Url),
    key("interfaces.*.stream", Shape::Text),
    key("interfaces.*.always_on", Shape::Texts),
    key("interfaces.*.largest_file_mb", Shape::Whole(1, 2_000)),
    key("providers.*.kind", Shape::Text),
    key("providers.*.model", Shape::Text),
    key("providers.*.base_url", Shape::Url),
    key("providers.*.api_key_file", Shape::File),
    key("providers.*.api_key", Shape::Secret),
    key("providers.*.api", Shape::Text),
    key("providers.*.fallback", Shape::Texts),
    key("providers.*.at_once", Shape::Whole(1, 1024)),
    key("providers.*.max_tokens", Shape::Whole(1, 10_000_000)),
    key("providers.*.num_ctx", Shape::Whole(256, 10_000_000)),
    key("providers.*.keep_alive", Shape::Text),
    key("providers.*.pause_ms", Shape::Whole(0, 10_000)),
    key("providers.*.timeouts.connect", Shape::Whole(1, DAY)),
    key("providers.*.timeouts.first_byte", Shape::Whole(1, DAY)),
    key("providers.*.timeouts.idle", Shape::Whole(1, DAY)),
    key("providers.*.timeouts.total", Shape::Whole(1, DAY)),
    key("providers.*.capabilities.supports_conversation", Shape::Flag),
    key("providers.*.capabilities.supports_system_messages", Shape::Flag),
    key("providers.*.capabilities.supports_tool_calls", Shape::Flag),
    key("providers.*.capabilities.supports_vision", Shape::Flag),
    key("providers.*.capabilities.supports_thinking", Shape::Flag),
    key(
        "providers.*.capabilities.max_context_length",
        Shape::Whole(256, 100_000_000),
    ),
    key("providers.*.models.*.supports_conversation", Shape::Flag),
    key("providers.*.models.*.supports_system_messages", Shape::Flag),
    key("providers.*.models.*.supports_tool_calls", Shape::Flag),
    key("providers.*.models.*.supports_vision", Shape::Flag),
    key("providers.*.models.*.supports_thinking", Shape::Flag),
    key(
        "providers.*.models.*.max_context_length",
        Shape::Whole(256, 100_000_000),
    ),
    key("providers.*.media.picture", Shape::Text),
    key("providers.*.media.transcription", Shape::Text),
    key("providers.*.media.speech", Shape::Text),
    key("providers.*.media.voice", Shape::Text),
    key("providers.*.models.*.price_input", PRICE),
    key("providers.*.models.*.price_output", PRICE),
    key("providers.*.models.*.price_cache_read", PRICE),
    key("providers.*.models.*.price_cache_written", PRICE),
    key("providers.*.models.*.max_tokens", Shape::Whole(1, 10_000_000)),
    key("providers.*.models.*.thinking", Shape::Text),
    key("providers.*.models.*.takes_sampling", Shape::Flag),
    key("providers.*.models.*.takes_schema", Shape::Flag),
    key("providers.*.models.*.takes_instruction", Shape::Flag),
    key("providers.*.models.*.tool_schemas", Shape::Text),
    key("providers.*.models.*.format_beside_tools", Shape::Flag),
    key("personas.*.provider", Shape::Text),
    key("personas.*.model", Shape::Text),
    key("personas.*.system", Shape::Text),
    key("access.admins", Shape::Texts),
    key("access.trusted", Shape::Texts),
    key("access.users", Shape::Texts),
    key("access.chats.*", Shape::Level),
    key("access.interfaces.*", Shape::Level),
    key("tools.enabled", Shape::Texts),
    key("store.directory", Shape::File),
    key("log.format", Shape::Text),
    key("log.level", Shape::Text),
    key("limits.queue", Shape::Whole(1, 10_000)),
    key("limits.answer_bytes", Shape::Whole(1_024, 64 << 20)),
    key("limits.rounds", Shape::Whole(1, 100)),
    key("limits.history_entries", Shape::Whole(1, 10_000)),
    key("limits.passing_requests", Shape::Whole(1, 100_000)),
    key("limits.conversations", Shape::Whole(1, 100_000)),
];

/// Keys of the platform that only tests use.
pub(super) const LOOPBACK: &[Key] = &[
    key("interfaces.*.progress", Shape::Text),
    key("interfaces.*.deadline_ms", Shape::Whole(1, 3_600_000)),
];
