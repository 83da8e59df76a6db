//! The files of a message, by which they can be fetched later.

use tertulia_message::FileRef;

use super::people::clean;
use crate::wire::{FileMeta, Message, PhotoSize};

/// At most one: Telegram's messages have no more, and albums are several messages.
pub(super) fn files(message: &Message, largest: u64) -> Vec<FileRef> {
    // an animation comes as a document too, for programs that do not know animations
    let file = photo(&message.photo, largest)
        .or_else(|| file(message.animation.as_ref(), "animation.mp4", "video/mp4"))
        .or_else(|| file(message.document.as_ref(), "file", "application/octet-stream"))
        .or_else(|| file(message.audio.as_ref(), "audio.mp3", "audio/mpeg"))
        .or_else(|| file(message.voice.as_ref(), "voice.ogg", "audio/ogg"))
        .or_else(|| file(message.video.as_ref(), "video.mp4", "video/mp4"))
        .or_else(|| file(message.video_note.as_ref(), "video_note.mp4", "video/mp4"));
    file.into_iter().collect()
}

/// The largest size that may be fetched.
fn photo(sizes: &[PhotoSize], largest: u64) -> Option<FileRef> {
    let area = |size: &&PhotoSize| size.width.saturating_mul(size.height);
    let fits = |size: &&PhotoSize| size.file_size.is_none_or(|bytes| bytes <= largest);
    let best = sizes.iter().filter(fits).max_by_key(area);
    let size = best.or_else(|| sizes.iter().min_by_key(area))?;
    Some(FileRef {
        handle: size.file_id.clone(),
        name: "photo.jpg".to_owned(),
        mime: Some("image/jpeg".to_owned()),
        size: size.file_size,
    })
}

fn file(meta: Option<&FileMeta>, usual_name: &str, usual_mime: &str) -> Option<FileRef> {
    let meta = meta?;
    let titled = [&meta.performer, &meta.title].map(|word| clean(word)).join(" ");
    let names = [clean(&meta.file_name), titled.trim().to_owned()];
    let name = names.into_iter().find(|name| !name.is_empty());
    Some(FileRef {
        handle: meta.file_id.clone(),
        name: name.unwrap_or_else(|| usual_name.to_owned()),
        mime: Some(meta.mime_type.clone().unwrap_or_else(|| usual_mime.to_owned())),
        size: meta.file_size,
    })
}

/// Of which kind the message's file is, by the name of its field.
pub(super) fn kind(message: &Message) -> Option<&'static str> {
    let kinds = [
        ("photo", !message.photo.is_empty()),
        ("animation", message.animation.is_some()),
        ("document", message.document.is_some()),
        ("audio", message.audio.is_some()),
        ("voice", message.voice.is_some()),
        ("video", message.video.is_some()),
        ("video_note", message.video_note.is_some()),
    ];
    kinds.into_iter().find_map(|(kind, is_there)| is_there.then_some(kind))
}
