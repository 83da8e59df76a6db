//! Goes through the running text of a source, as far as it is written there letter by letter.

use std::ops::Range;

use pulldown_cmark::{Event, Tag, TagEnd};

use super::{Located, is_wrapper};

/// Where a piece of running text stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    /// Counts paragraphs, cells and the like.
    pub(super) leaf: usize,
    /// Counts lines.
    pub(super) line: usize,
    /// The event that opened the innermost emphasis or block.
    pub(super) parent: usize,
    /// True at the beginning of a line or a block.
    pub(super) is_first: bool,
}

/// Something in running text.
pub(super) enum Prose<'a> {
    /// Text that stands in the source as it is read; not escaped, not of a link.
    Text(&'a str),
    /// Code and what else is no text.
    Atom,
}

/// Calls back for all running text with its place, the event's number and its bytes of the source.
pub(super) fn walk<'a>(
    source: &'a str,
    events: &[Located<'a>],
    mut found: impl FnMut(Prose<'a>, Place, usize, Range<usize>),
) {
    let mut place = Place {
        leaf: 0,
        line: 0,
        parent: 0,
        is_first: true,
    };
    let mut parents = Vec::new();
    let mut locks = 0usize;
    for (index, (event, range)) in events.iter().enumerate() {
        match event {
            Event::Start(tag) => {
                parents.push(place.parent);
                place.parent = index;
                locks += usize::from(is_lock(tag));
                if !is_wrapper(tag) {
                    place.leaf += 1;
                    place.line += 1;
                    place.is_first = true;
                }
                continue;
            }
            Event::End(tag) => {
                place.parent = parents.pop().unwrap_or_default();
                locks = locks.saturating_sub(usize::from(is_lock_end(*tag)));
                if !is_wrapper_end(*tag) {
                    place.leaf += 1;
                    place.line += 1;
                }
                continue;
            }
            Event::SoftBreak | Event::HardBreak => {
                place.line += 1;
                place.is_first = true;
                continue;
            }
            Event::Text(text) if locks == 0 && source.get(range.clone()) == Some(text) => {
                if let Some(text) = source.get(range.clone()) {
                    found(Prose::Text(text), place, index, range.clone());
                }
            }
            _ => found(Prose::Atom, place, index, range.clone()),
        }
        place.is_first = false;
    }
}

/// True if the character at this byte of the source, the first of a text, was written with a backslash before it.
pub(super) fn is_escaped(source: &str, at: usize) -> bool {
    source.get(..at).is_some_and(|before| before.ends_with('\\'))
}

fn is_lock(tag: &Tag<'_>) -> bool {
    matches!(
        tag,
        Tag::Link { .. } | Tag::Image { .. } | Tag::CodeBlock(_) | Tag::HtmlBlock
    )
}

fn is_lock_end(tag: TagEnd) -> bool {
    matches!(
        tag,
        TagEnd::Link | TagEnd::Image | TagEnd::CodeBlock | TagEnd::HtmlBlock
    )
}

fn is_wrapper_end(tag: TagEnd) -> bool {
    matches!(
        tag,
        TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Superscript | TagEnd::Link | TagEnd::Image
    )
}
