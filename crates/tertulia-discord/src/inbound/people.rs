//! The names that people see.

use crate::wire::User;

/// Longer names are cut, in characters.
const LONGEST: usize = 130;

/// The name of a user; without one its id.
pub(super) fn name(user: &User) -> String {
    let name = clean(&user.name);
    if name.is_empty() { user.id.to_string() } else { name }
}

/// On one line, without marks that turn the direction of what stands behind them.
pub(super) fn clean(name: &str) -> String {
    let shown = |c: char| if c.is_control() { ' ' } else { c };
    let is_shown = |c: &char| !matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}');
    let text: String = name.chars().map(shown).filter(is_shown).take(4 * LONGEST).collect();
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().take(LONGEST).collect()
}
