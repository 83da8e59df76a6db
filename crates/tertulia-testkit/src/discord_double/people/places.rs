//! Accounts, guilds and channels, and what happens to them.

use serde_json::json;

use crate::discord_double::hub::intent;
use crate::discord_double::place::{Channel, Guild, Permission, kind};
use crate::discord_double::world::{Person, World};

impl World {
    pub(super) fn new_person(&mut self, name: &str, is_bot: bool) -> u64 {
        let id = self.new_id();
        let person = Person {
            id,
            name: name.to_owned(),
            is_bot,
            is_closed: false,
            conversation: None,
        };
        self.people.insert(id, person);
        id
    }

    pub(super) fn new_guild(&mut self, name: &str, members: u64) -> u64 {
        let owner = self.new_person("owner", false);
        let guild = Guild {
            id: self.new_id(),
            name: name.to_owned(),
            members,
            owner,
            bot_role: self.new_id(),
            permissions: Permission::TALK.0,
            is_unavailable: false,
        };
        let (id, body) = (guild.id, self.guild_create(&guild));
        self.guilds.insert(id, guild);
        self.emit("GUILD_CREATE", Some(id), intent::GUILDS, &body, None);
        id
    }

    pub(super) fn new_channel(&mut self, guild: u64, kind: u8, name: &str) -> u64 {
        let id = self.new_id();
        let channel = Channel::new(id, kind, Some(guild), name);
        self.insert_channel("CHANNEL_CREATE", channel);
        id
    }

    /// Adds a channel or thread and tells of it.
    pub(in crate::discord_double) fn insert_channel(&mut self, event: &str, channel: Channel) {
        let id = channel.id;
        self.channels.insert(id, channel);
        self.tell_channel(event, id);
    }

    pub(in crate::discord_double) fn tell_channel(&mut self, event: &str, id: u64) {
        let Some(channel) = self.channels.get(&id).filter(|channel| self.sees(channel)) else {
            return;
        };
        let (guild, body) = (channel.guild, self.channel_json(channel));
        self.emit(event, guild, intent::GUILDS, &body, None);
    }

    pub(in crate::discord_double) fn delete_channel(&mut self, id: u64) {
        let event = match self.channels.get(&id) {
            Some(channel) if channel.is_thread() => "THREAD_DELETE",
            _ => "CHANNEL_DELETE",
        };
        self.tell_channel(event, id);
        let gone: Vec<u64> = self
            .channels
            .values()
            .filter(|channel| channel.id == id || channel.parent == Some(id))
            .map(|channel| channel.id)
            .collect();
        self.channels.retain(|id, _| !gone.contains(id));
        let unreachable = self.messages.values().filter(|message| gone.contains(&message.channel));
        self.excused.extend(unreachable.map(|message| message.id));
        self.messages.retain(|_, message| !gone.contains(&message.channel));
    }

    pub(in crate::discord_double) fn leave(&mut self, guild: u64) {
        let body = json!({"id": guild.to_string()});
        self.emit("GUILD_DELETE", Some(guild), intent::GUILDS, &body, None);
        let channels = self.channels.values().filter(|channel| channel.guild == Some(guild));
        let channels: Vec<u64> = channels.map(|channel| channel.id).collect();
        let unreachable = self
            .messages
            .values()
            .filter(|message| channels.contains(&message.channel));
        self.excused.extend(unreachable.map(|message| message.id));
        self.guilds.remove(&guild);
        self.channels.retain(|_, channel| channel.guild != Some(guild));
        self.messages.retain(|_, message| !channels.contains(&message.channel));
    }

    pub(super) fn set_unavailable(&mut self, id: u64, unavailable: bool) {
        let Some(guild) = self.guilds.get_mut(&id) else {
            return;
        };
        guild.is_unavailable = unavailable;
        let guild = guild.clone();
        if unavailable {
            let body = json!({"id": id.to_string(), "unavailable": true});
            self.emit("GUILD_DELETE", Some(id), intent::GUILDS, &body, None);
        } else {
            let body = self.guild_create(&guild);
            self.emit("GUILD_CREATE", Some(id), intent::GUILDS, &body, None);
        }
    }

    pub(super) fn set_permission(&mut self, id: u64, what: Permission, is_given: bool) {
        let Some(channel) = self.channels.get_mut(&id) else {
            return;
        };
        if is_given {
            channel.denied &= !what.0;
        } else {
            channel.denied |= what.0;
        }
        let is_post = what == Permission::SEND_MESSAGES || what == Permission::VIEW_CHANNEL;
        let is_post = is_post || what == Permission::SEND_MESSAGES_IN_THREADS;
        if is_post && !is_given {
            let here = self.messages.values().filter(|message| message.channel == id);
            self.excused.extend(here.map(|message| message.id));
        }
        self.tell_channel("CHANNEL_UPDATE", id);
    }
}

/// True for channels in which messages stand, threads aside.
pub(in crate::discord_double) fn takes_messages(channel: &Channel) -> bool {
    channel.is_thread() || matches!(channel.kind, kind::TEXT | kind::DM | 2 | 5)
}
