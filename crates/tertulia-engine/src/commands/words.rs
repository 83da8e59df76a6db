//! Reading what stands behind a command's name.

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

/// How many are asked for: `usual` if nothing is said; none if it is no number from 1 to `most`.
pub(super) fn how_many(arguments: &str, usual: u32, most: u32) -> Option<u32> {
    if arguments.is_empty() {
        return Some(usual);
    }
    number(arguments).filter(|number| (1..=most).contains(number))
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
        assert_eq!(how_many("", 10, 50), Some(10));
        assert_eq!(how_many("50", 10, 50), Some(50));
        assert_eq!(how_many("51", 10, 50), None);
        assert_eq!(how_many("0", 10, 50), None);
        for word in ["--all", "—all", "–all"] {
            assert_eq!(option(word), Some("all"));
        }
        assert_eq!(option("--"), Some(""));
        assert_eq!(option("all"), None);
    }
}
