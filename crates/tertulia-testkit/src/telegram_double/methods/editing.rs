//! Edits and deletes.

use serde_json::{Value, json};

use super::Call;
use super::sending::buttons;
use crate::chat_double::RecordAct;
use crate::telegram_double::chat::{Author, Chat, Message, Standing};
use crate::telegram_double::refusal::Refusal;
use crate::telegram_double::world::World;

const NOT_MODIFIED: &str = "message is not modified: specified new message content and reply markup are exactly the same as a \
    current content and reply markup of the message";

impl World {
    pub(super) fn edit_message(&mut self, call: &Call<'_>) -> Result<Value, Refusal> {
        let (chat, id) = self.own(call)?;
        let Some(before) = self.message(chat, id).cloned() else {
            return Err(Refusal::bad("message to edit not found"));
        };
        let mut after = before.clone();
        after.buttons = buttons(call)?;
        match call.method {
            "editMessageText" if before.media.is_some() => {
                return Err(Refusal::bad("there is no text in the message to edit"));
            }
            "editMessageCaption" if before.media.is_none() => {
                return Err(Refusal::bad("there is no caption in the message to edit"));
            }
            "editMessageText" => after.text = self.text(call, "MESSAGE_TOO_LONG")?,
            "editMessageCaption" => after.text = self.caption(call)?,
            _ => {}
        }
        if after.text == before.text && after.buttons == before.buttons {
            self.truth.counts.unchanged_edits += 1;
            return Err(Refusal::bad(NOT_MODIFIED));
        }
        after.edited = Some(call.at);
        if let Some(message) = self.message_mut(chat, id) {
            *message = after;
        }
        self.record(call.at, chat, id, RecordAct::Edited);
        Ok(self.message_json(chat, id))
    }

    /// The message of the bot that is to be edited.
    fn own(&self, call: &Call<'_>) -> Result<(i64, i64), Refusal> {
        let chat = self.target(call)?;
        let id = call.params.number::<i64>("message_id");
        let id = id.ok_or_else(|| Refusal::bad("message identifier is not specified"))?;
        match chat.messages.get(&id) {
            None => Err(Refusal::bad("message to edit not found")),
            Some(message) if message.author != Author::Bot => Err(Refusal::bad("message can't be edited")),
            Some(_) => Ok((chat.id, id)),
        }
    }

    pub(super) fn delete_message(&mut self, call: &Call<'_>) -> Result<Value, Refusal> {
        let chat = self.target(call)?;
        let id = call.params.number::<i64>("message_id").unwrap_or_default();
        let Some(message) = chat.messages.get(&id) else {
            return Err(Refusal::bad("message to delete not found"));
        };
        if !may_delete(chat, message) {
            return Err(Refusal::bad("message can't be deleted"));
        }
        let (chat, is_own) = (chat.id, message.author == Author::Bot);
        let act = if is_own {
            RecordAct::Deleted
        } else {
            RecordAct::Redacted
        };
        self.record(call.at, chat, id, act);
        if let Some(chat) = self.chats.get_mut(&chat) {
            chat.messages.remove(&id);
        }
        Ok(json!(true))
    }
}

fn may_delete(chat: &Chat, message: &Message) -> bool {
    message.author == Author::Bot || chat.is_private() || chat.standing == Standing::Admin
}
