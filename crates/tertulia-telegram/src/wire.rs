//! What the Bot API answers, read tolerantly: unknown fields and kinds are no errors.

mod message;
mod update;

use serde::Deserialize;
use serde_json::Value;

pub(crate) use message::{
    Chat, Contact, Entity, External, FileMeta, Location, Message, Origin, PhotoSize, Poll, Sticker, User, Venue,
};
pub(crate) use update::{Callback, Happening, KINDS, MemberChange, Odd, Update};

/// The frame of every answer.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Answer {
    pub(crate) ok: bool,
    /// The status, again.
    pub(crate) error_code: Option<u16>,
    pub(crate) result: Option<Value>,
    pub(crate) description: String,
    pub(crate) parameters: Parameters,
}

/// What goes with an error.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Parameters {
    pub(crate) retry_after: Option<u64>,
    pub(crate) migrate_to_chat_id: Option<i64>,
}

/// The answer of `getMe`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Me {
    pub(crate) id: i64,
    #[serde(default)]
    pub(crate) username: String,
    /// False while privacy mode is on.
    #[serde(default)]
    pub(crate) can_read_all_group_messages: bool,
}

/// The answer of `getFile`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct File {
    pub(crate) file_path: String,
    /// In bytes.
    pub(crate) file_size: Option<u64>,
}

/// One command of a menu.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub(crate) struct MenuEntry {
    pub(crate) command: String,
    pub(crate) description: String,
}
