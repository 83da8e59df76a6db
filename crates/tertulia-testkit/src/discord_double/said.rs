//! What people send.

use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::multipart::Upload;

/// A message of a person. Mentions in its text are found as Discord finds them.
#[derive(Debug, Clone, Default)]
pub struct Said {
    pub(super) text: String,
    pub(super) kind: Option<u8>,
    pub(super) reply_to: Option<u64>,
    pub(super) files: Vec<(Upload, Option<u64>)>,
    pub(super) embeds: Vec<Value>,
    pub(super) extra: Map<String, Value>,
    pub(super) ago: Option<Duration>,
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

    /// As a reply to a message, whose author it pings.
    #[must_use]
    pub fn replying(mut self, message: u64) -> Self {
        self.reply_to = Some(message);
        self
    }

    /// With a file.
    #[must_use]
    pub fn file(mut self, name: &str, mime: &str, bytes: Vec<u8>) -> Self {
        let upload = Upload {
            name: name.to_owned(),
            mime: mime.to_owned(),
            bytes,
        };
        self.files.push((upload, None));
        self
    }

    /// The server tells this size for the last file, in bytes, whatever there is.
    #[must_use]
    pub fn of_size(mut self, size: u64) -> Self {
        if let Some((_, told)) = self.files.last_mut() {
            *told = Some(size);
        }
        self
    }

    /// With a sticker.
    #[must_use]
    pub fn sticker(self, name: &str) -> Self {
        self.field(
            "sticker_items",
            json!([{"id": "749054660769218631", "name": name, "format_type": 1}]),
        )
    }

    /// With a card, as the server makes one of an address, or another bot writes one.
    #[must_use]
    pub fn embed(mut self, title: &str, description: &str) -> Self {
        self.embeds
            .push(json!({"type": "rich", "title": title, "description": description, "fields": []}));
        self
    }

    /// A message of another type, by its number: 7 for somebody who joins, 6 for a pin.
    #[must_use]
    pub fn of_kind(mut self, kind: u8) -> Self {
        self.kind = Some(kind);
        self
    }

    /// With any field, known or not.
    #[must_use]
    pub fn field(mut self, name: &str, value: Value) -> Self {
        self.extra.insert(name.to_owned(), value);
        self
    }

    /// It was sent so long ago, which its number says too; the bot is told nothing, and finds it when it looks.
    #[must_use]
    pub fn ago(mut self, ago: Duration) -> Self {
        self.ago = Some(ago);
        self
    }
}
