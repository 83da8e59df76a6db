//! Shows source as it is, where its Markdown can not be cut.

use tertulia_message::Markup;

use super::{Weigh, reach};

/// As much of `body` as fits, at least one character, and how many bytes of `text` that is; `body` is how `text`
/// begins, blanks aside.
pub(super) fn take(text: &str, body: &str, limit: usize, weigh: Weigh<'_>) -> (Markup, usize) {
    let all = text.trim_start();
    let start = text.len() - all.len();
    let body = body.trim_start();
    let body = body
        .get(..body.floor_char_boundary(reach(limit)))
        .unwrap_or(body)
        .trim_end();
    let ends: Vec<usize> = body.char_indices().map(|(at, c)| at + c.len_utf8()).collect();
    let shown = |end: usize| Markup::text(body.get(..end).unwrap_or(body).trim_end());
    let count = ends.partition_point(|end| weigh(&shown(*end)) <= limit).max(1);
    let end = ends.get(count - 1).copied().unwrap_or(body.len());
    // blanks at the end go along, so that the rest begins with something to show
    let rest = all.get(end..).unwrap_or_default();
    let blanks = if end == body.len() {
        rest.len() - rest.trim_start().len()
    } else {
        0
    };
    (shown(end), start + end + blanks)
}
