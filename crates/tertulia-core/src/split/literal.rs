//! Shows source as it is, where its Markdown can not be cut.

use tertulia_message::Markup;

use super::Weigh;

/// As much of the text's first line as fits, at least one character, and how many bytes that is.
pub(super) fn take(text: &str, limit: usize, weigh: Weigh<'_>) -> (Markup, usize) {
    let body = text.trim_start();
    let start = text.len() - body.len();
    let line = body.split('\n').next().unwrap_or_default().trim_end();
    let ends: Vec<usize> = line.char_indices().map(|(at, c)| at + c.len_utf8()).collect();
    let shown = |end: usize| Markup::text(line.get(..end).unwrap_or(line));
    let count = ends.partition_point(|end| weigh(&shown(*end)) <= limit).max(1);
    let end = ends.get(count - 1).copied().unwrap_or(line.len());
    // blanks at the end go along, so that the rest begins with something to show
    let rest = body.get(end..).unwrap_or_default();
    let blanks = if end == line.len() {
        rest.len() - rest.trim_start().len()
    } else {
        0
    };
    (shown(end), start + end + blanks)
}
