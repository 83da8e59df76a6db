//! Where an accepted event goes: to a command, to a turn, or nowhere.

/// Reads `/name arguments`; the name in lower case, without an addressee such as `@bot`.
///
/// Text that only looks like a path (`/etc/passwd`) or has no name is not a command.
#[must_use]
pub fn split_command(text: &str) -> Option<(String, String)> {
    let rest = text.trim_start().strip_prefix('/')?;
    let (word, arguments) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let name = word.split_once('@').map_or(word, |(name, _)| name);
    let is_name = !name.is_empty() && name.len() <= 32 && name.chars().all(|c| c.is_ascii_alphabetic() || c == '_');
    is_name.then(|| (name.to_lowercase(), arguments.trim().to_owned()))
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
    }
}
