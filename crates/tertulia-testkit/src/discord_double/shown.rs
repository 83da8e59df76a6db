//! What people see in a channel.

use serde_json::Value;

use super::message::Message;
use super::world::World;

/// A message as it is now.
#[derive(Debug, Clone, PartialEq)]
pub struct Shown {
    /// Its number.
    pub id: u64,
    /// Who wrote it; none for the bot.
    pub author: Option<u64>,
    /// What it says.
    pub text: String,
    /// The message that it replies to.
    pub reply_to: Option<u64>,
    /// The nonce with which it was made.
    pub nonce: Option<String>,
    /// The buttons below it: `custom_id` and label.
    pub buttons: Vec<(String, String)>,
    /// The names of its files.
    pub files: Vec<String>,
    /// True if one person only sees it.
    pub is_ephemeral: bool,
    /// True if it is an answer that is still to come.
    pub is_loading: bool,
}

impl World {
    /// What a channel shows, in order.
    pub(super) fn shown(&self, channel: u64) -> Vec<Shown> {
        let here = self.messages.values().filter(|message| message.channel == channel);
        here.map(|message| self.shown_one(message)).collect()
    }

    fn shown_one(&self, message: &Message) -> Shown {
        let files = message.files.iter().filter_map(|id| self.files.name(*id));
        let rows = message.components.iter().filter_map(|row| row["components"].as_array());
        let word = |button: &Value, name: &str| button[name].as_str().unwrap_or_default().to_owned();
        Shown {
            id: message.id,
            author: (message.author != self.bot()).then_some(message.author),
            text: message.content.clone(),
            reply_to: message.reply_to,
            nonce: message.nonce_text(),
            buttons: rows
                .flatten()
                .map(|button| (word(button, "custom_id"), word(button, "label")))
                .collect(),
            files: files.map(str::to_owned).collect(),
            is_ephemeral: message.is_ephemeral(),
            is_loading: message.flags & super::message::LOADING != 0,
        }
    }
}
