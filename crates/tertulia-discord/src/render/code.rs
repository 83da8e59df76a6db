//! Code, which Discord takes as it is: only the sign that would end it is kept from doing so.

use super::chars::{self, APART};

/// The longest name of a programming language, in characters.
const LONGEST_LANGUAGE: usize = 32;
/// What a fence is: Discord knows no longer one.
pub(super) const FENCE: &str = "```";

/// Code in running text, with its signs; none if it shows nothing.
pub(super) fn span(code: &str) -> Option<String> {
    let code = apart(&one_line(code), 2);
    if !chars::is_visible(&code) {
        return None;
    }
    // two signs outside, since three would be a fence
    let sign = if code.contains('`') { "``" } else { "`" };
    let edge = |is_sign: bool| if is_sign { " " } else { "" };
    let (before, behind) = (edge(code.starts_with('`')), edge(code.ends_with('`')));
    Some(format!("{sign}{before}{code}{behind}{sign}"))
}

/// Code in running text, without signs, on one line.
pub(super) fn one_line(code: &str) -> String {
    let code: String = code.chars().filter_map(chars::clean).collect();
    code.replace('\n', " ").trim().to_owned()
}

/// The lines of a block of code, without its fences; none if it shows nothing.
pub(super) fn block(text: &str) -> Option<String> {
    let text: String = text.chars().filter_map(chars::clean_code).collect();
    let body = text.trim_end();
    // blank lines before it are not shown
    let blank = body.len() - body.trim_start().len();
    let first = body.get(..blank).and_then(|before| before.rfind('\n'));
    let body = body.get(first.map_or(0, |end| end + 1)..).unwrap_or(body);
    chars::is_visible(body).then(|| apart(body, FENCE.len()))
}

/// The name of a language as clients know it; empty if nothing is left.
pub(super) fn language(language: &str) -> String {
    let is_part = |c: &char| c.is_ascii_alphanumeric() || "+-#._".contains(*c);
    let name = language
        .trim_start_matches(|c: char| !c.is_ascii_alphanumeric())
        .chars();
    name.take_while(is_part).take(LONGEST_LANGUAGE).collect()
}

/// The text in which never so many ticks stand in a row.
fn apart(text: &str, many: usize) -> String {
    let mut out = String::with_capacity(text.len());
    let mut row = 0;
    for c in text.chars() {
        row = if c == '`' { row + 1 } else { 0 };
        if row == many {
            out.push(APART);
            row = 1;
        }
        out.push(c);
    }
    out
}
