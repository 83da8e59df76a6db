//! New messages of the bot.

use serde_json::{Map, Value, json};

use super::Call;
use super::place::Target;
use crate::chat_double::RecordAct;
use crate::telegram_double::chat::{Author, Message};
use crate::telegram_double::keyboard::{self, Rows};
use crate::telegram_double::place::At;
use crate::telegram_double::refusal::Refusal;
use crate::telegram_double::text::{self, Formatted, LONGEST_CAPTION, LONGEST_TEXT};
use crate::telegram_double::world::World;

/// What a message says, and shows beside it.
#[derive(Debug, Clone, Default)]
pub(super) struct Content {
    pub(super) text: Formatted,
    pub(super) media: Option<(String, Value)>,
    pub(super) buttons: Rows,
}

impl World {
    pub(super) fn send_message(&mut self, call: &Call<'_>) -> Result<Value, Refusal> {
        let target = self.place(call)?;
        let content = Content {
            text: self.text(call, "message is too long")?,
            media: None,
            buttons: buttons(call)?,
        };
        Ok(self.post(call, target, content))
    }

    /// The text of a message that has to have one.
    pub(super) fn text(&mut self, call: &Call<'_>, too_long: &str) -> Result<Formatted, Refusal> {
        let raw = call.params.text("text").unwrap_or_default();
        if text::is_blank(&raw) {
            return Err(Refusal::bad("message text is empty"));
        }
        let entities = call.params.list("entities")?.unwrap_or_default();
        self.formatted(call, &raw, &entities, LONGEST_TEXT, too_long)
    }

    /// The caption of a medium, which may be empty.
    pub(super) fn caption(&mut self, call: &Call<'_>) -> Result<Formatted, Refusal> {
        let raw = call.params.text("caption").unwrap_or_default();
        let raw = if text::is_blank(&raw) { String::new() } else { raw };
        let entities = call.params.list("caption_entities")?.unwrap_or_default();
        self.formatted(call, &raw, &entities, LONGEST_CAPTION, "message caption is too long")
    }

    /// Checks a text, and writes down what a client should not have sent.
    pub(super) fn formatted(
        &mut self,
        call: &Call<'_>,
        raw: &str,
        entities: &[Value],
        longest: usize,
        too_long: &str,
    ) -> Result<Formatted, Refusal> {
        if call.params.has("parse_mode") {
            self.truth
                .violate(call.at, format!("{} with a parse mode", call.method));
        }
        let (formatted, faults) = text::formatted(raw, entities, longest, too_long)?;
        for fault in faults {
            self.truth.violate(call.at, format!("{}: {fault}", call.method));
        }
        Ok(formatted)
    }

    /// Puts a message of the bot where it goes.
    pub(super) fn post(&mut self, call: &Call<'_>, target: Target, content: Content) -> Value {
        let mut extra = Map::new();
        if let Some(quote) = target.quote {
            extra.insert("quote".to_owned(), json!({"text": quote, "position": 0}));
        }
        let message = Message {
            serial: 0,
            id: 0,
            author: Author::Bot,
            sent: call.at,
            edited: None,
            topic: target.topic,
            thread: target.thread,
            text: content.text,
            media: content.media,
            buttons: content.buttons,
            reply_to: target.reply_to,
            extra,
        };
        let id = self.insert(target.chat, message);
        self.record(call.at, target.chat, id, RecordAct::Posted);
        // a message ends what was shown to be in the making
        let at = At {
            chat: target.chat,
            topic: target.topic,
        };
        self.drafts.retain(|draft| draft.at != at);
        self.actions.remove(&at);
        self.message_json(target.chat, id)
    }
}

/// The buttons that come with a message.
pub(super) fn buttons(call: &Call<'_>) -> Result<Rows, Refusal> {
    keyboard::rows(call.params.value("reply_markup")?.as_ref())
}
