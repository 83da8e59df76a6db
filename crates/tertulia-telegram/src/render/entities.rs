//! Runs to entities, in the form to which Telegram itself would bring them.
//!
//! Telegram splits emphases at the borders of links and code and where another emphasis begins, and counts entities after
//! that; so it is done here, or the count would be wrong.

use std::ops::Range;

use teloxide::types::{MessageEntity, MessageEntityKind};

use super::links::Target;
use super::writer::{Atom, BOLD, ITALIC, Run, SPOILER, STRIKE, Style};

/// An entity by its place in bytes.
#[derive(Debug)]
pub(super) struct Piece {
    range: Range<usize>,
    /// Which of two with the same range is the outer one: the lesser.
    rank: u8,
    kind: MessageEntityKind,
}

const EMPHASES: [u8; 4] = [BOLD, ITALIC, STRIKE, SPOILER];

/// All entities, the outer before the inner; none is empty, begins or ends with a blank (but for code), or crosses another.
pub(super) fn all(text: &str, runs: &[Run], atoms: &[Atom], quotes: &[Range<usize>]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    push_atoms(&mut pieces, text, runs, atoms);
    push_quotes(&mut pieces, text, quotes);
    push_emphases(&mut pieces, text, runs, atoms);
    pieces.sort_by_key(|piece| (piece.range.start, std::cmp::Reverse(piece.range.end), piece.rank));
    pieces
}

fn push_atoms(pieces: &mut Vec<Piece>, text: &str, runs: &[Run], atoms: &[Atom]) {
    for same in runs.chunk_by(|one, next| one.style.atom == next.style.atom) {
        let (Some(first), Some(last)) = (same.first(), same.last()) else {
            continue;
        };
        let range = first.range.start..last.range.end;
        let Some(atom) = first.style.atom.and_then(|atom| atoms.get(atom)) else {
            continue;
        };
        match atom {
            Atom::Code => push(pieces, text, range, 2, MessageEntityKind::Code),
            Atom::Link(Target(url)) => {
                push(pieces, text, range, 1, MessageEntityKind::TextLink { url: url.clone() });
            }
            // its indentation counts
            Atom::Pre(language) => pieces.push(Piece {
                range,
                rank: 2,
                kind: MessageEntityKind::Pre {
                    language: language.clone(),
                },
            }),
        }
    }
}

/// Adds quotations, behind code: one that begins with indented code begins with the indentation.
fn push_quotes(pieces: &mut Vec<Piece>, text: &str, quotes: &[Range<usize>]) {
    let atoms = pieces.len();
    for quote in quotes {
        let inner = text.get(quote.start..quote.end.min(text.len())).unwrap_or_default();
        let start = quote.start + inner.len() - inner.trim_start_matches('\n').len();
        let atoms = pieces.get(..atoms).unwrap_or_default();
        let is_indented = atoms.binary_search_by_key(&start, |atom| atom.range.start).is_ok();
        push(pieces, text, quote.clone(), 0, MessageEntityKind::Blockquote);
        if is_indented && let Some(piece) = pieces.last_mut() {
            piece.range.start = start;
        }
    }
}

fn push_emphases(pieces: &mut Vec<Piece>, text: &str, runs: &[Run], atoms: &[Atom]) {
    let mut before: Option<(usize, Style)> = None;
    let mut begun: [Option<usize>; 4] = [None; 4];
    // a last run of nothing closes all
    let end = Run {
        range: text.len() + 1..text.len() + 1,
        style: Style::default(),
    };
    for run in runs.iter().chain([&end]) {
        let style = shown(run.style, atoms);
        let (at, old) = before.unwrap_or_default();
        let touches = before.is_some() && at == run.range.start;
        let goes_on = touches && old.atom == style.atom && style.emphasis & !old.emphasis == 0;
        for (emphasis, begun) in EMPHASES.into_iter().zip(&mut begun) {
            let stays = goes_on && style.has(emphasis);
            if !stays && let Some(start) = begun.take() {
                push(pieces, text, start..at, 3, kind(emphasis));
            }
            if style.has(emphasis) && begun.is_none() {
                *begun = Some(run.range.start);
            }
        }
        before = Some((run.range.end, style));
    }
}

/// Code has no emphasis.
fn shown(style: Style, atoms: &[Atom]) -> Style {
    match style.atom.and_then(|atom| atoms.get(atom)) {
        Some(Atom::Code | Atom::Pre(_)) => Style { emphasis: 0, ..style },
        _ => style,
    }
}

fn kind(emphasis: u8) -> MessageEntityKind {
    match emphasis {
        BOLD => MessageEntityKind::Bold,
        ITALIC => MessageEntityKind::Italic,
        STRIKE => MessageEntityKind::Strikethrough,
        _ => MessageEntityKind::Spoiler,
    }
}

/// Adds an entity without the blanks at its ends.
fn push(pieces: &mut Vec<Piece>, text: &str, range: Range<usize>, rank: u8, kind: MessageEntityKind) {
    let inner = text.get(range.start..range.end.min(text.len())).unwrap_or_default();
    let body = inner.trim_start();
    let start = range.start + inner.len() - body.len();
    let end = start + body.trim_end().len();
    if start < end {
        pieces.push(Piece {
            range: start..end,
            rank,
            kind,
        });
    }
}

/// Bytes to UTF-16 units, in one walk through the text.
pub(super) fn in_units(text: &str, pieces: Vec<Piece>) -> Vec<MessageEntity> {
    let mut places: Vec<usize> = pieces
        .iter()
        .flat_map(|piece| [piece.range.start, piece.range.end])
        .collect();
    places.sort_unstable();
    places.dedup();
    let mut units = Vec::with_capacity(places.len());
    let (mut at, mut unit) = (0, 0);
    for place in &places {
        unit += text.get(at..*place).unwrap_or_default().encode_utf16().count();
        at = *place;
        units.push(unit);
    }
    let unit = |place: usize| {
        let nth = places.partition_point(|other| *other < place);
        units.get(nth).copied().unwrap_or_default()
    };
    let entity = |piece: Piece| {
        let offset = unit(piece.range.start);
        MessageEntity::new(piece.kind, offset, unit(piece.range.end) - offset)
    };
    pieces.into_iter().map(entity).collect()
}
