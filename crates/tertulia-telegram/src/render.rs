//! Markup as Telegram takes it: text with entities, never a parse mode.

mod blocks;
mod chars;
mod entities;
mod inlines;
mod links;
mod table;
mod writer;

use teloxide::types::MessageEntity;
use tertulia_message::Markup;

use entities::Piece;
use writer::Writer;

/// The longest text of one message, in UTF-16 units.
pub(crate) const LONGEST: usize = 4096;
/// The most entities of one message; Telegram drops further ones silently.
pub(crate) const MOST_ENTITIES: usize = 100;
/// Stands for a text that Telegram would call empty and refuse.
const EMPTY: &str = "(empty)";

/// What one message shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Rendered {
    /// The text: never empty, trimmed as Telegram trims it.
    pub(crate) text: String,
    /// Its entities in the order of the text, at most [`MOST_ENTITIES`]; offsets and lengths are in UTF-16 units.
    pub(crate) entities: Vec<MessageEntity>,
}

/// Always a message that Telegram takes, but for its length.
pub(crate) fn render(markup: &Markup) -> Rendered {
    let (text, mut pieces) = whole(markup);
    // cannot happen to what was cut by `weigh`
    pieces.truncate(MOST_ENTITIES);
    let entities = entities::in_units(&text, pieces);
    Rendered { text, entities }
}

/// Telegram's measure: UTF-16 units of what is sent, and so much more for many entities that a text within the limit of
/// units is within that of entities as well.
pub(crate) fn weigh(markup: &Markup) -> usize {
    let (text, pieces) = whole(markup);
    let entities = pieces.len().saturating_mul(LONGEST).div_ceil(MOST_ENTITIES);
    text.encode_utf16().count().max(entities)
}

fn whole(markup: &Markup) -> (String, Vec<Piece>) {
    let mut writer = Writer::default();
    writer.blocks(&markup.blocks, false);
    let (text, pieces) = writer.finish();
    if chars::is_visible(&text) {
        (text, pieces)
    } else {
        (EMPTY.to_owned(), Vec::new())
    }
}

#[cfg(test)]
mod checker;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod samples;
#[cfg(test)]
mod tests;
