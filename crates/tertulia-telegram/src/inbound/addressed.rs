//! Whether a message is meant for the bot.

use tertulia_message::Addressed;

use super::{Reader, behind_slash, units};
use crate::wire::{Entity, Message};

impl Reader<'_> {
    pub(super) fn addressed(&self, message: &Message) -> Addressed {
        if message.chat.is_private() {
            return Addressed::Direct;
        }
        if message.is_automatic_forward {
            return Addressed::None;
        }
        let command = self.command(message);
        if command == Some(Whose::Another) {
            return Addressed::None;
        }
        if self.is_reply_to_us(message) {
            return Addressed::Reply;
        }
        if command == Some(Whose::Ours) {
            return Addressed::Command;
        }
        if self.is_mentioned(message) {
            return Addressed::Mention;
        }
        match command {
            Some(_) => Addressed::Command,
            None if self.is_always_on(message) => Addressed::Mention,
            None => Addressed::None,
        }
    }

    fn is_reply_to_us(&self, message: &Message) -> bool {
        let said_by_us = |reply: &Message| reply.from.as_ref().is_some_and(|from| from.id == self.me.id);
        replied(message).is_some_and(said_by_us)
    }

    /// Whose command the message is, if it is one. What is forwarded was not said here.
    fn command(&self, message: &Message) -> Option<Whose> {
        let (text, _) = message.words().filter(|_| !message.is_forward())?;
        self.whose(text)
    }

    /// Whose command a text is, if it is one.
    pub(super) fn whose(&self, text: &str) -> Option<Whose> {
        let word = behind_slash(text)?.split_whitespace().next()?;
        Some(match word.split_once('@') {
            None => Whose::Anybody,
            Some((_, name)) if self.is_our_name(name) => Whose::Ours,
            Some(_) => Whose::Another,
        })
    }

    fn is_mentioned(&self, message: &Message) -> bool {
        let words = message.words().filter(|_| !message.is_forward());
        words.is_some_and(|(text, entities)| entities.iter().any(|entity| self.is_mention(text, entity)))
    }

    /// True if the entity names the bot.
    pub(super) fn is_mention(&self, text: &str, entity: &Entity) -> bool {
        match entity.kind.as_str() {
            "mention" => {
                let named = units::range(text, entity).and_then(|range| text.get(range));
                let name = named.and_then(|named| named.strip_prefix('@'));
                name.is_some_and(|name| self.is_our_name(name))
            }
            "text_mention" => entity.user.as_ref().is_some_and(|user| user.id == self.me.id),
            _ => false,
        }
    }

    fn is_our_name(&self, name: &str) -> bool {
        !self.me.username.is_empty() && self.me.username.eq_ignore_ascii_case(name)
    }

    fn is_always_on(&self, message: &Message) -> bool {
        let covers = |place: &crate::config::AlwaysOn| place.covers(message.chat.id, message.topic());
        self.config.always_on.iter().any(covers)
    }
}

/// Who is to do a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Whose {
    Ours,
    Another,
    Anybody,
}

/// The message that is replied to. Whatever is said in a topic counts for Telegram as a reply to the topic's first message:
/// that is none.
pub(super) fn replied(message: &Message) -> Option<&Message> {
    let reply = message.reply_to_message.as_deref()?;
    let is_root = reply.forum_topic_created.is_some() || message.topic() == Some(reply.message_id);
    (!is_root).then_some(reply)
}
