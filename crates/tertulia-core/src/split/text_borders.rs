//! Finds the borders inside literal text and code.

use pulldown_cmark::{CodeBlockKind, Event, Tag};

use crate::markdown::{self, Cut};

use super::Window;
use super::border::{Border, Kind};
use super::open::Stack;

/// How far is looked ahead from a border, so that hostile text costs no more than others; in bytes or characters.
const SCAN: usize = 128;

/// Adds the borders within the text event `index`.
pub(super) fn find(window: &Window<'_>, stack: &Stack<'_>, index: usize, text: &str, found: &mut Vec<Border>) {
    let Some((_, range)) = window.events.get(index) else {
        return;
    };
    let fence = stack.top().and_then(|open| fence(open.tag, window.source, open.at));
    let is_code = matches!(stack.top(), Some(open) if matches!(open.tag, Tag::CodeBlock(_)));
    let allowed = |at: usize| fence.is_none_or(|fence| !closes(window, at, fence));
    let before = index.checked_sub(1).and_then(|before| window.events.get(before));
    let is_new_line = matches!(before, Some((Event::Text(before), _)) if before.ends_with('\n'));
    if is_code && is_new_line && allowed(range.start) {
        found.push(Border {
            cut: Cut {
                stop: index,
                at: range.start,
            },
            kind: Kind::Line,
            resume: index,
        });
    }
    // text that is not verbatim (an entity, a tabulator) can not be cut
    if window.source.get(range.clone()) != Some(text) {
        return;
    }
    for (offset, next) in text.char_indices().skip(1) {
        let Some((before, after)) = text.split_at_checked(offset) else {
            continue;
        };
        let Some(kind) = kind(before, next) else { continue };
        let at = range.start + offset;
        if is_code && !allowed(at) {
            continue;
        }
        let kind = if !is_code && begins_block(after) {
            Kind::Risky
        } else {
            kind
        };
        found.push(Border {
            cut: Cut { stop: index, at },
            kind,
            resume: index,
        });
    }
    if !is_code && is_followed(window, index, range.end) {
        let kind = if text.ends_with(char::is_whitespace) {
            Kind::Space
        } else {
            Kind::Char
        };
        found.push(Border {
            cut: Cut {
                stop: index + 1,
                at: range.end,
            },
            kind,
            resume: index + 1,
        });
    }
}

/// True if running text goes on after this event, and a part may begin there.
fn is_followed(window: &Window<'_>, index: usize, end: usize) -> bool {
    let after = window.source.get(end..).unwrap_or_default();
    let is_running = match window.events.get(index + 1) {
        Some((Event::Text(_) | Event::Code(_) | Event::InlineMath(_), _)) => true,
        Some((Event::Start(tag), _)) => markdown::is_wrapper(tag),
        _ => false,
    };
    is_running && !begins_block(after) && !after.starts_with(char::is_whitespace)
}

/// What kind of cut it would be between two characters; none where no part should begin.
pub(super) fn kind(before: &str, next: char) -> Option<Kind> {
    let last = before.chars().next_back()?;
    if last == '\n' {
        return Some(Kind::Line);
    }
    if next.is_whitespace() || joins(before, last, next) {
        return None;
    }
    Some(match last {
        '。' | '！' | '？' => Kind::Sentence,
        c if c.is_whitespace() => {
            let ends = before.trim_end().ends_with(['.', '!', '?', '…', ':', ';']);
            if ends { Kind::Sentence } else { Kind::Space }
        }
        _ => Kind::Char,
    })
}

/// True if two characters are drawn as one.
fn joins(before: &str, last: char, next: char) -> bool {
    let is_flag = |c: char| matches!(c, '\u{1F1E6}'..='\u{1F1FF}');
    if is_flag(last) && is_flag(next) {
        return before.chars().rev().take_while(|c| is_flag(*c)).take(64).count() % 2 == 1;
    }
    last == '\u{200D}'
        || matches!(next,
            '\u{300}'..='\u{36F}' | '\u{200D}' | '\u{20D0}'..='\u{20FF}' | '\u{FE00}'..='\u{FE0F}'
            | '\u{1F3FB}'..='\u{1F3FF}' | '\u{E0020}'..='\u{E007F}')
}

/// True if text at the start of a line would be read as the start of a block, or may be when more arrives.
pub(super) fn begins_block(after: &str) -> bool {
    let first = after.chars().next();
    if !first.is_some_and(|first| first.is_ascii_digit() || "*-+_`~[#>|<".contains(first)) {
        return matches!(first, None | Some('\r' | '\n'));
    }
    let near = after.get(..after.floor_char_boundary(SCAN)).unwrap_or(after);
    let line = near.lines().next().unwrap_or_default();
    let rest = line.trim_start_matches(first.unwrap_or_default());
    let signs = line.len() - rest.len();
    match first {
        Some('*' | '-' | '+') => rest.trim().is_empty() || (signs == 1 && rest.starts_with([' ', '\t'])),
        Some('_') => rest.trim().is_empty(),
        Some('`' | '~') => signs >= 3 || rest.is_empty(),
        Some('[') => line.contains("]:"),
        Some('0'..='9') => {
            let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
            rest.is_empty() || rest.starts_with(['.', ')'])
        }
        _ => true,
    }
}

/// The character and the length of the fence that opens a code block.
pub(super) fn fence(tag: &Tag<'_>, source: &str, at: usize) -> Option<(char, usize)> {
    if !matches!(tag, Tag::CodeBlock(CodeBlockKind::Fenced(_))) {
        return None;
    }
    let opening = source.get(at..)?.trim_start_matches(' ');
    let sign = opening.chars().next()?;
    Some((sign, opening.chars().take_while(|c| *c == sign).count()))
}

/// True if what follows the place would close the fence, or may do so when more of its line arrives.
fn closes(window: &Window<'_>, at: usize, (sign, length): (char, usize)) -> bool {
    let after = at
        .checked_sub(window.lead.len())
        .and_then(|at| window.rest.get(at..))
        .unwrap_or_default()
        .trim_start_matches([' ', '\t']);
    let signs = after.chars().take(SCAN).take_while(|c| *c == sign).count();
    let mut behind = after.chars().skip(signs).skip_while(|c| matches!(c, ' ' | '\t' | '\r'));
    match behind.next() {
        _ if signs == 0 => false,
        Some('\n') => signs >= length,
        None => true,
        Some(_) => signs == SCAN,
    }
}
