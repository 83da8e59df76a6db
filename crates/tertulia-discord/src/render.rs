//! Markup as Discord takes it: its Markdown, escaped so that nothing in a text makes a mention, a link, a heading or a fence.

mod blocks;
mod chars;
mod code;
mod escape;
mod line;
mod links;
mod runs;
mod table;
mod writer;

use tertulia_message::Markup;

use writer::Writer;

/// The longest text of one message, in Unicode scalar values.
pub const LONGEST: usize = 2000;
/// Stands for a text that Discord would call empty and refuse.
const EMPTY: &str = "(empty)";

/// Always a text that Discord takes, but for its length: never empty, and trimmed as Discord trims it.
///
/// Whoever it names is called only if `allowed_mentions` of the request says so; see [`crate::content`].
#[must_use]
pub fn render(markup: &Markup) -> String {
    let mut writer = Writer::default();
    writer.blocks(&markup.blocks, false);
    let text = writer.finish();
    if chars::is_visible(&text) {
        text
    } else {
        EMPTY.to_owned()
    }
}

/// Discord's measure: Unicode scalar values of what is sent, with its signs and escapes.
#[must_use]
pub fn weigh(markup: &Markup) -> usize {
    render(markup).chars().count()
}

#[cfg(test)]
mod checker;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod samples;
#[cfg(test)]
mod tests;
