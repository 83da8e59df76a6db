//! What Telegram does to single characters: some it takes away, some it does not see.

use unicode_width::UnicodeWidthChar;

/// True for a character that [`clean`] may change.
pub(super) fn needs_care(c: char) -> bool {
    !matches!(c, ' '..='~' | '\u{A0}'..='\u{2FF}' | '\u{370}'..='\u{2027}' | '\u{202F}'..)
}

/// What becomes of a character; none if Telegram would take it away.
pub(super) fn clean(c: char) -> Option<char> {
    match c {
        ' '..='~' | '\n' => Some(c),
        '\t' | '\u{B}' | '\u{C}' => Some(' '),
        '\u{85}' | '\u{2028}' | '\u{2029}' => Some('\n'),
        // controls, embeddings of a direction, and the strokes with which texts are defaced
        '\0'..='\u{1F}' | '\u{7F}'..='\u{9F}' | '\u{202A}'..='\u{202E}' | '\u{30A}' | '\u{333}' | '\u{33F}' => None,
        _ => Some(c),
    }
}

/// The one character for a letter with a ring: Telegram takes away the ring that stands apart.
pub(super) fn with_ring(letter: char) -> Option<char> {
    match letter {
        'A' => Some('Å'),
        'a' => Some('å'),
        'U' => Some('Ů'),
        'u' => Some('ů'),
        _ => None,
    }
}

/// The ring that stands apart from its letter.
pub(super) const RING: char = '\u{30A}';

/// False for what Telegram may call empty.
pub(super) fn is_visible(text: &str) -> bool {
    text.chars().any(|c| !is_invisible(c))
}

fn is_invisible(c: char) -> bool {
    c.is_whitespace()
        || c.width().is_none_or(|width| width == 0)
        || matches!(c,
            // fillers, the blank of Braille, and others that Telegram counts as blanks
            '\u{AD}' | '\u{115F}' | '\u{1160}' | '\u{180E}' | '\u{2800}' | '\u{3164}' | '\u{FFA0}' | '\u{FFFC}'
            | '\u{200B}'..='\u{200F}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}' | '\u{E0000}'..='\u{E0FFF}')
}

/// Code as it is shown: Telegram makes one blank of a tabulator, which would spoil every indentation.
pub(super) fn code(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut column = 0;
    for c in text.chars() {
        match c {
            '\t' => {
                let blanks = 4 - column % 4;
                out.extend(std::iter::repeat_n(' ', blanks));
                column += blanks;
            }
            '\n' => {
                out.push(c);
                column = 0;
            }
            _ => {
                out.push(c);
                column += c.width().unwrap_or(0);
            }
        }
    }
    out
}
