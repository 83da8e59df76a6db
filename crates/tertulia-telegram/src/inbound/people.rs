//! Who speaks, and the name that people see.

use crate::wire::{Chat, Message, Origin, User};

/// Longer names are cut, in characters; Telegram's own bound is 64 for each half.
const LONGEST: usize = 130;

/// Who caused an event.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Who {
    pub(super) id: i64,
    pub(super) name: String,
    pub(super) is_bot: bool,
}

/// The person who sent a message, or the chat in whose name it was sent.
pub(super) fn sender(message: &Message) -> Option<Who> {
    let chat = message.sender_chat.as_ref().map(|chat| Who {
        id: chat.id,
        name: chat_name(chat),
        is_bot: false,
    });
    chat.or_else(|| message.from.as_ref().map(user))
}

pub(super) fn user(user: &User) -> Who {
    Who {
        id: user.id,
        name: user_name(user),
        is_bot: user.is_bot,
    }
}

/// The name of whom a forwarded message comes from.
pub(super) fn origin_name(origin: &Origin) -> String {
    let user = origin.sender_user.as_ref().map(user_name);
    let chat = origin.sender_chat.as_ref().or(origin.chat.as_ref()).map(chat_name);
    let name = user.or(chat).unwrap_or_else(|| clean(&origin.sender_user_name));
    if name.is_empty() { "somebody".to_owned() } else { name }
}

fn user_name(user: &User) -> String {
    name("", &user.first_name, &user.last_name, &user.username)
}

fn chat_name(chat: &Chat) -> String {
    name(&chat.title, &chat.first_name, &chat.last_name, &chat.username)
}

fn name(title: &str, first: &str, last: &str, username: &str) -> String {
    let full = clean(&format!("{title} {first} {last}"));
    match (full.is_empty(), username.is_empty()) {
        (true, false) => clean(&format!("@{username}")),
        _ => full,
    }
}

/// On one line, without marks that turn the direction of what stands behind them.
pub(super) fn clean(name: &str) -> String {
    let shown = |c: char| if c.is_control() { ' ' } else { c };
    let is_shown = |c: &char| !matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}');
    let text: String = name.chars().map(shown).filter(is_shown).collect();
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().take(LONGEST).collect()
}
