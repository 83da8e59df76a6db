//! Which texts begin as a command does.

/// What stands behind the slash, if a text begins with one: marks that nobody sees do not count, as they do not count for whoever
/// reads the command later.
pub(crate) fn behind_slash(text: &str) -> Option<&str> {
    text.trim_start_matches(is_unseen).strip_prefix('/')
}

fn is_unseen(c: char) -> bool {
    let is_mark = matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    c.is_whitespace() || c.is_control() || is_mark
}
