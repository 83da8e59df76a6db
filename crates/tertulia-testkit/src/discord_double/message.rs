//! Messages, and how they look to the bot.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::hub::intent;
use super::mentions::{Mention, found};
use super::place::Channel;
use super::refusal::insert;
use super::world::{World, made};

/// Seen by one person only.
pub(super) const EPHEMERAL: u64 = 1 << 6;
/// An answer that is still to come.
pub(super) const LOADING: u64 = 1 << 7;

/// A message's type, by its number.
pub(super) mod kind {
    pub(in super::super) const REGULAR: u8 = 0;
    pub(in super::super) const THREAD_CREATED: u8 = 18;
    pub(in super::super) const REPLY: u8 = 19;
    pub(in super::super) const COMMAND: u8 = 20;
    pub(in super::super) const THREAD_STARTER: u8 = 21;
}

/// One message.
#[derive(Debug, Clone, Default)]
pub(super) struct Message {
    pub(super) id: u64,
    pub(super) channel: u64,
    pub(super) author: u64,
    pub(super) kind: u8,
    pub(super) content: String,
    pub(super) nonce: Option<Value>,
    pub(super) reply_to: Option<u64>,
    /// The interaction that it answers.
    pub(super) answers: Option<u64>,
    pub(super) edited: Option<Duration>,
    /// How often it was edited when it was old.
    pub(super) late_edits: u32,
    pub(super) embeds: Vec<Value>,
    pub(super) components: Vec<Value>,
    pub(super) files: Vec<u64>,
    pub(super) flags: u64,
    pub(super) pings_everyone: bool,
    pub(super) reactions: Vec<(String, u64)>,
    pub(super) extra: Map<String, Value>,
}

impl Message {
    pub(super) fn is_ephemeral(&self) -> bool {
        self.flags & EPHEMERAL != 0
    }

    pub(super) fn nonce_text(&self) -> Option<String> {
        Some(match self.nonce.as_ref()? {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        })
    }
}

impl World {
    /// The accounts that a message mentions: those in its text, and whom it replies to.
    pub(super) fn mentioned(&self, message: &Message) -> Vec<u64> {
        let users = found(&message.content).into_iter().filter_map(|mention| match mention {
            Mention::User(id) if self.people.contains_key(&id) => Some(id),
            _ => None,
        });
        let mut users: Vec<u64> = users.collect();
        // a reply of the bot mentions nobody unless it says so
        let replied = message.reply_to.filter(|_| message.author != self.bot());
        users.extend(
            replied
                .and_then(|id| self.messages.get(&id))
                .map(|replied| replied.author),
        );
        users.sort_unstable();
        users.dedup();
        users
    }

    /// True if the bot sees what a message says without the intent for that.
    pub(super) fn is_for_bot(&self, message: &Message) -> bool {
        let is_private = self
            .channels
            .get(&message.channel)
            .is_some_and(|channel| channel.guild.is_none());
        is_private || message.author == self.bot() || self.mentioned(message).contains(&self.bot())
    }

    /// The message object; `full` if the reader sees what it says.
    pub(super) fn message_json(&self, message: &Message, full: bool) -> Value {
        let mut body = self.shallow_json(message, full);
        if message.kind == kind::REPLY {
            let replied = message.reply_to.and_then(|id| self.messages.get(&id));
            let replied = replied.map(|replied| self.shallow_json(replied, full || self.is_for_bot(replied)));
            insert(&mut body, "referenced_message", replied.unwrap_or_default());
        }
        body
    }

    fn shallow_json(&self, message: &Message, full: bool) -> Value {
        let full = full || self.is_for_bot(message);
        let mentions: Vec<Value> = self
            .mentioned(message)
            .into_iter()
            .map(|id| self.user_json(id))
            .collect();
        let roles = found(&message.content).into_iter().filter_map(|mention| match mention {
            Mention::Role(id) => Some(id.to_string()),
            _ => None,
        });
        let roles: Vec<String> = roles.collect();
        let list = |list: &[Value]| if full { json!(list) } else { json!([]) };
        let attachments: Vec<Value> = message
            .files
            .iter()
            .filter_map(|id| self.attachment_json(*id))
            .collect();
        let edited = message
            .edited
            .map(|at| super::world::timestamp(self.today() - ms(self.at.saturating_sub(at))));
        let mut body = json!({
            "id": message.id.to_string(), "channel_id": message.channel.to_string(), "type": message.kind,
            "author": self.user_json(message.author), "content": if full { message.content.as_str() } else { "" },
            "timestamp": made(message.id), "edited_timestamp": edited, "tts": false,
            "mention_everyone": message.pings_everyone, "mentions": mentions, "mention_roles": roles,
            "attachments": list(&attachments), "embeds": list(&message.embeds), "components": list(&message.components),
            "pinned": false, "flags": message.flags, "reactions": self.reactions_json(message),
        });
        if let Some(body) = body.as_object_mut() {
            body.extend(message.extra.clone());
        }
        if let Some(nonce) = &message.nonce {
            insert(&mut body, "nonce", nonce.clone());
        }
        if let (Some(id), kind::REPLY | kind::THREAD_STARTER) = (message.reply_to, message.kind) {
            let channel = self
                .messages
                .get(&id)
                .map_or(message.channel, |replied| replied.channel);
            let guild = self.channels.get(&channel).and_then(|channel| channel.guild);
            let mut reference = json!({"type": 0, "message_id": id.to_string(), "channel_id": channel.to_string()});
            if let Some(guild) = guild {
                insert(&mut reference, "guild_id", json!(guild.to_string()));
            }
            insert(&mut body, "message_reference", reference);
        }
        if let Some(thread) = self
            .channels
            .get(&message.id)
            .filter(|thread| thread.parent == Some(message.channel))
        {
            insert(&mut body, "thread", thread.json());
        }
        body
    }

    fn reactions_json(&self, message: &Message) -> Value {
        let mut emojis: Vec<&str> = message.reactions.iter().map(|(emoji, _)| emoji.as_str()).collect();
        emojis.dedup();
        let one = |emoji: &str| {
            let all = message.reactions.iter().filter(|(other, _)| other == emoji);
            let count = all.clone().count();
            let is_mine = all.clone().any(|(_, person)| *person == self.bot());
            json!({
                "emoji": {"id": null, "name": emoji}, "count": count, "me": is_mine, "me_burst": false,
                "count_details": {"burst": 0, "normal": count}, "burst_colors": [],
            })
        };
        Value::Array(emojis.into_iter().map(one).collect())
    }

    /// Tells whoever listens about a message; what it says is kept from those without the intent.
    pub(super) fn tell_message(&mut self, event: &'static str, id: u64) {
        let Some(message) = self.messages.get(&id).filter(|message| !message.is_ephemeral()) else {
            return;
        };
        let Some(channel) = self.channels.get(&message.channel) else {
            return;
        };
        if !self.sees(channel) {
            return;
        }
        let around = |mut body: Value| {
            if let Some(guild) = channel.guild {
                insert(&mut body, "guild_id", json!(guild.to_string()));
                insert(&mut body, "member", self.member_json(guild, message.author));
            }
            body
        };
        let (full, cut) = (
            around(self.message_json(message, true)),
            around(self.message_json(message, false)),
        );
        let (guild, intent) = (channel.guild, messages_of(channel));
        self.emit(event, guild, intent, &full, Some(&cut));
    }
}

/// The intent for messages in a channel.
pub(super) fn messages_of(channel: &Channel) -> u64 {
    if channel.guild.is_some() {
        intent::GUILD_MESSAGES
    } else {
        intent::DIRECT_MESSAGES
    }
}

fn ms(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or_default()
}
