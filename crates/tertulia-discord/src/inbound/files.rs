//! The files of a message, by which they can be fetched later.

use tertulia_message::FileRef;

use super::people::clean;
use crate::files::Handle;
use crate::ids::Snowflake;
use crate::wire::{Attachment, Message, Sticker};

/// The most files of one message.
const MOST: usize = 10;
/// Discord's number of an animation that is no picture.
const LOTTIE: u64 = 3;
const GIF: u64 = 4;

/// The files of a message, of what it forwards, and the pictures of its stickers.
pub(super) fn files(message: &Message) -> Vec<FileRef> {
    let (Some(channel), Some(id)) = (message.channel, message.id) else {
        return Vec::new();
    };
    let all = || std::iter::once(message).chain(&message.forwarded);
    let attachments = all()
        .flat_map(|part| &part.attachments)
        .map(|file| attachment(channel, id, file));
    let stickers = all().flat_map(|part| &part.stickers);
    let stickers = stickers.filter_map(|file| sticker(channel, id, file));
    attachments.chain(stickers).take(MOST).collect()
}

fn attachment(channel: Snowflake, message: Snowflake, file: &Attachment) -> FileRef {
    let name = clean(&file.name);
    let mime = file.mime.as_deref().and_then(|mime| mime.split(';').next());
    FileRef {
        handle: handle(channel, message, file.id, file.url.clone()),
        name: if name.is_empty() { "file".to_owned() } else { name },
        mime: mime.map(|mime| mime.trim().to_ascii_lowercase()),
        size: file.size,
    }
}

fn sticker(channel: Snowflake, message: Snowflake, sticker: &Sticker) -> Option<FileRef> {
    let (host, kind) = match sticker.format {
        LOTTIE => return None,
        GIF => ("media.discordapp.net", "gif"),
        _ => ("cdn.discordapp.com", "png"),
    };
    let url = format!("https://{host}/stickers/{}.{kind}", sticker.id);
    Some(FileRef {
        handle: handle(channel, message, sticker.id, url),
        name: format!("sticker.{kind}"),
        mime: Some(format!("image/{kind}")),
        size: None,
    })
}

fn handle(channel: Snowflake, message: Snowflake, file: Snowflake, url: String) -> String {
    Handle {
        channel,
        message,
        file,
        url,
    }
    .to_string()
}
