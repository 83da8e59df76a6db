//! What people send.

use serde_json::{Map, Value, json};

use super::files::Files;
use super::refusal::insert;

/// A message of a person. Mentions and commands in its text are found as Telegram finds them.
#[derive(Debug, Clone, Default)]
pub struct Said {
    pub(super) text: String,
    pub(super) entities: Vec<Value>,
    pub(super) reply_to: Option<i64>,
    pub(super) extra: Map<String, Value>,
    medium: Option<Medium>,
}

#[derive(Debug, Clone)]
struct Medium {
    kind: String,
    fields: Value,
    bytes: Option<Vec<u8>>,
    size: Option<u64>,
}

impl Said {
    /// A text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            ..Self::default()
        }
    }

    fn file(kind: &str, bytes: Vec<u8>, fields: Value) -> Self {
        let mut said = Self::with(kind, fields);
        if let Some(medium) = &mut said.medium {
            medium.bytes = Some(bytes);
        }
        said
    }

    /// A message with any field: `location`, `contact`, `poll`, or one that nobody knows.
    #[must_use]
    pub fn with(kind: &str, fields: Value) -> Self {
        Self {
            medium: Some(Medium {
                kind: kind.to_owned(),
                fields,
                bytes: None,
                size: None,
            }),
            ..Self::default()
        }
    }

    /// A photo, which the server keeps in three sizes.
    #[must_use]
    pub fn photo(bytes: Vec<u8>) -> Self {
        Self::file("photo", bytes, json!({}))
    }

    /// A document.
    #[must_use]
    pub fn document(name: &str, mime: &str, bytes: Vec<u8>) -> Self {
        Self::file("document", bytes, json!({"file_name": name, "mime_type": mime}))
    }

    /// A voice message.
    #[must_use]
    pub fn voice(bytes: Vec<u8>) -> Self {
        Self::file("voice", bytes, json!({"duration": 3, "mime_type": "audio/ogg"}))
    }

    /// A piece of music.
    #[must_use]
    pub fn audio(name: &str, mime: &str, bytes: Vec<u8>) -> Self {
        Self::file(
            "audio",
            bytes,
            json!({"duration": 3, "file_name": name, "mime_type": mime}),
        )
    }

    /// A video.
    #[must_use]
    pub fn video(name: &str, mime: &str, bytes: Vec<u8>) -> Self {
        let fields = json!({"duration": 3, "width": 320, "height": 240, "file_name": name, "mime_type": mime});
        Self::file("video", bytes, fields)
    }

    /// A sticker that stands for an emoji.
    #[must_use]
    pub fn sticker(emoji: &str) -> Self {
        let fields = json!({"type": "regular", "width": 512, "height": 512, "is_animated": false, "is_video": false,
            "emoji": emoji, "set_name": "Doubles"});
        Self::file("sticker", b"RIFF....WEBP".to_vec(), fields)
    }

    /// A place on the map.
    #[must_use]
    pub fn location(latitude: f64, longitude: f64) -> Self {
        Self::with("location", json!({"latitude": latitude, "longitude": longitude}))
    }

    /// Somebody's telephone number.
    #[must_use]
    pub fn contact(name: &str, number: &str) -> Self {
        Self::with("contact", json!({"phone_number": number, "first_name": name}))
    }

    /// A poll.
    #[must_use]
    pub fn poll(question: &str, options: &[&str]) -> Self {
        let option = |text: &&str| json!({"text": text, "voter_count": 0, "persistent_id": *text});
        let options: Vec<Value> = options.iter().map(option).collect();
        let fields = json!({"id": "5", "question": question, "options": options, "total_voter_count": 0, "is_closed": false,
            "is_anonymous": true, "type": "regular", "allows_multiple_answers": false});
        Self::with("poll", fields)
    }

    /// With this text below the medium.
    #[must_use]
    pub fn caption(mut self, text: impl Into<String>) -> Self {
        self.text = text.into();
        self
    }

    /// The server tells this size for the file, in bytes, whatever there is.
    #[must_use]
    pub fn of_size(mut self, size: u64) -> Self {
        if let Some(medium) = &mut self.medium {
            medium.size = Some(size);
        }
        self
    }

    /// With a further entity.
    #[must_use]
    pub fn entity(mut self, entity: Value) -> Self {
        self.entities.push(entity);
        self
    }

    /// As a reply to a message of the same chat.
    #[must_use]
    pub fn reply_to(mut self, message: i64) -> Self {
        self.reply_to = Some(message);
        self
    }

    /// With a passage of the message it replies to.
    #[must_use]
    pub fn quote(self, passage: &str) -> Self {
        self.field("quote", json!({"text": passage, "position": 0, "is_manual": true}))
    }

    /// Forwarded from somebody who hides their account.
    #[must_use]
    pub fn forwarded_from(self, name: &str) -> Self {
        self.field(
            "forward_origin",
            json!({"type": "hidden_user", "sender_user_name": name, "date": 1_767_000_000}),
        )
    }

    /// With any further field of a message.
    #[must_use]
    pub fn field(mut self, name: &str, value: Value) -> Self {
        self.extra.insert(name.to_owned(), value);
        self
    }

    /// The field of the message for the medium, whose file is kept.
    pub(super) fn medium(&mut self, files: &mut Files) -> Option<(String, Value)> {
        let medium = self.medium.take()?;
        let Some(bytes) = medium.bytes else {
            return Some((medium.kind, medium.fields));
        };
        let value = if medium.kind == "photo" {
            photo(files, &bytes, medium.size)
        } else {
            let name = medium
                .fields
                .get("file_name")
                .and_then(Value::as_str)
                .unwrap_or_default();
            let extension = name
                .rsplit_once('.')
                .map_or("bin", |(_, extension)| extension)
                .to_owned();
            let (_, value) = files.keep(&format!("{}s", medium.kind), &extension, bytes, medium.size);
            both(value, medium.fields)
        };
        Some((medium.kind, value))
    }
}

fn photo(files: &mut Files, bytes: &[u8], size: Option<u64>) -> Value {
    let sizes = [90_u64, 320, 1280].map(|width| {
        let told = if width == 1280 { size } else { Some(width) };
        let (_, mut value) = files.keep("photos", "jpg", bytes.to_vec(), told);
        insert(&mut value, "width", json!(width));
        insert(&mut value, "height", json!(width * 3 / 4));
        value
    });
    json!(sizes)
}

fn both(mut value: Value, fields: Value) -> Value {
    if let (Some(object), Value::Object(fields)) = (value.as_object_mut(), fields) {
        object.extend(fields);
    }
    value
}
