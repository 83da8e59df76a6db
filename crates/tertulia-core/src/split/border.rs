//! Places where a text can be cut, and the choice among them.

use tertulia_message::Markup;

use crate::markdown::Cut;

/// What kind of cut it is, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// Between two blocks.
    Block,
    /// Between two lines, items or rows.
    Line,
    /// After a sentence.
    Sentence,
    /// After a word.
    Space,
    /// Anywhere else.
    Char,
    /// Where the rest would be read as something it is not: a list, a heading.
    Risky,
}

/// A place where a text can be cut.
#[derive(Debug, Clone, Copy)]
pub(super) struct Border {
    pub(super) cut: Cut,
    pub(super) kind: Kind,
    /// The events before this one decide what is open at the cut.
    pub(super) resume: usize,
}

/// How many borders are tried at most when a measure does not grow with the text.
const TRIES: usize = 64;

const KINDS: [Kind; 6] = [
    Kind::Block,
    Kind::Line,
    Kind::Sentence,
    Kind::Space,
    Kind::Char,
    Kind::Risky,
];

/// Looks for the best border whose part fits; the borders are in the order of the text, the part begins at `from`.
pub(super) fn choose(
    borders: &[Border],
    from: usize,
    fits: impl Fn(&Border) -> Option<Markup>,
) -> Option<(&Border, Markup)> {
    let count = borders.partition_point(|border| fits(border).is_some());
    let fitting = borders.get(..count)?;
    let last = fitting.last()?;
    let half = from + last.cut.at.saturating_sub(from) / 2;
    let late = fitting.partition_point(|border| border.cut.at < half);
    let late = fitting.get(late..).unwrap_or_default();
    // a measure need not grow with the text everywhere, so each choice is checked
    let best = KINDS
        .iter()
        .filter_map(|kind| late.iter().rev().find(|border| border.kind == *kind));
    best.chain(fitting.iter().rev().take(TRIES))
        .find_map(|border| Some((border, fits(border)?)))
}
