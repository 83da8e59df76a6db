//! Files that the bot sends.

use serde_json::{Value, json};

use super::Call;
use super::sending::{Content, buttons};
use crate::multipart::Upload;
use crate::telegram_double::refusal::{Refusal, insert};
use crate::telegram_double::world::World;

const LARGEST_PHOTO: usize = 10 << 20;
const LARGEST_FILE: usize = 50 << 20;

impl World {
    pub(super) fn send_media(&mut self, call: &Call<'_>) -> Result<Value, Refusal> {
        let kind = call.method.trim_start_matches("send").to_lowercase();
        let target = self.place(call)?;
        let text = self.caption(call)?;
        let buttons = buttons(call)?;
        let value = self.medium(call, &kind)?;
        let content = Content {
            text,
            media: Some((kind, value)),
            buttons,
        };
        Ok(self.post(call, target, content))
    }

    /// The field of a message for its medium.
    fn medium(&mut self, call: &Call<'_>, kind: &str) -> Result<Value, Refusal> {
        let Some(upload) = upload(call, kind)? else {
            return self.sent_before(call, kind);
        };
        if upload.bytes.is_empty() {
            return Err(Refusal::bad("file must be non-empty"));
        }
        let largest = if kind == "photo" { LARGEST_PHOTO } else { LARGEST_FILE };
        if upload.bytes.len() > largest {
            return Err(Refusal::of(413, "Request Entity Too Large"));
        }
        if kind == "photo" && !is_picture(&upload.bytes) {
            return Err(Refusal::bad("IMAGE_PROCESS_FAILED"));
        }
        let extension = upload.name.rsplit('.').next().unwrap_or_default().to_owned();
        let (_, mut value) = self
            .files
            .keep(&format!("{kind}s"), &extension, upload.bytes.clone(), None);
        describe(&mut value, kind, upload);
        Ok(if kind == "photo" { json!([value]) } else { value })
    }

    /// A file that the server has already.
    fn sent_before(&mut self, call: &Call<'_>, kind: &str) -> Result<Value, Refusal> {
        let id = call.params.text(kind).unwrap_or_default();
        if id.is_empty() {
            return Err(Refusal::bad(format!("there is no {kind} in the request")));
        }
        let wrong = || Refusal::bad("wrong file identifier/HTTP URL specified");
        let size = self.files.by_id(&id).ok_or_else(wrong)?.size;
        let mut value = json!({"file_id": id, "file_unique_id": format!("u{id}"), "file_size": size});
        let known = Upload {
            name: "file".to_owned(),
            mime: String::new(),
            bytes: Vec::new(),
        };
        describe(&mut value, kind, &known);
        Ok(if kind == "photo" { json!([value]) } else { value })
    }
}

/// The file itself, or the one that `attach://name` points to.
fn upload<'a>(call: &'a Call<'_>, kind: &str) -> Result<Option<&'a Upload>, Refusal> {
    if let Some(upload) = call.params.upload(kind) {
        return Ok(Some(upload));
    }
    let text = call.params.text(kind).unwrap_or_default();
    let Some(name) = text.strip_prefix("attach://") else {
        return Ok(None);
    };
    let missing = || Refusal::bad("can't find the attached file");
    call.params.upload(name).ok_or_else(missing).map(Some)
}

fn describe(value: &mut Value, kind: &str, upload: &Upload) {
    match kind {
        "photo" => insert(value, "width", json!(100)),
        "audio" | "voice" => insert(value, "duration", json!(1)),
        "video" | "animation" => {
            insert(value, "width", json!(100));
            insert(value, "duration", json!(1));
        }
        _ => {}
    }
    if matches!(kind, "photo" | "video" | "animation") {
        insert(value, "height", json!(100));
    }
    if !matches!(kind, "photo" | "voice") {
        insert(value, "file_name", json!(upload.name));
    }
    if kind != "photo" && !upload.mime.is_empty() {
        insert(value, "mime_type", json!(upload.mime));
    }
}

fn is_picture(bytes: &[u8]) -> bool {
    let is_webp = bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP");
    is_webp
        || [&b"\x89PNG"[..], b"\xff\xd8\xff", b"GIF8", b"BM"]
            .iter()
            .any(|magic| bytes.starts_with(magic))
}
