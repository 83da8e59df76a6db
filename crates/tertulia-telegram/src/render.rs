//! Markup as Telegram takes it: text with entities.

use tertulia_message::Markup;

/// Telegram's measure: UTF-16 code units of the text.
pub(crate) fn weigh(markup: &Markup) -> usize {
    markup.plain().encode_utf16().count()
}
