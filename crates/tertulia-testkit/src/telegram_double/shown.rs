//! What people see in a chat at a moment.

use std::time::Duration;

use serde_json::Value;

use super::chat::{Author, Message};
use super::place::At;
use super::world::World;

/// How long a draft stays, if nothing ends it earlier.
pub(super) const DRAFT_STAYS: Duration = Duration::from_secs(30);
/// How long a chat action stays.
pub(super) const ACTION_STAYS: Duration = Duration::from_secs(5);

/// A message as people see it.
#[derive(Debug, Clone, PartialEq)]
pub struct Shown {
    /// Its number in the chat.
    pub message: i64,
    /// Who wrote it; none for the bot.
    pub author: Option<i64>,
    /// The text or caption; `[kind]` for a medium without one.
    pub text: String,
    /// The formatting.
    pub entities: Vec<Value>,
    /// Label and data of the buttons, row by row.
    pub buttons: Vec<Vec<(String, String)>>,
    /// The message it replies to.
    pub reply_to: Option<i64>,
    /// The kind of medium, if it has one: `photo`, `document` and so on.
    pub media: Option<String>,
    /// The id of the medium's file.
    pub file: Option<String>,
}

/// A draft of an answer in the making.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    /// Where.
    pub at: At,
    /// When it was shown last.
    pub since: Duration,
    /// The id that stays while it grows.
    pub id: i64,
    /// The text; empty while there is none.
    pub text: String,
    /// The formatting.
    pub entities: Vec<Value>,
}

impl World {
    pub(super) fn shown(&self, at: At) -> Vec<Shown> {
        let chat = self.chats.get(&at.chat);
        let messages = chat.into_iter().flat_map(|chat| chat.messages.values());
        messages
            .filter(|message| message.topic == at.topic)
            .map(shown)
            .collect()
    }

    pub(super) fn shown_drafts(&self, now: Duration, chat: i64) -> Vec<Draft> {
        let here = self.drafts.iter().filter(|draft| draft.at.chat == chat);
        here.filter(|draft| now < draft.since + DRAFT_STAYS).cloned().collect()
    }

    pub(super) fn shown_action(&self, now: Duration, at: At) -> Option<String> {
        let (until, action) = self.actions.get(&at)?;
        (now < *until).then(|| action.clone())
    }
}

fn shown(message: &Message) -> Shown {
    let field = |button: &Value, name: &str| button.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let buttons = message.buttons.iter().map(|row| {
        let row = row
            .iter()
            .map(|button| (field(button, "text"), field(button, "callback_data")));
        row.collect()
    });
    let file = message.media.as_ref().and_then(|(_, value)| {
        let value = value.as_array().and_then(|sizes| sizes.last()).unwrap_or(value);
        Some(value.get("file_id")?.as_str()?.to_owned())
    });
    Shown {
        message: message.id,
        author: match message.author {
            Author::Bot => None,
            Author::Person(person) => Some(person),
        },
        text: message.visible(),
        entities: message.text.entities.clone(),
        buttons: buttons.collect(),
        reply_to: message.reply_to,
        media: message.media.as_ref().map(|(kind, _)| kind.clone()),
        file,
    }
}
