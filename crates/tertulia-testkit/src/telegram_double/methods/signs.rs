//! What leaves no message: drafts, chat actions, reactions.

use serde_json::{Value, json};

use super::Call;
use crate::telegram_double::place::At;
use crate::telegram_double::refusal::Refusal;
use crate::telegram_double::shown::{ACTION_STAYS, Draft};
use crate::telegram_double::text::LONGEST_TEXT;
use crate::telegram_double::world::World;

const ACTIONS: &[&str] = &[
    "typing",
    "upload_photo",
    "record_video",
    "upload_video",
    "record_voice",
    "upload_voice",
    "upload_document",
    "choose_sticker",
    "find_location",
    "record_video_note",
    "upload_video_note",
];

const REACTIONS: &str = "👍👎❤🔥🥰👏😁🤔🤯😱🤬😢🎉🤩🤮💩🙏👌🕊🤡🥱🥴😍🐳❤‍🔥🌚🌭💯🤣⚡🍌🏆💔🤨😐🍓🍾💋🖕😈😴😭🤓👻👨‍💻👀🎃🙈😇😨🤝✍🤗🫡🎅🎄☃💅🤪🗿🆒💘🙉🦄😘💊🙊😎👾🤷😡";

impl World {
    pub(super) fn send_chat_action(&mut self, call: &Call<'_>) -> Result<Value, Refusal> {
        let topic = self.sign_topic(call)?;
        let chat = self.target(call)?.id;
        let action = call.params.text("action").unwrap_or_default();
        if !ACTIONS.contains(&action.as_str()) {
            return Err(Refusal::bad("wrong parameter action in request"));
        }
        self.truth.counts.actions += 1;
        // General is a topic like others here: what names none is taken, and shown nowhere
        let thread = call.params.number::<i64>("message_thread_id").unwrap_or_default();
        let is_shown = thread != 0 || !self.target(call)?.is_forum();
        if is_shown {
            let shown = (call.at + ACTION_STAYS, action);
            self.actions.insert(At { chat, topic }, shown);
        }
        Ok(json!(true))
    }

    pub(super) fn send_message_draft(&mut self, call: &Call<'_>) -> Result<Value, Refusal> {
        let chat = self.target(call)?;
        if !chat.is_private() {
            return Err(Refusal::bad("TEXTDRAFT_PEER_INVALID"));
        }
        let chat = chat.id;
        let topic = self.place(call)?.topic;
        let id = call.params.number::<i64>("draft_id").filter(|id| *id != 0);
        let id = id.ok_or_else(|| Refusal::bad("RANDOM_ID_INVALID"))?;
        let raw = call.params.text("text").unwrap_or_default();
        let entities = call.params.list("entities")?.unwrap_or_default();
        let text = self.formatted(call, &raw, &entities, LONGEST_TEXT, "message is too long")?;
        self.truth.counts.drafts += 1;
        let at = At { chat, topic };
        self.drafts.retain(|draft| draft.at != at || draft.id != id);
        self.drafts.push(Draft {
            at,
            since: call.at,
            id,
            text: text.text,
            entities: text.entities,
        });
        Ok(json!(true))
    }

    pub(super) fn set_message_reaction(&mut self, call: &Call<'_>) -> Result<Value, Refusal> {
        let chat = self.target(call)?;
        let id = call.params.number::<i64>("message_id").unwrap_or_default();
        if !chat.messages.contains_key(&id) {
            return Err(Refusal::bad("message to react not found"));
        }
        let chat = chat.id;
        let reactions = call.params.list("reaction")?.unwrap_or_default();
        if reactions.len() > 1 {
            return Err(Refusal::bad("REACTIONS_TOO_MANY"));
        }
        let emoji = |reaction: &Value| {
            let emoji = reaction
                .get("emoji")
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned();
            !emoji.is_empty() && REACTIONS.contains(emoji.trim_end_matches('\u{fe0f}'))
        };
        if !reactions.iter().all(emoji) {
            return Err(Refusal::bad("REACTION_INVALID"));
        }
        self.reactions.insert((chat, id), reactions);
        Ok(json!(true))
    }
}
