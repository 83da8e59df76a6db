//! Channels, threads, and the servers that they are in.

use super::people::User;
use crate::fields::Fields;
use crate::ids::Snowflake;

/// A channel, a thread or a direct conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Channel {
    /// Its id.
    pub id: Snowflake,
    /// What it is.
    pub kind: ChannelKind,
    /// The server that it is in, where that is told.
    pub guild: Option<Snowflake>,
    /// What it belongs to: of a thread the channel, of a channel the category.
    pub parent: Option<Snowflake>,
    /// Its name.
    pub name: String,
    /// The newest message in it, which may have been deleted since.
    pub newest: Option<Snowflake>,
    /// Who began the thread.
    pub owner: Option<Snowflake>,
    /// Whom a direct conversation is with.
    pub recipients: Vec<User>,
    /// True for a thread that is put away.
    pub is_archived: bool,
    /// True for a thread in which only those who govern it may write.
    pub is_locked: bool,
}

/// What a channel is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChannelKind {
    /// Where people write: text, announcements, and beside voice.
    Text,
    /// A conversation with one person.
    Direct,
    /// A thread, or the post of a forum.
    Thread,
    /// A forum: all of its messages stand in threads.
    Forum,
    /// Where nobody writes, or what is not known.
    Other,
}

/// A server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guild {
    /// Its id.
    pub id: Snowflake,
    /// Its name.
    pub name: String,
    /// Its channels.
    pub channels: Vec<Channel>,
    /// Its threads that are not put away, as far as the bot may see them.
    pub threads: Vec<Channel>,
    /// Its roles.
    pub roles: Vec<Role>,
    /// Ourselves and a few others, with the names by which they are known there.
    pub members: Vec<User>,
}

/// A role of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Role {
    /// Its id.
    pub id: Snowflake,
    /// Its name.
    pub name: String,
    /// The bot that it was made for.
    pub bot: Option<Snowflake>,
}

impl ChannelKind {
    fn of(number: Option<u64>) -> Self {
        match number {
            Some(0 | 2 | 5 | 13) => Self::Text,
            Some(1) => Self::Direct,
            Some(10..=12) => Self::Thread,
            Some(15 | 16) => Self::Forum,
            _ => Self::Other,
        }
    }
}

impl Channel {
    /// Reads one; none if it is no channel at all.
    #[must_use]
    pub fn read(json: &str) -> Option<Self> {
        Self::of(&Fields::read(json)?)
    }

    pub(super) fn of(channel: &Fields<'_>) -> Option<Self> {
        let state = channel.object("thread_metadata");
        let recipients = channel.objects("recipients");
        let recipients = recipients
            .iter()
            .filter_map(|user| User::read(user, &Fields::default()));
        Some(Self {
            id: channel.id("id")?,
            kind: ChannelKind::of(channel.number("type")),
            guild: channel.id("guild_id"),
            parent: channel.id("parent_id"),
            name: channel.text("name"),
            newest: channel.id("last_message_id"),
            owner: channel.id("owner_id"),
            recipients: recipients.collect(),
            is_archived: state.flag("archived"),
            is_locked: state.flag("locked"),
        })
    }
}

impl Guild {
    pub(super) fn of(guild: &Fields<'_>) -> Option<Self> {
        let id = guild.id("id")?;
        let within = |key: &str| -> Vec<Channel> {
            let channels = guild.objects(key).into_iter();
            let read = channels.filter_map(|channel| Channel::of(&channel));
            // those of a server do not say which
            read.map(|channel| Channel {
                guild: Some(id),
                ..channel
            })
            .collect()
        };
        let members = guild.objects("members");
        let members = members
            .iter()
            .filter_map(|member| User::read(&member.object("user"), member));
        Some(Self {
            id,
            name: guild.text("name"),
            channels: within("channels"),
            threads: within("threads"),
            roles: guild.objects("roles").iter().filter_map(Role::of).collect(),
            members: members.collect(),
        })
    }
}

impl Role {
    pub(super) fn of(role: &Fields<'_>) -> Option<Self> {
        Some(Self {
            id: role.id("id")?,
            name: role.text("name"),
            bot: role.object("tags").id("bot_id"),
        })
    }
}
