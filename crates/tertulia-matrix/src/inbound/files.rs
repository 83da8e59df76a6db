//! The file of a message, with all that is needed to fetch it later.

use serde_json::{Map, Value, json};
use tertulia_message::FileRef;

use super::people::clean;
use crate::fields::Fields;
use crate::ids;

/// Longer keys and hashes are none, in characters.
const LONGEST_WORD: usize = 200;

/// The file of a message; none if it has none that could be fetched.
///
/// Its handle is what the client library calls the source of a medium: `{"url": ..}`, or `{"file": ..}` with the key that
/// decrypts it, which makes the handle a secret.
pub(super) fn file(msgtype: &str, content: &Fields<'_>) -> Option<FileRef> {
    let (usual_name, usual_mime) = usual(msgtype, content)?;
    let info = content.object("info");
    let names = [content.text("filename"), content.text("body")].into_iter().flatten();
    let name = names.map(|name| file_name(&name)).find(|name| !name.is_empty());
    Some(FileRef {
        handle: source(content)?.to_string(),
        name: name.unwrap_or_else(|| usual_name.to_owned()),
        mime: Some(
            info.text("mimetype")
                .filter(|mime| is_mime(mime))
                .unwrap_or_else(|| usual_mime.to_owned()),
        ),
        size: info.number("size").and_then(|size| u64::try_from(size).ok()),
    })
}

/// True for a message that is there for its file.
pub(super) fn is_file(msgtype: &str) -> bool {
    matches!(msgtype, "m.image" | "m.file" | "m.audio" | "m.video" | "m.sticker")
}

/// Of which kind a file is, for whoever cannot get it.
pub(super) fn kind(msgtype: &str, content: &Fields<'_>) -> &'static str {
    match msgtype {
        "m.image" => "a picture",
        "m.audio" if is_voice(content) => "a voice message",
        "m.audio" => "a piece of sound",
        "m.video" => "a video",
        "m.sticker" => "a sticker",
        _ => "a file",
    }
}

/// What was said about the file: a body is its name, unless the name stands elsewhere.
pub(super) fn caption(content: &Fields<'_>) -> Option<String> {
    let (name, body) = (content.text("filename")?, content.text("body")?);
    (!name.is_empty() && name != body).then_some(body)
}

fn usual(msgtype: &str, content: &Fields<'_>) -> Option<(&'static str, &'static str)> {
    Some(match msgtype {
        "m.image" => ("picture.jpg", "image/jpeg"),
        "m.sticker" => ("sticker.png", "image/png"),
        "m.audio" if is_voice(content) => ("voice.ogg", "audio/ogg"),
        "m.audio" => ("audio.mp3", "audio/mpeg"),
        "m.video" => ("video.mp4", "video/mp4"),
        "m.file" => ("file", "application/octet-stream"),
        _ => return None,
    })
}

fn is_voice(content: &Fields<'_>) -> bool {
    content.has("org.matrix.msc3245.voice") || content.has("org.matrix.msc3245.voice.v2") || content.has("m.voice")
}

fn source(content: &Fields<'_>) -> Option<Value> {
    if content.has("file") {
        return encrypted(&content.object("file")).map(|file| json!({ "file": file }));
    }
    let url = content.text("url").filter(|url| ids::is_mxc(url))?;
    Some(json!({ "url": url }))
}

/// Only the fields that decrypting needs: the rest is whatever somebody likes.
fn encrypted(file: &Fields<'_>) -> Option<Value> {
    let (key, hashes) = (file.object("key"), file.object("hashes"));
    let sha256 = word(&hashes, "sha256")?;
    let operations: Vec<String> = key.texts("key_ops");
    let is_usable = |operations: &[String]| operations.iter().any(|operation| operation == "decrypt");
    let mut made = Map::new();
    made.insert("kty".to_owned(), word(&key, "kty")?.into());
    made.insert("key_ops".to_owned(), operations.as_slice().into());
    made.insert("alg".to_owned(), word(&key, "alg")?.into());
    made.insert("k".to_owned(), word(&key, "k")?.into());
    made.insert("ext".to_owned(), key.flag("ext").into());
    let file = json!({
        "url": file.text("url").filter(|url| ids::is_mxc(url))?,
        "key": made,
        "iv": word(file, "iv")?,
        "hashes": { "sha256": sha256 },
        "v": word(file, "v")?,
    });
    is_usable(&operations).then_some(file)
}

fn word(fields: &Fields<'_>, key: &str) -> Option<String> {
    let is_word = |text: &String| {
        !text.is_empty() && text.len() <= LONGEST_WORD && text.bytes().all(|byte| byte.is_ascii_graphic())
    };
    fields.text(key).filter(is_word)
}

/// The last part of a name that may look like a path.
fn file_name(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let cleaned = clean(last);
    cleaned.trim_start_matches('.').trim().to_owned()
}

fn is_mime(text: &str) -> bool {
    let is_part = |part: &str| {
        !part.is_empty()
            && part
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-+._".contains(&byte))
    };
    let bare = text.split(';').next().unwrap_or_default().trim();
    text.len() <= LONGEST_WORD
        && !text.contains(char::is_control)
        && bare
            .split_once('/')
            .is_some_and(|(kind, of)| is_part(kind) && is_part(of))
}
