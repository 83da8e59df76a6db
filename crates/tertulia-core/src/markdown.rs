//! Markdown to markup, once for all platforms.

mod build;
mod flank;
mod frame;
mod habits;
mod mask;
mod math;
mod prose;
mod spoiler;

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag};
use tertulia_message::Markup;

use build::Builder;
pub(crate) use build::language;
pub(crate) use frame::trim_end;

/// An event of the parser with the bytes of the source it stands for.
pub(crate) type Located<'a> = (Event<'a>, Range<usize>);

/// Reads `CommonMark` with the tables, strike-through and task lists of GitHub, as models write it.
///
/// Mathematics (`$`, `$$`, `\(`, `\[`) is literal text with its delimiters, `||text||` is a spoiler, `<br>` a line
/// break, a line of dashes always a rule. Asterisks between a letter and a sign are paired as they are meant.
///
/// Never fails: what is not Markdown is text. Raw HTML is literal text, an image is a link with its alternative
/// text, a line break is a line break. Nesting deeper than 32 containers is flattened.
#[must_use]
pub fn parse(source: &str) -> Markup {
    let events = events(source);
    build(
        &events,
        Cut {
            stop: events.len(),
            at: source.len(),
        },
    )
}

/// Where a text is cut: the first event that is not wholly before the cut, and the cut's place in the source.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cut {
    /// Events before this one lie before the cut.
    pub(crate) stop: usize,
    /// The cut itself; it may lie inside the literal text of event `stop`.
    pub(crate) at: usize,
}

/// All events of a source, in reading order.
///
/// A formula is one event of inline mathematics for each of its lines, with the delimiters; a spoiler is one that
/// [`is_wrapper`] knows, its delimiter is two bytes long.
pub(crate) fn events(source: &str) -> Vec<Located<'_>> {
    let plain = read(source);
    let masks = math::masks(source, &plain);
    let masked = (!masks.is_empty()).then(|| mask::read_masked(source, &masks));
    let (events, masks) = match masked.flatten() {
        Some(events) => (events, masks),
        None => (plain, Vec::new()),
    };
    let events = flank::mend(source, events, masks);
    spoiler::mark(source, habits::understand(source, events))
}

/// True for what is opened and closed within running text.
pub(crate) fn is_wrapper(tag: &Tag<'_>) -> bool {
    matches!(
        tag,
        Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Superscript | Tag::Link { .. } | Tag::Image { .. }
    )
}

/// The events as the parser gives them.
fn read(source: &str) -> Vec<Located<'_>> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    Parser::new_ext(source, options).into_offset_iter().collect()
}

/// The tree of everything before a cut; what is open there is closed.
pub(crate) fn build(events: &[Located<'_>], cut: Cut) -> Markup {
    let mut builder = Builder::new();
    for (event, _) in events.iter().take(cut.stop) {
        builder.handle(event);
    }
    if let Some((Event::Text(text), range)) = events.get(cut.stop) {
        let shown = cut.at.saturating_sub(range.start);
        if shown > 0 && text.len() == range.len() {
            builder.text(text.get(..shown).unwrap_or_default());
        }
    }
    builder.finish()
}

#[cfg(test)]
mod tests;
