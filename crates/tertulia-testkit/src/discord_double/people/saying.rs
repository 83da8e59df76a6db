//! Messages of people, and who hears them.

use serde_json::json;
use tertulia_message::Addressed;

use crate::chat_double::RecordAct;
use crate::discord_double::hub::intent;
use crate::discord_double::mentions::{Mention, found};
use crate::discord_double::message::{Message, kind};
use crate::discord_double::place::Channel;
use crate::discord_double::said::Said;
use crate::discord_double::world::World;

impl World {
    pub(super) fn say(&mut self, person: u64, channel: u64, said: Said) -> u64 {
        let id = match said.ago {
            Some(ago) => self.old_id(ago),
            None => self.new_id(),
        };
        self.say_as(id, person, channel, said)
    }

    /// Sends a message of a person under this number.
    pub(super) fn say_as(&mut self, id: u64, person: u64, channel: u64, said: Said) -> u64 {
        self.wake(channel);
        let mut files = Vec::new();
        for (upload, told) in said.files {
            let file = self.new_id();
            self.files.keep(file, channel, upload, told);
            files.push(file);
        }
        let of_text = if said.reply_to.is_some() {
            kind::REPLY
        } else {
            kind::REGULAR
        };
        let message = Message {
            id,
            channel,
            author: person,
            kind: said.kind.unwrap_or(of_text),
            pings_everyone: found(&said.text).contains(&Mention::Everyone),
            content: said.text,
            reply_to: said.reply_to,
            embeds: said.embeds,
            files,
            extra: said.extra,
            ..Message::default()
        };
        let is_written = matches!(message.kind, kind::REGULAR | kind::REPLY);
        self.insert_message(message);
        let is_person = self.people.get(&person).is_some_and(|person| !person.is_bot);
        let addressed = if is_person && is_written {
            self.addressed(id)
        } else {
            Addressed::None
        };
        let act = RecordAct::Said {
            person: person.to_string(),
            addressed,
        };
        self.record(id, act);
        if said.ago.is_none() {
            self.tell_message("MESSAGE_CREATE", id);
            self.repeat(id);
        }
        id
    }

    /// Tells some messages twice.
    fn repeat(&mut self, id: u64) {
        self.due_twice += u32::from(self.settings.twice_percent);
        if self.due_twice >= 100 {
            self.due_twice -= 100;
            self.truth.counts.told_twice += 1;
            self.tell_message("MESSAGE_CREATE", id);
        }
    }

    /// Whoever writes in an archived thread opens it.
    pub(in crate::discord_double) fn wake(&mut self, channel: u64) {
        let thread = self.channels.get(&channel).and_then(|channel| channel.thread.as_ref());
        if thread.is_some_and(|thread| thread.is_archived) {
            self.change_thread(channel, |thread| thread.is_archived = false);
        }
    }

    /// Puts a message into its channel.
    pub(in crate::discord_double) fn insert_message(&mut self, message: Message) {
        if let Some(channel) = self.channels.get_mut(&message.channel) {
            channel.last_message = channel.last_message.max(Some(message.id));
            if let Some(thread) = &mut channel.thread {
                thread.messages += 1;
            }
        }
        self.messages.insert(message.id, message);
    }

    fn addressed(&self, id: u64) -> Addressed {
        let Some(message) = self.messages.get(&id) else {
            return Addressed::None;
        };
        let channel = self.channels.get(&message.channel);
        let Some(guild) = channel.and_then(|channel| channel.guild) else {
            return Addressed::Direct;
        };
        let role = self.guilds.get(&guild).map(|guild| Mention::Role(guild.bot_role));
        let mentions = found(&message.content);
        if mentions.contains(&Mention::User(self.bot())) || role.is_some_and(|role| mentions.contains(&role)) {
            return Addressed::Mention;
        }
        let replied = message.reply_to.and_then(|id| self.messages.get(&id));
        match replied {
            Some(replied) if replied.author == self.bot() => Addressed::Reply,
            _ => Addressed::None,
        }
    }

    pub(super) fn change(&mut self, id: u64, text: &str) -> bool {
        let at = self.at;
        let Some(message) = self.messages.get_mut(&id) else {
            return false;
        };
        text.clone_into(&mut message.content);
        message.edited = Some(at);
        self.record(id, RecordAct::Changed);
        self.tell_message("MESSAGE_UPDATE", id);
        true
    }

    /// Somebody deletes a message.
    pub(super) fn take_away(&mut self, id: u64) -> bool {
        let Some(message) = self.messages.get(&id) else {
            return false;
        };
        let is_ours = message.author == self.bot();
        self.record(
            id,
            if is_ours {
                RecordAct::Deleted
            } else {
                RecordAct::Redacted
            },
        );
        self.remove(id);
        true
    }

    /// Removes a message and tells of it.
    pub(in crate::discord_double) fn remove(&mut self, id: u64) {
        let Some(message) = self.messages.remove(&id) else {
            return;
        };
        let Some(channel) = self.channels.get(&message.channel).filter(|channel| self.sees(channel)) else {
            return;
        };
        if message.is_ephemeral() {
            return;
        }
        let guild = channel.guild;
        let mut body = json!({"id": id.to_string(), "channel_id": message.channel.to_string()});
        if let Some(guild) = guild {
            crate::discord_double::refusal::insert(&mut body, "guild_id", json!(guild.to_string()));
        }
        let intent = crate::discord_double::message::messages_of(channel);
        self.emit("MESSAGE_DELETE", guild, intent, &body, None);
    }

    pub(in crate::discord_double) fn react(&mut self, person: u64, id: u64, emoji: &str) {
        let Some(message) = self.messages.get_mut(&id) else {
            return;
        };
        let reaction = (emoji.to_owned(), person);
        if message.reactions.contains(&reaction) {
            return;
        }
        message.reactions.push(reaction);
        message.reactions.sort();
        self.tell_reaction("MESSAGE_REACTION_ADD", person, id, emoji);
    }

    pub(in crate::discord_double) fn tell_reaction(&mut self, event: &str, person: u64, id: u64, emoji: &str) {
        let Some(message) = self.messages.get(&id) else {
            return;
        };
        let Some(channel) = self.channels.get(&message.channel).filter(|channel| self.sees(channel)) else {
            return;
        };
        let body = json!({
            "user_id": person.to_string(), "channel_id": message.channel.to_string(), "message_id": id.to_string(),
            "guild_id": channel.guild.map(|guild| guild.to_string()), "emoji": {"id": null, "name": emoji},
            "message_author_id": message.author.to_string(), "burst": false, "type": 0,
        });
        let (guild, intent) = (channel.guild, reactions_of(channel));
        self.emit(event, guild, intent, &body, None);
    }
}

fn reactions_of(channel: &Channel) -> u64 {
    if channel.guild.is_some() {
        intent::GUILD_MESSAGE_REACTIONS
    } else {
        intent::DIRECT_MESSAGE_REACTIONS
    }
}
