//! Finds mathematics, which is shown as it is written.

use std::ops::Range;

use pulldown_cmark::Event;

use super::Located;
use super::mask::Mask;
use super::prose::{Place, Prose, is_escaped, walk};

/// Masks for all formulas, one for each of their lines, with the delimiters.
pub(super) fn masks<'a>(source: &'a str, events: &[Located<'a>]) -> Vec<Mask<'a>> {
    if !source.contains('$') && !source.contains("\\(") && !source.contains("\\[") {
        return Vec::new();
    }
    let signs = signs(source, events);
    let mut masks = Vec::new();
    let mut next = 0;
    while let Some(sign) = signs.get(next) {
        next += 1;
        let rest = signs.get(next..).unwrap_or_default();
        if let Some(end) = end(source, sign, rest) {
            lines(source, sign.range.start..end, &mut masks);
            next += rest.partition_point(|sign| sign.range.start < end);
        }
    }
    masks
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Dollar,
    Dollars,
    Open(char),
    Close(char),
    /// Code and the like, which no formula contains.
    Stop,
}

struct Sign {
    kind: Kind,
    range: Range<usize>,
    place: Place,
}

/// All signs that can begin or end a formula, in their order.
fn signs<'a>(source: &'a str, events: &[Located<'a>]) -> Vec<Sign> {
    let mut signs = Vec::new();
    walk(source, events, |prose, place, _, range| {
        let mut sign = |kind, range| signs.push(Sign { kind, range, place });
        let Prose::Text(text) = prose else {
            sign(Kind::Stop, range);
            return;
        };
        let is_escaped = is_escaped(source, range.start);
        let start = range.start;
        match text.chars().next() {
            Some(open @ ('(' | '[')) if is_escaped => sign(Kind::Open(open), start - 1..start + 1),
            Some(')') if is_escaped => sign(Kind::Close('('), start - 1..start + 1),
            Some(']') if is_escaped => sign(Kind::Close('['), start - 1..start + 1),
            _ => {}
        }
        let mut at = usize::from(is_escaped && text.starts_with('$'));
        while let Some(found) = text.get(at..).and_then(|rest| rest.find('$')) {
            let first = at + found;
            let rest = text.get(first..).unwrap_or_default();
            let count = rest.len() - rest.trim_start_matches('$').len();
            at = first + count;
            let kind = if count == 1 { Kind::Dollar } else { Kind::Dollars };
            if count <= 2 {
                sign(kind, start + first..start + at);
            }
        }
    });
    signs
}

/// The end of the formula that begins with this sign.
fn end(source: &str, sign: &Sign, rest: &[Sign]) -> Option<usize> {
    let is_block = matches!(sign.kind, Kind::Dollars | Kind::Open('[')) && sign.place.is_first;
    let is_in_reach = |other: &Sign| match sign.kind {
        _ if is_block => true,
        Kind::Open('(') => other.place.leaf == sign.place.leaf,
        _ => other.place.line == sign.place.line,
    };
    let closing = match sign.kind {
        Kind::Open(open) => Kind::Close(open),
        Kind::Dollar | Kind::Dollars => sign.kind,
        Kind::Close(_) | Kind::Stop => return None,
    };
    let close = rest
        .iter()
        .find(|other| other.kind == closing || other.kind == sign.kind || other.kind == Kind::Stop)
        .filter(|close| close.kind == closing && is_in_reach(close));
    let after = source.get(sign.range.end..).unwrap_or_default();
    if let Some(close) = close {
        let content = source.get(sign.range.end..close.range.start).unwrap_or_default();
        let after = source.get(close.range.end..).unwrap_or_default();
        let is_closed = !has_blank_line(content) && is_formula(sign.kind, content, after);
        return is_closed.then_some(close.range.end);
    }
    // the rest of a displayed formula is still arriving
    let is_alone = is_block && after.trim_start_matches([' ', '\t', '\r']).starts_with('\n');
    let is_code_next = rest.first().is_some_and(|next| next.kind == Kind::Stop);
    (is_alone && !is_code_next).then(|| sign.range.end + blank_line(after).unwrap_or(after.len()))
}

fn is_formula(kind: Kind, content: &str, after: &str) -> bool {
    if content.trim().is_empty() {
        return false;
    }
    match kind {
        Kind::Dollar => {
            let is_spaced = content.starts_with(char::is_whitespace) || content.ends_with(char::is_whitespace);
            // a price follows, or there is emphasis between two prices
            !is_spaced && !after.starts_with(|c: char| c.is_ascii_digit()) && !content.contains("**")
        }
        // brackets are also escaped to be brackets
        Kind::Open('[') => {
            content.starts_with(char::is_whitespace) || content.contains(['\\', '^', '_', '=', '{', '+'])
        }
        _ => true,
    }
}

fn has_blank_line(content: &str) -> bool {
    blank_line(content).is_some()
}

/// Where the first blank line begins, which may be one of a quotation.
fn blank_line(content: &str) -> Option<usize> {
    let is_blank = |line: &str| line.ends_with('\n') && line.trim_matches([' ', '\t', '\r', '\n', '>']).is_empty();
    let mut at = 0;
    for (nth, line) in content.split_inclusive('\n').enumerate() {
        if nth > 0 && is_blank(line) {
            return Some(at);
        }
        at += line.len();
    }
    None
}

/// Adds a mask for each line of a formula; the signs of a quotation before its lines are no part of it.
fn lines<'a>(source: &'a str, formula: Range<usize>, masks: &mut Vec<Mask<'a>>) {
    let before = source.get(..formula.start).unwrap_or_default();
    let text = source.get(formula.clone()).unwrap_or_default();
    let is_quoted = text.contains('\n') && before.rsplit('\n').next().is_some_and(|line| line.contains('>'));
    let mut at = formula.start;
    for line in text.split_inclusive('\n') {
        let is_margin = |c: char| matches!(c, ' ' | '\t') || (is_quoted && c == '>');
        let margin = line.len() - line.trim_start_matches(is_margin).len();
        let content = line.get(margin..).unwrap_or_default().trim_end();
        if !content.is_empty() {
            masks.push(Mask {
                range: at + margin..at + margin + content.len(),
                shown: Some(Event::InlineMath(content.into())),
            });
        }
        at += line.len();
    }
}
