//! Messages as Telegram sends them: every field may be missing, and of what is unknown the name is kept.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::forums::GENERAL;

/// A message, also as it stands inside another one.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
#[expect(clippy::struct_field_names, reason = "the names are Telegram's")]
pub(crate) struct Message {
    pub(crate) message_id: i64,
    /// A topic's id, but in groups without topics also the root of a chain of replies.
    pub(crate) message_thread_id: Option<i64>,
    /// True if `message_thread_id` is that of a topic.
    pub(crate) is_topic_message: bool,
    pub(crate) from: Option<User>,
    /// In whose name it was sent, if not in that of a person: a channel, or the group itself for its anonymous admins.
    pub(crate) sender_chat: Option<Chat>,
    pub(crate) chat: Chat,
    /// Seconds since 1970.
    pub(crate) date: i64,
    pub(crate) forward_origin: Option<Origin>,
    /// Servers older than 7.0 have this instead of `forward_origin`.
    pub(crate) forward_date: Option<i64>,
    /// True for a post of a channel in its discussion group.
    pub(crate) is_automatic_forward: bool,
    pub(crate) reply_to_message: Option<Box<Message>>,
    pub(crate) external_reply: Option<Box<External>>,
    pub(crate) quote: Option<Quote>,
    pub(crate) media_group_id: Option<String>,
    pub(crate) text: Option<String>,
    pub(crate) entities: Vec<Entity>,
    pub(crate) caption: Option<String>,
    pub(crate) caption_entities: Vec<Entity>,
    pub(crate) photo: Vec<PhotoSize>,
    pub(crate) document: Option<FileMeta>,
    pub(crate) animation: Option<FileMeta>,
    pub(crate) audio: Option<FileMeta>,
    pub(crate) voice: Option<FileMeta>,
    pub(crate) video: Option<FileMeta>,
    pub(crate) video_note: Option<FileMeta>,
    pub(crate) sticker: Option<Sticker>,
    pub(crate) contact: Option<Contact>,
    pub(crate) dice: Option<Dice>,
    pub(crate) poll: Option<Poll>,
    pub(crate) venue: Option<Venue>,
    pub(crate) location: Option<Location>,
    pub(crate) migrate_to_chat_id: Option<i64>,
    pub(crate) forum_topic_created: Option<Value>,
    /// All other fields.
    #[serde(flatten)]
    pub(crate) rest: Map<String, Value>,
}

impl Message {
    /// The text or the caption, with its entities.
    pub(crate) fn words(&self) -> Option<(&str, &[Entity])> {
        match (&self.text, &self.caption) {
            (Some(text), _) => Some((text, &self.entities)),
            (None, Some(caption)) => Some((caption, &self.caption_entities)),
            (None, None) => None,
        }
    }

    pub(crate) fn is_forward(&self) -> bool {
        self.forward_origin.is_some() || self.forward_date.is_some()
    }

    /// The topic it stands in; General is none, and a chain of replies neither.
    pub(crate) fn topic(&self) -> Option<i64> {
        self.message_thread_id
            .filter(|topic| self.is_topic_message && *topic > GENERAL)
    }
}

/// A person or a bot.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct User {
    pub(crate) id: i64,
    pub(crate) is_bot: bool,
    pub(crate) first_name: String,
    pub(crate) last_name: String,
    pub(crate) username: String,
}

/// A chat.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Chat {
    pub(crate) id: i64,
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) title: String,
    pub(crate) username: String,
    pub(crate) first_name: String,
    pub(crate) last_name: String,
    /// True if it has topics.
    pub(crate) is_forum: bool,
}

impl Chat {
    pub(crate) fn is_private(&self) -> bool {
        self.kind == "private"
    }
}

/// A part of a text with a meaning; offset and length count UTF-16 units.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Entity {
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) offset: usize,
    pub(crate) length: usize,
    pub(crate) url: Option<String>,
    pub(crate) user: Option<User>,
}

/// Where a forwarded message comes from. Which fields are there depends on its kind.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Origin {
    pub(crate) sender_user: Option<User>,
    pub(crate) sender_user_name: String,
    pub(crate) sender_chat: Option<Chat>,
    pub(crate) chat: Option<Chat>,
}

/// The message of another chat that is replied to: its text is not told, unless it is quoted.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct External {
    pub(crate) origin: Option<Origin>,
    /// What it is, by the names of its fields.
    #[serde(flatten)]
    pub(crate) rest: Map<String, Value>,
}

/// The part of a message that a reply quotes.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Quote {
    pub(crate) text: String,
}

/// One size of a photo.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct PhotoSize {
    pub(crate) file_id: String,
    pub(crate) width: u64,
    pub(crate) height: u64,
    /// In bytes.
    pub(crate) file_size: Option<u64>,
}

/// A file of any other kind.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct FileMeta {
    pub(crate) file_id: String,
    pub(crate) file_name: String,
    pub(crate) mime_type: Option<String>,
    /// In bytes.
    pub(crate) file_size: Option<u64>,
    /// Of audio only.
    pub(crate) performer: String,
    /// Of audio only.
    pub(crate) title: String,
}

/// A sticker.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Sticker {
    pub(crate) emoji: String,
    pub(crate) set_name: String,
}

/// A contact of somebody's.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Contact {
    pub(crate) phone_number: String,
    pub(crate) first_name: String,
    pub(crate) last_name: String,
}

/// An emoji with a random value.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Dice {
    pub(crate) emoji: String,
    pub(crate) value: i64,
}

/// A poll.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Poll {
    pub(crate) question: String,
    pub(crate) options: Vec<PollOption>,
}

/// What can be voted for.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct PollOption {
    pub(crate) text: String,
}

/// A place with a name.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Venue {
    pub(crate) location: Location,
    pub(crate) title: String,
    pub(crate) address: String,
}

/// A point on the map.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Location {
    pub(crate) latitude: f64,
    pub(crate) longitude: f64,
}
