//! The methods of the Bot API, updates aside.

mod answering;
mod editing;
mod media;
mod menus;
mod place;
mod sending;
mod signs;

use std::time::Duration;

use serde_json::{Value, json};

use super::chat::Chat;
use super::files::LARGEST_DOWNLOAD;
use super::params::Params;
use super::refusal::{Refusal, insert};
use super::truth::Accepted;
use super::world::World;

/// Every method that the double knows, as the documentation spells it.
const METHODS: &[&str] = &[
    "answerCallbackQuery",
    "deleteMessage",
    "deleteMyCommands",
    "deleteWebhook",
    "editMessageCaption",
    "editMessageReplyMarkup",
    "editMessageText",
    "getFile",
    "getMe",
    "getMyCommands",
    "getUpdates",
    "getWebhookInfo",
    "sendAnimation",
    "sendAudio",
    "sendChatAction",
    "sendDocument",
    "sendMessage",
    "sendMessageDraft",
    "sendPhoto",
    "sendVideo",
    "sendVoice",
    "setMessageReaction",
    "setMyCommands",
    "setWebhook",
];

/// The method of this name, however its letters are.
pub(super) fn method(name: &str) -> Option<&'static str> {
    METHODS.iter().find(|method| method.eq_ignore_ascii_case(name)).copied()
}

/// One call.
pub(super) struct Call<'a> {
    pub(super) at: Duration,
    pub(super) method: &'static str,
    pub(super) params: &'a Params,
}

impl Call<'_> {
    pub(super) fn chat(&self) -> Option<i64> {
        self.params.number("chat_id")
    }
}

impl World {
    /// Does what a call asks, and writes it down.
    pub(super) fn perform(&mut self, call: &Call<'_>) -> Result<Value, Refusal> {
        let result = self.dispatch(call)?;
        let message = result.get("message_id").and_then(Value::as_i64);
        let chat = call.chat();
        let about = message
            .zip(chat)
            .and_then(|(message, chat)| self.message(chat, message));
        let text = about.map(|message| message.text.clone()).unwrap_or_default();
        let accepted = Accepted {
            n: self.truth.accepted.len() as u64 + 1,
            at: call.at,
            method: call.method,
            chat,
            topic: about.map_or_else(|| call.params.number("message_thread_id"), |message| message.topic),
            message: message.or_else(|| call.params.number("message_id")),
            text: if about.is_some() {
                text.text
            } else {
                call.params.text("text").unwrap_or_default()
            },
            entities: text.entities,
            params: call.params.fields(),
        };
        self.truth.accepted.push(accepted);
        Ok(result)
    }

    fn dispatch(&mut self, call: &Call<'_>) -> Result<Value, Refusal> {
        match call.method {
            "getMe" => Ok(self.me()),
            "sendMessage" => self.send_message(call),
            "sendPhoto" | "sendDocument" | "sendAudio" | "sendVoice" | "sendVideo" | "sendAnimation" => {
                self.send_media(call)
            }
            "editMessageText" | "editMessageCaption" | "editMessageReplyMarkup" => self.edit_message(call),
            "deleteMessage" => self.delete_message(call),
            "sendChatAction" => self.send_chat_action(call),
            "sendMessageDraft" => self.send_message_draft(call),
            "answerCallbackQuery" => self.answer_callback_query(call),
            "setMyCommands" | "getMyCommands" | "deleteMyCommands" => self.menu(call),
            "getFile" => self.get_file(call),
            "setMessageReaction" => self.set_message_reaction(call),
            "setWebhook" => self.set_webhook(call.params.text("url").unwrap_or_default()),
            "deleteWebhook" => Ok(self.delete_webhook(call.params.is_set("drop_pending_updates"))),
            "getWebhookInfo" => Ok(self.webhook_info()),
            _ => Err(Refusal::of(404, "Not Found: method not found")),
        }
    }

    fn me(&self) -> Value {
        let mut me = self.bot();
        for (name, value) in [
            ("can_join_groups", true),
            ("can_read_all_group_messages", !self.settings.privacy),
            ("supports_inline_queries", false),
            ("can_connect_to_business", false),
            ("has_main_web_app", false),
            ("has_topics_enabled", self.settings.private_topics),
            ("allows_users_to_create_topics", self.settings.private_topics),
        ] {
            insert(&mut me, name, json!(value));
        }
        me
    }

    /// The chat that a call is about, if the bot may do something there.
    fn target(&self, call: &Call<'_>) -> Result<&Chat, Refusal> {
        if !call.params.has("chat_id") {
            return Err(Refusal::bad("chat_id is empty"));
        }
        let chat = call.chat().ok_or_else(|| Refusal::bad("chat not found"))?;
        let chat = self.known(chat)?;
        chat.access()?;
        Ok(chat)
    }

    fn get_file(&mut self, call: &Call<'_>) -> Result<Value, Refusal> {
        let id = call.params.text("file_id").unwrap_or_default();
        let unknown = || Refusal::bad("wrong file_id or the file is temporarily unavailable");
        let file = self.files.by_id(&id).ok_or_else(unknown)?;
        if file.size > LARGEST_DOWNLOAD {
            return Err(Refusal::bad("file is too big"));
        }
        file.is_asked_for = true;
        Ok(json!({"file_id": id, "file_unique_id": format!("u{id}"), "file_size": file.size, "file_path": file.path}))
    }

    fn set_webhook(&mut self, url: String) -> Result<Value, Refusal> {
        if !url.is_empty() && !url.starts_with("https://") {
            return Err(Refusal::bad("bad webhook: An HTTPS URL must be provided for webhook"));
        }
        self.webhook = Some(url).filter(|url| !url.is_empty());
        Ok(json!(true))
    }

    fn delete_webhook(&mut self, drop_pending: bool) -> Value {
        self.webhook = None;
        if drop_pending {
            self.queue.drop_all();
        }
        json!(true)
    }

    fn webhook_info(&self) -> Value {
        json!({
            "url": self.webhook.clone().unwrap_or_default(),
            "has_custom_certificate": false,
            "pending_update_count": self.queue.unconfirmed(),
            "allowed_updates": self.queue.allowed(),
        })
    }
}
