//! Until when a chat takes nothing: one gate per chat for every kind of call, fed by what Telegram says.

/// The gates of one bot.
#[derive(Debug, Default)]
pub(crate) struct Gates {}
