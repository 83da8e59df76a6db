//! What is known of servers and channels, in memory: where a message stands, and what things are called.

use std::collections::HashMap;

use crate::ids::Snowflake;
use crate::place::Place;
use crate::wire::{Channel, ChannelKind, Event, Guild, Role};

/// More channels than this are not remembered: they are asked for when something is said there.
const MOST: usize = 100_000;

/// What the gateway has told of servers and channels.
#[derive(Debug, Clone)]
pub struct Known {
    me: Snowflake,
    channels: HashMap<Snowflake, Channel>,
    servers: HashMap<Snowflake, Server>,
}

/// What is remembered of a server: no people but ourselves, however many there are.
#[derive(Debug, Clone, Default)]
struct Server {
    our_role: Option<Snowflake>,
    roles: HashMap<Snowflake, String>,
}

impl Known {
    /// Nothing yet, for the bot with this id.
    #[must_use]
    pub fn new(me: Snowflake) -> Self {
        Self {
            me,
            channels: HashMap::new(),
            servers: HashMap::new(),
        }
    }

    /// Remembers what an event tells.
    pub fn take(&mut self, event: &Event) {
        match event {
            Event::Guild(guild) => self.guild(guild),
            Event::GuildGone { id, is_outage: false } => {
                self.servers.remove(id);
                self.channels.retain(|_, channel| channel.guild != Some(*id));
            }
            Event::Role(guild, role) => {
                let me = self.me;
                self.servers.entry(*guild).or_default().role(me, role);
            }
            Event::Channel(channel) => self.add(channel.clone()),
            Event::Threads(threads) => threads.iter().for_each(|thread| self.add(thread.clone())),
            Event::ChannelGone(channel) => self.gone(channel.id),
            Event::Message(message) => {
                if let Some(channel) = message.channel.and_then(|id| self.channels.get_mut(&id)) {
                    channel.newest = channel.newest.max(message.id);
                }
            }
            _ => {}
        }
    }

    /// Remembers a channel that was asked for.
    pub fn add(&mut self, channel: Channel) {
        if self.channels.len() < MOST || self.channels.contains_key(&channel.id) {
            let newest = self.channels.get(&channel.id).and_then(|known| known.newest);
            let newest = channel.newest.max(newest);
            self.channels.insert(channel.id, Channel { newest, ..channel });
        }
    }

    /// Forgets a channel, and the threads in it.
    pub fn gone(&mut self, id: Snowflake) {
        self.channels.remove(&id);
        let is_in_it = |channel: &Channel| channel.kind == ChannelKind::Thread && channel.parent == Some(id);
        self.channels.retain(|_, channel| !is_in_it(channel));
    }

    /// The bot's own id.
    #[must_use]
    pub fn me(&self) -> Snowflake {
        self.me
    }

    /// What is known of a channel or a thread.
    #[must_use]
    pub fn channel(&self, id: Snowflake) -> Option<&Channel> {
        self.channels.get(&id)
    }

    /// All channels and threads that are known, in no order.
    pub fn channels(&self) -> impl Iterator<Item = &Channel> {
        self.channels.values()
    }

    /// The conversation of a channel or a thread, if it is known.
    #[must_use]
    pub fn place(&self, id: Snowflake) -> Option<Place> {
        self.channel(id).and_then(place)
    }

    /// The name of a channel, if it is known.
    #[must_use]
    pub fn channel_name(&self, id: Snowflake) -> Option<&str> {
        let name = self.channel(id).map(|channel| channel.name.as_str());
        name.filter(|name| !name.is_empty())
    }

    /// The name of a role of a server, if it is known.
    #[must_use]
    pub fn role_name(&self, guild: Option<Snowflake>, id: Snowflake) -> Option<&str> {
        self.servers.get(&guild?)?.roles.get(&id).map(String::as_str)
    }

    /// The role that a server made for the bot.
    #[must_use]
    pub fn our_role(&self, guild: Option<Snowflake>) -> Option<Snowflake> {
        self.servers.get(&guild?)?.our_role
    }

    fn guild(&mut self, guild: &Guild) {
        let mut server = Server::default();
        guild.roles.iter().for_each(|role| server.role(self.me, role));
        self.servers.insert(guild.id, server);
        // what is not told any more has gone, or was put away, while nobody listened
        self.channels.retain(|_, channel| channel.guild != Some(guild.id));
        for channel in guild.channels.iter().chain(&guild.threads) {
            self.add(channel.clone());
        }
    }
}

impl Server {
    fn role(&mut self, me: Snowflake, role: &Role) {
        self.roles.insert(role.id, role.name.clone());
        if role.bot == Some(me) {
            self.our_role = Some(role.id);
        }
    }
}

/// The conversation of a channel; none for a thread of which nobody says whose it is.
#[must_use]
pub fn place(channel: &Channel) -> Option<Place> {
    match (channel.kind, channel.parent) {
        (ChannelKind::Thread, Some(parent)) => Some(Place::thread(parent, channel.id)),
        (ChannelKind::Thread, None) => None,
        _ => Some(Place::channel(channel.id)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: u64) -> Snowflake {
        Snowflake::new(number).unwrap()
    }

    fn known() -> Known {
        let mut known = Known::new(id(1));
        let guild = r#"{"id":"5","roles":[{"id":"50","name":"Bot","tags":{"bot_id":"1"}},{"id":"51","name":"All"}],
            "channels":[{"id":"10","type":0,"name":"general"}],"threads":[{"id":"11","type":11,"parent_id":"10","name":"t"}]}"#;
        known.take(&Event::read("GUILD_CREATE", guild));
        known
    }

    #[test]
    fn places_and_names_are_known() {
        let known = known();
        assert_eq!(known.place(id(10)), Some(Place::channel(id(10))));
        assert_eq!(known.place(id(11)), Some(Place::thread(id(10), id(11))));
        assert_eq!(
            (known.place(id(12)), known.channel_name(id(10))),
            (None, Some("general"))
        );
        let guild = Some(id(5));
        assert_eq!(
            (known.our_role(guild), known.role_name(guild, id(51))),
            (Some(id(50)), Some("All"))
        );
        assert_eq!((known.our_role(None), known.role_name(guild, id(52))), (None, None));
    }

    #[test]
    fn what_is_gone_is_forgotten_with_its_threads() {
        let mut one = known();
        one.take(&Event::read("CHANNEL_DELETE", r#"{"id":"10","type":0}"#));
        assert_eq!(one.channels().count(), 0);
        let mut outage = known();
        outage.take(&Event::read("GUILD_DELETE", r#"{"id":"5","unavailable":true}"#));
        assert_eq!(outage.channels().count(), 2);
        outage.take(&Event::read("GUILD_DELETE", r#"{"id":"5"}"#));
        assert_eq!((outage.channels().count(), outage.our_role(Some(id(5)))), (0, None));
    }

    #[test]
    fn a_server_is_told_whole() {
        let mut known = known();
        known.take(&Event::read(
            "GUILD_CREATE",
            r#"{"id":"5","channels":[{"id":"12","type":0}]}"#,
        ));
        let ids: Vec<Snowflake> = known.channels().map(|channel| channel.id).collect();
        assert_eq!(ids, [id(12)]);
    }

    #[test]
    fn threads_and_newest_messages_follow() {
        let mut known = known();
        let sync = r#"{"guild_id":"5","threads":[{"id":"12","type":12,"parent_id":"10"}]}"#;
        known.take(&Event::read("THREAD_LIST_SYNC", sync));
        assert_eq!(known.place(id(12)), Some(Place::thread(id(10), id(12))));
        for message in ["90", "80"] {
            let json = format!(r#"{{"id":"{message}","channel_id":"12"}}"#);
            known.take(&Event::read("MESSAGE_CREATE", &json));
        }
        known.take(&Event::read(
            "THREAD_UPDATE",
            r#"{"id":"12","type":12,"parent_id":"10","guild_id":"5"}"#,
        ));
        assert_eq!(known.channel(id(12)).unwrap().newest, Some(id(90)));
    }
}
