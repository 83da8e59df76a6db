//! Reading what stands behind a command's name.

use super::Refusal;

/// The first word, and what stands behind it.
pub(super) fn first(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    (word, rest.trim())
}

/// A whole number in plain digits.
pub(super) fn number(text: &str) -> Option<u32> {
    let is_plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_plain.then(|| text.parse().ok())?
}

/// How many are asked for: `usual` if nothing is said.
///
/// # Errors
/// It is no number from 1 to `most`; of what says which.
pub(super) fn how_many(arguments: &str, usual: u32, most: u32, of_what: &str) -> Result<u32, Refusal> {
    if arguments.is_empty() {
        return Ok(usual);
    }
    let asked = number(arguments).filter(|asked| *asked > 0).ok_or(Refusal::Usage)?;
    if asked > most {
        return Err(Refusal::Said(format!(
            "That is too many: I can show at most {most} {of_what}."
        )));
    }
    Ok(asked)
}

/// The name of an option such as `--all`; phones make one dash of two hyphens.
pub(super) fn option(word: &str) -> Option<&str> {
    ["--", "—", "–"].into_iter().find_map(|dash| word.strip_prefix(dash))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_numbers_and_options() {
        assert_eq!(first("  a  b c "), ("a", "b c"));
        assert_eq!(first(""), ("", ""));
        assert_eq!(first("a\nb"), ("a", "b"));
        for (text, expected) in [
            ("7", Some(7)),
            ("007", Some(7)),
            ("", None),
            ("-1", None),
            ("+1", None),
            ("٣", None),
            ("4294967296", None),
        ] {
            assert_eq!(number(text), expected, "{text}");
        }
        let lines = |text| how_many(text, 10, 50, "lines");
        assert_eq!(lines("").unwrap(), 10);
        assert_eq!(lines("50").unwrap(), 50);
        assert!(matches!(lines("51"), Err(Refusal::Said(text)) if text.contains("at most 50 lines")));
        assert!(matches!(lines("0"), Err(Refusal::Usage)));
        for word in ["--all", "—all", "–all"] {
            assert_eq!(option(word), Some("all"));
        }
        assert_eq!(option("--"), Some(""));
        assert_eq!(option("all"), None);
    }
}
