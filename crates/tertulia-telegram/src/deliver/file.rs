//! Files that go out: as what they are sent, and how.

use reqwest::multipart::Part;
use tertulia_message::{Attachment, DeliverError};

/// The largest file that a bot may send, in bytes.
const LARGEST: usize = 50 << 20;
/// The largest picture that is shown as one, in bytes.
const LARGEST_PHOTO: usize = 10 << 20;
/// Longer names tell nobody more, in characters.
const LONGEST_NAME: usize = 100;

/// As what a file is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A picture, shown in the chat and made smaller on the way.
    Photo,
    /// Music.
    Audio,
    /// A voice message.
    Voice,
    /// A film.
    Video,
    /// A film without sound that runs by itself.
    Animation,
    /// A file as it is.
    Document,
}

impl Kind {
    /// As what Telegram takes such a file.
    pub(super) fn of(file: &Attachment) -> Self {
        let mime = file
            .mime
            .split(';')
            .next()
            .unwrap_or_default()
            .trim()
            .to_ascii_lowercase();
        match mime.as_str() {
            "image/jpeg" | "image/png" | "image/webp" if file.bytes.len() <= LARGEST_PHOTO => Self::Photo,
            "audio/mpeg" | "audio/mp3" | "audio/mp4" | "audio/m4a" | "audio/x-m4a" => Self::Audio,
            "audio/ogg" | "audio/opus" => Self::Voice,
            "video/mp4" => Self::Video,
            "image/gif" => Self::Animation,
            _ => Self::Document,
        }
    }

    /// The method that sends it.
    pub(super) fn method(self) -> &'static str {
        match self {
            Self::Photo => "sendPhoto",
            Self::Audio => "sendAudio",
            Self::Voice => "sendVoice",
            Self::Video => "sendVideo",
            Self::Animation => "sendAnimation",
            Self::Document => "sendDocument",
        }
    }

    /// The name of the method's parameter for the file.
    pub(super) fn field(self) -> &'static str {
        match self {
            Self::Photo => "photo",
            Self::Audio => "audio",
            Self::Voice => "voice",
            Self::Video => "video",
            Self::Animation => "animation",
            Self::Document => "document",
        }
    }
}

/// The file of a post, if it has one that can be sent. What cannot be sent concerns this message alone, and so must not be taken
/// for a refusal of the conversation.
pub(super) fn the_one(files: &[Attachment]) -> Result<Option<&Attachment>, DeliverError> {
    let malformed = |why: &str| Err(DeliverError::Malformed(why.to_owned()));
    match files {
        [] => Ok(None),
        [file] if file.bytes.is_empty() => malformed("an empty file"),
        [file] if file.bytes.len() > LARGEST => malformed("a file of more than 50 MB"),
        [file] => Ok(Some(file)),
        _ => malformed("more than one file in a message"),
    }
}

/// The file as a part of a form.
pub(super) fn part(file: &Attachment) -> Part {
    let part = || Part::bytes(file.bytes.to_vec()).file_name(name(&file.name));
    part().mime_str(&file.mime).unwrap_or_else(|_| part())
}

/// The name without what could end its field in the form, or lead into a folder.
fn name(name: &str) -> String {
    let is_odd = |c: char| c.is_control() || matches!(c, '"' | '\\' | '/' | ':');
    let plain: String = name
        .chars()
        .take(LONGEST_NAME)
        .map(|c| if is_odd(c) { '_' } else { c })
        .collect();
    if plain.trim().is_empty() {
        "file".to_owned()
    } else {
        plain
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(mime: &str, size: usize) -> Attachment {
        Attachment {
            name: "a".to_owned(),
            mime: mime.to_owned(),
            bytes: vec![1; size].into(),
        }
    }

    #[test]
    fn files_are_sent_as_what_they_are() {
        let cases = [
            ("image/jpeg", Kind::Photo),
            ("image/png", Kind::Photo),
            ("IMAGE/WEBP", Kind::Photo),
            ("image/gif", Kind::Animation),
            ("image/svg+xml", Kind::Document),
            ("audio/mpeg", Kind::Audio),
            ("audio/x-m4a", Kind::Audio),
            ("audio/ogg; codecs=opus", Kind::Voice),
            ("audio/wav", Kind::Document),
            ("video/mp4", Kind::Video),
            ("video/webm", Kind::Document),
            ("application/pdf", Kind::Document),
            ("", Kind::Document),
        ];
        for (mime, kind) in cases {
            assert_eq!(Kind::of(&file(mime, 3)), kind, "{mime}");
        }
        assert_eq!(Kind::of(&file("image/png", LARGEST_PHOTO)), Kind::Photo);
        assert_eq!(Kind::of(&file("image/png", LARGEST_PHOTO + 1)), Kind::Document);
    }

    #[test]
    fn one_file_of_the_right_size_goes() {
        let files = |sizes: &[usize]| sizes.iter().map(|size| file("x/y", *size)).collect::<Vec<_>>();
        assert_eq!(the_one(&[]), Ok(None));
        assert!(matches!(the_one(&files(&[LARGEST])), Ok(Some(_))));
        for sizes in [&[0][..], &[LARGEST + 1], &[1, 1]] {
            assert!(
                matches!(the_one(&files(sizes)), Err(DeliverError::Malformed(_))),
                "{sizes:?}"
            );
        }
    }

    #[test]
    fn a_name_stays_within_its_field() {
        assert_eq!(name("häuser 2.png"), "häuser 2.png");
        assert_eq!(name("../a\"b\r\nX: y\\"), ".._a_b__X_ y_");
        assert_eq!(name(" "), "file");
        assert_eq!(name(&"x".repeat(500)).len(), LONGEST_NAME);
    }
}
