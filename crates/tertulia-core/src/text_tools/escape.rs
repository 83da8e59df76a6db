//! Texts between tags and in attributes.

/// The longest escape behind its `&`, in bytes; some are padded with zeros.
const LONGEST: usize = 32;

/// A text that stands between tags, or in an attribute.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// The text again. What is no escape stays as it is: models forget to write some.
pub(super) fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('&') {
        out.push_str(before);
        let near = behind.get(..behind.floor_char_boundary(LONGEST)).unwrap_or(behind);
        let known = near.split_once(';').and_then(|(name, _)| {
            let after = behind.get(name.len() + 1..)?;
            Some((letter(name)?, after))
        });
        let (letter, after) = known.unwrap_or(('&', behind));
        out.push(letter);
        rest = after;
    }
    out + rest
}

fn letter(name: &str) -> Option<char> {
    match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => {
            let number = name.strip_prefix('#')?;
            let number = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(number)
        }
    }
}

/// Like [`escaped`], where line breaks at both ends would be taken for layout.
pub(super) fn escaped_value(text: &str) -> String {
    let text = escaped(text);
    let begin = text.len() - text.trim_start_matches(['\n', '\r']).len();
    let (breaks, text) = text.split_at(begin);
    let end = text.trim_end_matches(['\n', '\r']).len();
    let (text, after) = text.split_at(end);
    let written = |breaks: &str| breaks.replace('\n', "&#10;").replace('\r', "&#13;");
    format!("{}{text}{}", written(breaks), written(after))
}

/// What [`escaped_value`] was made of; a line break at each end that stands there as it is, is layout.
pub(super) fn unescaped_value(text: &str) -> String {
    let text = text.strip_prefix('\r').unwrap_or(text);
    let text = text.strip_prefix('\n').unwrap_or(text);
    let text = text.strip_suffix('\n').unwrap_or(text);
    unescaped(text.strip_suffix('\r').unwrap_or(text))
}
