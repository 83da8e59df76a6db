//! What came of the files of a turn: what the model gets instead of each.

use std::collections::BTreeMap;

use tertulia_message::Picture;

/// Larger than is taken.
pub const TOO_LARGE: &str = "it is too large";
/// One more than a turn takes.
pub const TOO_MANY: &str = "there are too many files at once";
/// It could not be fetched, or not in time.
pub const NOT_FETCHED: &str = "it could not be fetched";
/// The platform does not have it any more.
pub const GONE: &str = "it is no longer there";
/// Neither a picture nor a text.
pub const UNREADABLE: &str = "files of this kind cannot be read";
/// There is nothing in it.
pub const EMPTY: &str = "it is empty";

/// The longest text of one file that the model gets, in bytes.
const LONGEST_TEXT: usize = 100_000;
/// Stands where a text was cut.
const CUT: &str = "\n[The file goes on; the rest is left out.]";

/// The files of a turn's rows that were fetched, by their handles.
pub type Attachments = BTreeMap<String, Attachment>;

/// What the model gets of one file.
#[derive(Debug, Clone, PartialEq)]
pub enum Attachment {
    /// A picture that it can see.
    Picture(Picture),
    /// The text of the file.
    Text(String),
    /// Nothing but a note: why.
    Note(&'static str),
}

impl Attachment {
    /// What a file is by its content alone: names and declared types are what somebody says.
    #[must_use]
    pub fn of(bytes: Vec<u8>) -> Self {
        if bytes.is_empty() {
            return Self::Note(EMPTY);
        }
        if let Some(mime) = picture_type(&bytes) {
            return Self::Picture(Picture {
                mime: mime.to_owned(),
                bytes: bytes.into(),
            });
        }
        text(&bytes).map_or(Self::Note(UNREADABLE), |text| Self::Text(cut(text, LONGEST_TEXT)))
    }
}

/// Cuts the texts so that all together take about `room` bytes, each as much as every other one.
pub fn fit(attachments: &mut Attachments, room: usize) {
    let is_text = |attachment: &&Attachment| matches!(attachment, Attachment::Text(_));
    let share = room / attachments.values().filter(is_text).count().max(1);
    for attachment in attachments.values_mut() {
        if let Attachment::Text(text) = attachment
            && text.len() > share.saturating_add(CUT.len())
        {
            *text = cut(text.strip_suffix(CUT).unwrap_or(text), share);
        }
    }
}

/// Pictures that models take, by how they begin.
fn picture_type(bytes: &[u8]) -> Option<&'static str> {
    let begins = |with: &[u8]| bytes.starts_with(with);
    if begins(b"\x89PNG\r\n\x1a\n") {
        Some("image/png")
    } else if begins(b"\xff\xd8\xff") {
        Some("image/jpeg")
    } else if begins(b"GIF87a") || begins(b"GIF89a") {
        Some("image/gif")
    } else if begins(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
        Some("image/webp")
    } else {
        None
    }
}

/// The text of a file that is one. What begins as a PDF may look like one, and is still nothing to read.
fn text(bytes: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(bytes).ok()?;
    let is_text = !text.starts_with("%PDF-") && text.bytes().all(is_written);
    is_text.then(|| text.strip_prefix('\u{feff}').unwrap_or(text))
}

/// False for what no text has in it, NUL above all. Recorded terminals go back and escape.
fn is_written(byte: u8) -> bool {
    byte >= b' ' || matches!(byte, b'\t' | b'\n' | b'\r' | 0x08 | 0x0b | 0x0c | 0x1b)
}

/// The beginning of a text, at most `most` bytes, with a mark where it is not all.
fn cut(text: &str, most: usize) -> String {
    let end = text.floor_char_boundary(most);
    match text.get(..end) {
        Some(kept) if end < text.len() => format!("{kept}{CUT}"),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn is_picture(bytes: &[u8], mime: &str) {
        let picture = Picture {
            mime: mime.to_owned(),
            bytes: bytes.into(),
        };
        assert_eq!(Attachment::of(bytes.to_vec()), Attachment::Picture(picture));
    }

    #[test]
    fn pictures_are_known_by_their_content() {
        is_picture(b"\x89PNG\r\n\x1a\n...", "image/png");
        is_picture(b"\xff\xd8\xff\xe0", "image/jpeg");
        is_picture(b"GIF89a.", "image/gif");
        is_picture(b"RIFF\x01\x02\x03\x04WEBPVP8 ", "image/webp");
        for other in [&b"RIFF\x01\x02\x03\x04WAVEfmt "[..], b"\x89PN\xff", b"\xff\xd8"] {
            assert_eq!(Attachment::of(other.to_vec()), Attachment::Note(UNREADABLE));
        }
    }

    #[test]
    fn texts_are_known_by_their_content() {
        for (bytes, expected) in [
            ("hello", Attachment::Text("hello".into())),
            ("\u{feff}héllo\r\n", Attachment::Text("héllo\r\n".into())),
            ("a\0b", Attachment::Note(UNREADABLE)),
            ("%PDF-1.4 plain", Attachment::Note(UNREADABLE)),
            ("", Attachment::Note(EMPTY)),
        ] {
            assert_eq!(Attachment::of(bytes.as_bytes().to_vec()), expected, "{bytes:?}");
        }
    }

    #[test]
    fn long_texts_are_cut_with_a_mark() {
        let Attachment::Text(text) = Attachment::of("é".repeat(LONGEST_TEXT).into_bytes()) else {
            panic!("no text");
        };
        assert_eq!(text, format!("{}{CUT}", "é".repeat(LONGEST_TEXT / 2)));
        let texts = [("a", text), ("b", "x".repeat(500)), ("c", "short".into())];
        let mut all: Attachments = texts
            .map(|(name, text)| (name.to_owned(), Attachment::Text(text)))
            .into();
        fit(&mut all, 301);
        let expected = [
            format!("{}{CUT}", "é".repeat(50)),
            format!("{}{CUT}", "x".repeat(100)),
            "short".to_owned(),
        ];
        assert_eq!(all.into_values().collect::<Vec<_>>(), expected.map(Attachment::Text));
    }
}
