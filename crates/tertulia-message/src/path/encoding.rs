//! Percent-encoding of path segments, as little of it as possible.

use std::borrow::Cow;
use std::fmt::Write;

/// An id as a segment: slashes, percent signs, white space and control characters are escaped.
pub(super) fn encode(id: &str) -> Cow<'_, str> {
    if !id.contains(is_escaped) {
        return Cow::Borrowed(id);
    }
    let mut segment = String::with_capacity(id.len() + 8);
    for character in id.chars() {
        if is_escaped(character) {
            escape(character, &mut segment);
        } else {
            segment.push(character);
        }
    }
    Cow::Owned(segment)
}

/// The id of a segment, decoded once; none for an incomplete escape or bytes that are not UTF-8.
pub(super) fn decode(segment: &str) -> Option<Cow<'_, str>> {
    if !segment.contains('%') {
        return Some(Cow::Borrowed(segment));
    }
    let mut id = Vec::with_capacity(segment.len());
    let mut bytes = segment.bytes();
    while let Some(byte) = bytes.next() {
        id.push(if byte == b'%' {
            hex(bytes.next()?)? << 4 | hex(bytes.next()?)?
        } else {
            byte
        });
    }
    String::from_utf8(id).ok().map(Cow::Owned)
}

/// Empty, or white space only.
pub(super) fn is_blank(id: &str) -> bool {
    id.chars().all(char::is_whitespace)
}

fn is_escaped(character: char) -> bool {
    matches!(character, '/' | '%') || character.is_whitespace() || character.is_control()
}

fn escape(character: char, segment: &mut String) {
    for byte in character.encode_utf8(&mut [0; 4]).bytes() {
        // writing to a string cannot fail
        let _ = write!(segment, "%{byte:02X}");
    }
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit)
        .to_digit(16)
        .and_then(|value| u8::try_from(value).ok())
}
