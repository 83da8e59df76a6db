//! Single characters: which are left out, and which show nothing.

use unicode_width::UnicodeWidthChar;

/// Shows nothing, and keeps two signs apart.
pub(super) const APART: char = '\u{200B}';

/// What becomes of a character; none if it is left out.
pub(super) fn clean(c: char) -> Option<char> {
    match c {
        '\t' | '\u{B}' | '\u{C}' => Some(' '),
        '\n' | '\u{85}' | '\u{2028}' | '\u{2029}' => Some('\n'),
        // what turns the direction of everything behind it
        '\u{202A}'..='\u{202E}' => None,
        c if c.is_control() => None,
        c => Some(c),
    }
}

/// What becomes of a character of code: tabulators stay.
pub(super) fn clean_code(c: char) -> Option<char> {
    if c == '\t' { Some(c) } else { clean(c) }
}

/// False for what Discord may call empty.
pub(super) fn is_visible(text: &str) -> bool {
    text.chars().any(|c| !is_invisible(c))
}

fn is_invisible(c: char) -> bool {
    c.is_whitespace()
        || c.width().is_none_or(|width| width == 0)
        || matches!(c, '\u{AD}' | '\u{115F}' | '\u{1160}' | '\u{180E}' | '\u{2800}' | '\u{3164}' | '\u{FFA0}' | '\u{FFFC}'
            | '\u{200B}'..='\u{200F}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}' | '\u{E0000}'..='\u{E0FFF}')
}
