//! Where an accepted event goes: to a command, to a turn, or nowhere.

/// The longest name of a command, in bytes.
const LONGEST_NAME: usize = 32;
/// The longest word that can be a name with its addressee, in characters: Matrix has ids of 255 bytes.
const LONGEST_WORD: usize = 300;

/// Reads `/name arguments`; the name in lower case, without an addressee such as `@bot`. Whether the addressee is this bot
/// is not looked at: an interface does not hand in as addressed to us what is addressed to another bot.
///
/// Text that only looks like a path (`/etc/passwd`) or has no name is not a command. Marks that nobody sees, such as those
/// for the direction of writing, are no part of the name. Only the beginning of a long text is looked at.
#[must_use]
pub fn split_command(text: &str) -> Option<(String, String)> {
    let rest = text.trim_start_matches(is_blank).strip_prefix('/')?;
    let end = rest.char_indices().take(LONGEST_WORD).find(|(_, c)| c.is_whitespace());
    let (word, arguments) = match end {
        Some((end, _)) => rest.split_at_checked(end)?,
        None if rest.len() <= LONGEST_WORD => (rest, ""),
        None => return None,
    };
    let name = word.split_once('@').map_or(word, |(name, _)| name);
    let name = command_name(name.trim_matches(is_blank))?;
    Some((name, arguments.trim_matches(is_blank).to_owned()))
}

/// The name of a command in lower case, if it can be one: ASCII letters and underscores, 32 at most.
#[must_use]
pub fn command_name(name: &str) -> Option<String> {
    let is_name = !name.is_empty()
        && name.len() <= LONGEST_NAME
        && name.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    is_name.then(|| name.to_ascii_lowercase())
}

/// White space, and marks that nobody sees.
fn is_blank(c: char) -> bool {
    let is_mark = matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}');
    c.is_whitespace() || is_mark
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<(&str, &str)>) {
        let got = split_command(text);
        assert_eq!(
            got.as_ref()
                .map(|(name, arguments)| (name.as_str(), arguments.as_str())),
            expected
        );
    }

    #[test]
    fn commands_are_told_from_text() {
        check("/help", Some(("help", "")));
        check("/Say@my_bot  a b ", Some(("say", "a b")));
        check("/new\nplease", Some(("new", "please")));
        check("/etc/passwd", None);
        check("/", None);
        check("/ help", None);
        check("hello", None);
        check("/1", None);
        check("", None);
        check("/@my_bot", None);
        check("/help@", Some(("help", "")));
        check("/help@a@b x", Some(("help", "x")));
    }

    #[test]
    fn what_nobody_sees_does_not_matter() {
        check("/allow\u{a0}x", Some(("allow", "x")));
        check("/allow\u{3000}x\u{2003}y", Some(("allow", "x\u{2003}y")));
        check("\u{200f}/help\u{200e}", Some(("help", "")));
        check("\u{feff} \u{202b}/help \u{200f}x\u{202c}", Some(("help", "x")));
        check("/he\u{200b}lp", None);
        check("/\u{43d}elp", None);
        check("/help\u{0}", None);
    }

    #[test]
    fn much_text_is_looked_at_only_as_far_as_needed() {
        let huge = "x".repeat(10 << 20);
        check(&format!("/{huge}"), None);
        check(&format!("/help@{huge} x"), None);
        check(&format!("/say {huge}"), Some(("say", &huge)));
        check(&format!("/{}", "n".repeat(32)), Some((&"n".repeat(32), "")));
        check(&format!("/{}", "n".repeat(33)), None);
        let word = format!("/help@{}", "é".repeat(200));
        check(&word, None);
        check(&format!("{word} x"), Some(("help", "x")));
    }
}
