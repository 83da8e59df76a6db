//! Pairs asterisks that stand between a letter and a sign, which `CommonMark` leaves alone or pairs with others.

use std::ops::Range;

use pulldown_cmark::{Event, Tag, TagEnd};

use super::Located;
use super::mask::{Mask, read_masked};
use super::prose::{Prose, is_escaped, walk};

/// Reads the source once more if asterisks are left over: with the signs beside them taken for letters, as long as
/// that leaves fewer over and changes nothing but emphasis. The masks are those that the events were read with.
pub(super) fn mend<'a>(source: &'a str, events: Vec<Located<'a>>, mut masks: Vec<Mask<'a>>) -> Vec<Located<'a>> {
    if !source.contains("**") {
        return events;
    }
    let left = asterisks(source, &events);
    if left == 0 {
        return events;
    }
    let signs = signs(source, &events);
    if signs.is_empty() {
        return events;
    }
    masks.extend(signs);
    masks.sort_by_key(|mask| mask.range.start);
    masks.dedup_by_key(|mask| mask.range.start);
    match read_masked(source, &masks) {
        Some(mended) if asterisks(source, &mended) < left && others(&mended).eq(others(&events)) => mended,
        _ => events,
    }
}

/// How many asterisks are read as text.
fn asterisks<'a>(source: &'a str, events: &[Located<'a>]) -> usize {
    let mut count = 0;
    walk(source, events, |prose, _, _, _| {
        if let Prose::Text(text) = prose {
            count += text.matches('*').count();
        }
    });
    count
}

/// All that is neither text nor emphasis.
fn others<'e, 'a>(events: &'e [Located<'a>]) -> impl Iterator<Item = &'e Located<'a>> {
    events.iter().filter(|(event, _)| {
        !matches!(
            event,
            Event::Text(_) | Event::Start(Tag::Emphasis | Tag::Strong) | Event::End(TagEnd::Emphasis | TagEnd::Strong)
        )
    })
}

/// Masks for the signs, and the code, between which and a letter two asterisks stand.
fn signs<'a>(source: &'a str, events: &[Located<'a>]) -> Vec<Mask<'a>> {
    let mut pieces: Vec<(Range<usize>, Option<Event<'a>>)> = Vec::new();
    walk(source, events, |prose, _, index, range| {
        match (prose, events.get(index)) {
            (Prose::Text(text), _) => {
                let first = if is_escaped(source, range.start) {
                    text.chars().next().map_or(0, char::len_utf8)
                } else {
                    0
                };
                pieces.push((range.start + first..range.end, None));
            }
            (Prose::Atom, Some((code @ Event::Code(_), _))) => pieces.push((range, Some(code.clone()))),
            (Prose::Atom, _) => {}
        }
    });
    let mask = |at: Range<usize>| -> Option<Mask<'a>> {
        let piece = pieces.partition_point(|(range, _)| range.end <= at.start);
        let (range, code) = pieces.get(piece)?;
        let is_inside = range.start <= at.start && at.end <= range.end;
        let range = if code.is_some() { range.clone() } else { at };
        let is_one_line = !source.get(range.clone())?.contains('\n');
        (is_inside && is_one_line).then(|| Mask {
            range,
            shown: code.clone(),
        })
    };
    let mut masks = Vec::new();
    for (at, _) in source.match_indices("**") {
        let before = source.get(..at).unwrap_or_default();
        let after = source.get(at + 2..).unwrap_or_default();
        if let Some(length) = closing_sign(before, after) {
            masks.extend(mask(at - length..at));
        }
        if let Some(length) = opening_sign(before, after) {
            masks.extend(mask(at + 2..at + 2 + length));
        }
    }
    masks
}

/// The length of the sign before asterisks that end an emphasis before a letter.
fn closing_sign(before: &str, after: &str) -> Option<usize> {
    let mut before = before.chars().rev();
    let sign = before.next()?;
    let is_end = !before.next()?.is_whitespace() && !is_opening(sign);
    (after.starts_with(char::is_alphanumeric) && is_sign(sign) && is_end).then(|| sign.len_utf8())
}

/// The length of the sign after asterisks that begin an emphasis behind a letter.
fn opening_sign(before: &str, after: &str) -> Option<usize> {
    let mut after = after.chars();
    let sign = after.next()?;
    let is_start = after.next().is_some_and(|next| !next.is_whitespace()) && !is_closing(sign);
    (before.ends_with(char::is_alphabetic) && is_sign(sign) && is_start).then(|| sign.len_utf8())
}

fn is_sign(c: char) -> bool {
    !c.is_alphanumeric() && !c.is_whitespace() && !matches!(c, '*' | '_' | '~' | '\\')
}

fn is_opening(c: char) -> bool {
    matches!(
        c,
        '(' | '['
            | '{'
            | '<'
            | '（'
            | '［'
            | '「'
            | '『'
            | '【'
            | '《'
            | '〈'
            | '〔'
            | '“'
            | '‘'
            | '«'
            | '„'
            | '¿'
            | '¡'
    )
}

fn is_closing(c: char) -> bool {
    matches!(
        c,
        ')' | ']'
            | '}'
            | '>'
            | '）'
            | '］'
            | '」'
            | '』'
            | '】'
            | '》'
            | '〉'
            | '〕'
            | '”'
            | '’'
            | '»'
            | '.'
            | ','
            | ';'
            | ':'
            | '!'
            | '?'
            | '。'
            | '，'
            | '、'
            | '；'
            | '：'
            | '！'
            | '？'
    )
}
