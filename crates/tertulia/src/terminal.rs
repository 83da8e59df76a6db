//! What a terminal may be shown: texts of people, models and servers must not steer it.

/// A text of several lines without what would steer a terminal.
pub(crate) fn harmless(text: &str) -> String {
    let is_harmless = |letter: &char| matches!(letter, '\n' | '\t') || !letter.is_control();
    text.chars().filter(is_harmless).collect()
}

/// The same as one line.
pub(crate) fn one_line(text: &str) -> String {
    harmless(text).replace(['\n', '\t'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_left_that_steers_a_terminal() {
        let text = "a\u{1b}[2J\u{9b}31m\u{7}\r\n\tb\u{7f}ä";
        assert_eq!(harmless(text), "a[2J31m\n\tbä");
        assert_eq!(one_line(text), "a[2J31m  bä");
    }
}
