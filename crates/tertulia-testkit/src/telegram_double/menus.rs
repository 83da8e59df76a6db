//! The menus of commands.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::refusal::Refusal;

/// A menu is kept for a scope and a language.
#[derive(Debug, Default)]
pub(super) struct Menus {
    menus: BTreeMap<(String, String), Vec<Value>>,
}

/// For whom a menu is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Scope {
    /// The scope as compact JSON with sorted keys.
    key: String,
    /// The chat it is about, if any.
    pub(super) chat: Option<i64>,
}

impl Scope {
    pub(super) fn read(scope: Option<Value>) -> Result<Self, Refusal> {
        let scope = scope.unwrap_or_else(|| json!({"type": "default"}));
        let wrong = |what: &str| Refusal::bad(format!("can't parse BotCommandScope: {what}"));
        let number = |name: &str| scope.get(name).and_then(Value::as_i64);
        let kind = scope.get("type").and_then(Value::as_str).unwrap_or_default();
        let (needs_chat, needs_user) = match kind {
            "default" | "all_private_chats" | "all_group_chats" | "all_chat_administrators" => (false, false),
            "chat" | "chat_administrators" => (true, false),
            "chat_member" => (true, true),
            _ => return Err(wrong("unsupported type specified")),
        };
        let (chat, user) = (number("chat_id"), number("user_id"));
        if needs_chat && chat.is_none() {
            return Err(wrong("can't find field \"chat_id\""));
        }
        if needs_user && user.is_none() {
            return Err(wrong("can't find field \"user_id\""));
        }
        let chat = chat.filter(|_| needs_chat);
        let user = user.filter(|_| needs_user);
        Ok(Self {
            key: json!([kind, chat, user]).to_string(),
            chat,
        })
    }
}

impl Menus {
    pub(super) fn set(&mut self, scope: Scope, language: String, commands: Vec<Value>) {
        self.menus.insert((scope.key, language), commands);
    }

    pub(super) fn get(&self, scope: Scope, language: String) -> Vec<Value> {
        self.menus.get(&(scope.key, language)).cloned().unwrap_or_default()
    }

    pub(super) fn delete(&mut self, scope: Scope, language: String) {
        self.menus.remove(&(scope.key, language));
    }
}

/// Checks a list of commands.
pub(super) fn check(commands: &[Value]) -> Result<(), Refusal> {
    if commands.len() > 100 {
        return Err(Refusal::bad("BOT_COMMANDS_TOO_MUCH"));
    }
    for command in commands {
        let field = |name: &str| command.get(name).and_then(Value::as_str).unwrap_or_default();
        let (name, description) = (field("command"), field("description"));
        let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        if !(1..=32).contains(&name.len()) || !name.chars().all(fits) {
            return Err(Refusal::bad("BOT_COMMAND_INVALID"));
        }
        if description.trim().is_empty() || description.chars().count() > 256 {
            return Err(Refusal::bad("BOT_COMMAND_DESCRIPTION_INVALID"));
        }
    }
    Ok(())
}
