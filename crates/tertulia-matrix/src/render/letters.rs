//! Letters that go out: without those that would be invalid, or take six bytes and show nothing.

/// True for what is left out: control characters but line breaks and tabs.
pub(super) fn is_left_out(c: char) -> bool {
    c.is_control() && c != '\n' && c != '\t'
}

/// A text without what is left out.
pub(super) fn clean(text: &str) -> String {
    if !text.contains(is_left_out) {
        return text.to_owned();
    }
    text.replace("\r\n", "\n").replace(is_left_out, "")
}
