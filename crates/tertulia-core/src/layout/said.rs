//! What one person said in one go, as the parts of one message: words, what they are about, and files.

use serde_json::Value;
use tertulia_message::FileRef;

use super::quotation::{named, quotation};
use crate::attachment::{Attachment, Attachments, NOT_FETCHED};
use crate::chat::Part;
use crate::record::MessageBody;

/// What the model gets of files.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sight<'a> {
    pub(super) attachments: &'a Attachments,
    /// True if the model sees pictures.
    pub(super) vision: bool,
}

/// The bodies as one message. Those of one text that was split are put together without a break; else each stands for itself,
/// its pictures behind its words.
pub(super) fn parts(bodies: &[&MessageBody], is_one_text: bool, sight: Sight<'_>) -> Vec<Part> {
    let is_wordless = bodies.iter().all(|body| body.text.is_empty());
    let mut parts = Vec::new();
    if is_one_text || is_wordless {
        let text: String = bodies.iter().map(|body| body.text.as_str()).collect();
        let files = bodies.iter().flat_map(|body| &body.files);
        add(&mut parts, text, files, is_wordless, sight);
    } else {
        for body in bodies {
            add(&mut parts, body.text.clone(), body.files.iter(), false, sight);
        }
    }
    begin_with(&lead(bodies), &mut parts);
    parts
}

/// What stands before the words: what they are about, and outside direct conversations the speaker's name, as quoted data.
fn lead(bodies: &[&MessageBody]) -> String {
    let quoted = bodies.iter().find_map(|body| body.quoted.as_ref());
    let mut lead = quoted.map(quotation).unwrap_or_default();
    if !lead.is_empty() {
        lead.push('\n');
    }
    if let Some(first) = bodies
        .first()
        .filter(|first| !first.direct && !first.speaker.is_empty())
    {
        lead.push_str(&Value::from(first.speaker.as_str()).to_string());
        lead.push_str(": ");
    }
    lead
}

fn begin_with(lead: &str, parts: &mut Vec<Part>) {
    match parts.first_mut() {
        Some(Part::Text(text)) => text.insert_str(0, lead),
        Some(Part::Picture(_)) if lead.is_empty() => {}
        _ => parts.insert(0, Part::Text(lead.to_owned())),
    }
}

/// Where nobody says a word, pictures are named.
fn add<'a>(
    parts: &mut Vec<Part>,
    text: String,
    files: impl Iterator<Item = &'a FileRef>,
    name_pictures: bool,
    sight: Sight<'_>,
) {
    let mut paragraphs = vec![text];
    let mut pictures = Vec::new();
    for file in files {
        match sight.attachments.get(&file.handle) {
            Some(Attachment::Picture(picture)) if sight.vision => {
                pictures.push(Part::Picture(picture.clone()));
                paragraphs.extend(name_pictures.then(|| format!("[{}]", labelled("Picture", file))));
            }
            Some(Attachment::Picture(_)) => {
                let label = labelled("Picture", file);
                paragraphs.push(format!("[{label} was sent, which you cannot see.]"));
            }
            Some(Attachment::Text(text)) => paragraphs.push(document(file, text)),
            Some(Attachment::Note(why)) => paragraphs.push(unread(file, why)),
            None => paragraphs.push(unread(file, NOT_FETCHED)),
        }
    }
    paragraphs.retain(|paragraph| !paragraph.is_empty());
    if !paragraphs.is_empty() {
        parts.push(Part::Text(paragraphs.join("\n\n")));
    }
    parts.extend(pictures);
}

/// A text file between fences that it cannot close.
fn document(file: &FileRef, text: &str) -> String {
    let longest = text.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    let end = if text.ends_with('\n') { "" } else { "\n" };
    format!("{}:\n{fence}\n{text}{end}{fence}", labelled("File", file))
}

fn unread(file: &FileRef, why: &str) -> String {
    let mime = file.mime.as_deref().filter(|mime| !mime.is_empty()).map(|mime| {
        let kept = mime.chars().filter(char::is_ascii_graphic);
        kept.take(100).collect::<String>()
    });
    let facts: Vec<String> = mime.into_iter().chain(file.size.map(size)).collect();
    let facts = if facts.is_empty() {
        String::new()
    } else {
        format!(" ({})", facts.join(", "))
    };
    format!(
        "[{}{facts} was sent, which you do not get: {why}.]",
        labelled("File", file)
    )
}

fn labelled(what: &str, file: &FileRef) -> String {
    if file.name.is_empty() {
        what.to_owned()
    } else {
        format!("{what} {}", named(&file.name))
    }
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{} kB", bytes / 1_000),
        _ => format!("{}.{} MB", bytes / 1_000_000, bytes % 1_000_000 / 100_000),
    }
}

#[cfg(test)]
mod tests {
    use tertulia_message::{Picture, Quoted};

    use super::*;
    use crate::attachment::TOO_LARGE;

    fn file(handle: &str) -> FileRef {
        FileRef {
            handle: handle.into(),
            name: format!("{handle}.x"),
            mime: Some("a/b".into()),
            size: Some(12_345),
        }
    }

    fn body(text: &str, files: &[&str]) -> MessageBody {
        MessageBody {
            text: text.into(),
            speaker: "ann".into(),
            direct: true,
            files: files.iter().map(|handle| file(handle)).collect(),
            ..MessageBody::default()
        }
    }

    fn picture(bytes: &str) -> Picture {
        Picture {
            mime: "image/png".into(),
            bytes: bytes.as_bytes().into(),
        }
    }

    /// The parts as text, with pictures in angle brackets.
    fn laid_out(bodies: &[MessageBody], is_one_text: bool, vision: bool) -> Vec<String> {
        let attachments = Attachments::from([
            ("p".to_owned(), Attachment::Picture(picture("1"))),
            ("q".to_owned(), Attachment::Picture(picture("2"))),
            ("t".to_owned(), Attachment::Text("a ```` b".to_owned())),
            ("n".to_owned(), Attachment::Note(TOO_LARGE)),
        ]);
        let attachments = &attachments;
        let bodies: Vec<&MessageBody> = bodies.iter().collect();
        let parts = parts(&bodies, is_one_text, Sight { attachments, vision });
        let shown = |part| match part {
            Part::Text(text) => text,
            Part::Picture(picture) => format!("<{}>", String::from_utf8_lossy(&picture.bytes)),
        };
        parts.into_iter().map(shown).collect()
    }

    #[test]
    fn an_album_is_one_message_with_its_captions() {
        let album = [body("look", &["p"]), body("", &["q"]), body("and", &["p"])];
        assert_eq!(laid_out(&album, false, true), ["look", "<1>", "<2>", "and", "<1>"]);
    }

    #[test]
    fn a_split_text_has_no_break_in_the_middle() {
        let paste = [body("one wo", &[]), body("rd\n", &["p"]), body("\nend", &[])];
        assert_eq!(laid_out(&paste, true, true), ["one word\n\nend", "<1>"]);
    }

    #[test]
    fn files_without_words_make_a_message() {
        assert_eq!(laid_out(&[body("", &["p"])], false, true), ["[Picture \"p.x\"]", "<1>"]);
        assert_eq!(
            laid_out(&[body("", &["p"])], false, false),
            ["[Picture \"p.x\" was sent, which you cannot see.]"]
        );
        assert_eq!(laid_out(&[body("", &[])], false, false), [""]);
    }

    #[test]
    fn what_is_no_picture_is_told_in_words() {
        assert_eq!(
            laid_out(&[body("see", &["t", "n", "absent"])], false, true),
            ["see\n\n\
              File \"t.x\":\n`````\na ```` b\n`````\n\n\
              [File \"n.x\" (a/b, 12 kB) was sent, which you do not get: it is too large.]\n\n\
              [File \"absent.x\" (a/b, 12 kB) was sent, which you do not get: it could not be fetched.]"]
        );
        let sizes = [(999, "999 bytes"), (1_000, "1 kB"), (2_500_000, "2.5 MB")];
        for (bytes, expected) in sizes {
            assert_eq!(size(bytes), expected);
        }
    }

    #[test]
    fn the_speaker_is_named_once_behind_what_is_quoted() {
        let quoted = Some(Quoted {
            who: String::new(),
            text: "hi".into(),
        });
        let said = |text: &str, files: &[&str]| MessageBody {
            direct: false,
            quoted: quoted.clone(),
            ..body(text, files)
        };
        let expected = ["> In reply to you:\n> hi\n\n\"ann\": a", "b"];
        assert_eq!(laid_out(&[said("a", &[]), said("b", &[])], false, true), expected);
        let album = [said("", &["p"]), said("b", &["q"])];
        let expected = ["> In reply to you:\n> hi\n\n\"ann\": ", "<1>", "b", "<2>"];
        assert_eq!(laid_out(&album, false, true), expected);
        let forged = MessageBody {
            speaker: "A\"\n".into(),
            direct: false,
            ..body("hi", &[])
        };
        assert_eq!(laid_out(&[forged], false, true), ["\"A\\\"\\n\": hi"]);
    }
}
