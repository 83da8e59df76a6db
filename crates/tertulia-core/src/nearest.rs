//! The known word that is nearest to an unknown one.

/// The nearest of some known words; none if nothing is known.
#[must_use]
pub fn nearest<'a>(unknown: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // what is longer is no slip of the finger
    let unknown: String = unknown.chars().take(64).collect::<String>().to_lowercase();
    let closeness = |word: &str| strsim::normalized_damerau_levenshtein(&unknown, word);
    known
        .into_iter()
        .max_by(|left, right| closeness(left).total_cmp(&closeness(right)))
}

/// "; known are a, b and c" is too long for a sentence: the nearest one, to be put behind it.
#[must_use]
pub fn hint<'a>(unknown: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(unknown, known).map_or_else(String::new, |word| format!("; the nearest is {word}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_of_the_finger_are_found() {
        let known = ["bind", "port", "token_file", "hosts"];
        for (unknown, expected) in [
            ("prot", "port"),
            ("Port", "port"),
            ("tokenfile", "token_file"),
            ("bnd", "bind"),
        ] {
            assert_eq!(nearest(unknown, known), Some(expected), "{unknown}");
        }
        assert_eq!(nearest("x", []), None);
        assert_eq!(hint("prot", known), "; the nearest is port");
    }
}
