//! Cuts what is too long for one platform message: Markdown by its source while it grows, finished markup by its tree.

mod border;
mod lead;
mod literal;
mod open;
mod source;
mod text_borders;
mod tree;

use std::ops::Range;

use tertulia_message::Markup;

use crate::markdown::{self, Cut, Located};
use border::Border;

pub use tree::tree;

/// The platform's measure of a message.
pub type Weigh<'a> = &'a dyn Fn(&Markup) -> usize;

/// Where the part that is still open begins.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Cursor {
    /// The byte of the text at which it begins.
    pub from: usize,
    /// Markdown to be put before it so that it reads right: a reopened fence, the marker of a continued list or
    /// quotation, the start of an emphasis, the head of a table.
    pub lead: String,
}

/// One part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Which bytes of the text it shows.
    pub source: Range<usize>,
    /// What it shows; blank only if its source is.
    pub markup: Markup,
}

/// A text in parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rolled {
    /// Parts that are full and will not change any more; never blank.
    pub closed: Vec<Piece>,
    /// The last part; it changes as the text grows.
    pub open: Piece,
    /// Where the last part begins.
    pub cursor: Cursor,
}

/// Cuts the text from the cursor on into parts that weigh at most `limit`.
///
/// Call it again with the returned cursor and more text to go on: closed parts never change. The ranges of all
/// parts together are the text from the cursor on. Cuts are made between blocks, else between lines, else
/// after a sentence, else after a word, else between characters; a better kind of cut is taken only where it
/// leaves the part at least half full. Markdown that can not be cut (an address longer than a part) is shown as
/// its source. A part is over the limit only if a single character is.
#[must_use]
pub fn roll(text: &str, cursor: &Cursor, limit: usize, weigh: Weigh<'_>) -> Rolled {
    let mut cursor = cursor.clone();
    let mut closed = Vec::new();
    loop {
        match step(text, &cursor, limit, weigh) {
            Step::Fits(markup) => {
                let open = Piece {
                    source: cursor.from..text.len().max(cursor.from),
                    markup,
                };
                return Rolled { closed, open, cursor };
            }
            Step::Full(markup, next) => {
                closed.push(Piece {
                    source: cursor.from..next.from,
                    markup,
                });
                cursor = next;
            }
        }
    }
}

/// What is to be done with the text from a cursor on.
enum Step {
    /// It fits into one part.
    Fits(Markup),
    /// It has to be cut; the next part begins at the cursor.
    Full(Markup, Cursor),
}

/// What a part is made from: the lead and as much of the text as can matter for it.
struct Window<'a> {
    source: &'a str,
    lead: &'a str,
    events: &'a [Located<'a>],
    /// The whole rest of the text, without the lead.
    rest: &'a str,
}

fn step(text: &str, cursor: &Cursor, limit: usize, weigh: Weigh<'_>) -> Step {
    let rest = text.get(cursor.from..).unwrap_or_default();
    let lead = cursor.lead.as_str();
    let mut reach = reach(limit);
    loop {
        let end = rest.floor_char_boundary(reach);
        let part = rest.get(..end).unwrap_or(rest);
        let source = format!("{lead}{part}");
        let events = markdown::events(&source);
        let mut markup = markdown::build(
            &events,
            Cut {
                stop: events.len(),
                at: source.len(),
            },
        );
        let is_blank = markup.is_blank();
        if is_blank {
            // definitions of links and the like: shown as they are, so that nothing vanishes
            markup = Markup::text(part.trim());
        }
        if weigh(&markup) > limit && is_blank {
            return shown_as_source(rest, rest, cursor, limit, weigh);
        }
        if weigh(&markup) > limit {
            return full(
                &Window {
                    source: &source,
                    lead,
                    events: &events,
                    rest,
                },
                cursor,
                limit,
                weigh,
            );
        }
        if end == rest.len() {
            return Step::Fits(markup);
        }
        reach = reach.saturating_mul(2);
    }
}

/// How many bytes are looked at first: every character weighs something, so that what is farther beyond the limit
/// can hardly belong to the part.
fn reach(limit: usize) -> usize {
    limit.saturating_mul(4).max(256)
}

fn full(window: &Window<'_>, cursor: &Cursor, limit: usize, weigh: Weigh<'_>) -> Step {
    let borders = source::borders(window);
    let fits = |border: &Border| {
        let markup = markdown::build(window.events, border.cut);
        (weigh(&markup) <= limit && !markup.is_blank()).then_some(markup)
    };
    if let Some((border, markup)) = border::choose(&borders, window.lead.len(), fits) {
        let lead = lead::lead(window, border, limit, weigh);
        let from = cursor.from + border.cut.at.saturating_sub(window.lead.len());
        return Step::Full(markup, Cursor { from, lead });
    }
    let line = window.rest.trim_start();
    let line = line.split('\n').next().unwrap_or(line);
    shown_as_source(window.rest, line, cursor, limit, weigh)
}

/// Shows as much of `body`, the start of the rest but for blanks, as it is.
fn shown_as_source(rest: &str, body: &str, cursor: &Cursor, limit: usize, weigh: Weigh<'_>) -> Step {
    match literal::take(rest, body, limit, weigh) {
        (markup, taken) if taken < rest.len() => Step::Full(
            markup,
            Cursor {
                from: cursor.from + taken,
                lead: cursor.lead.clone(),
            },
        ),
        (markup, _) => Step::Fits(markup),
    }
}

#[cfg(test)]
mod tests;
