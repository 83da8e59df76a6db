//! Guilds, channels and threads.

use std::time::Duration;

use serde_json::{Value, json};

/// Permissions, by their bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Permission(pub u64);

impl Permission {
    /// Put a reaction below a message that has none of the sort.
    pub const ADD_REACTIONS: Self = Self(1 << 6);
    /// See the channel.
    pub const VIEW_CHANNEL: Self = Self(1 << 10);
    /// Send messages, threads aside.
    pub const SEND_MESSAGES: Self = Self(1 << 11);
    /// Delete and pin what others wrote.
    pub const MANAGE_MESSAGES: Self = Self(1 << 13);
    /// Have addresses shown as cards.
    pub const EMBED_LINKS: Self = Self(1 << 14);
    /// Send files.
    pub const ATTACH_FILES: Self = Self(1 << 15);
    /// Read what was written before.
    pub const READ_MESSAGE_HISTORY: Self = Self(1 << 16);
    /// Ping everyone, and roles that are not for all to ping.
    pub const MENTION_EVERYONE: Self = Self(1 << 17);
    /// Open, close and delete threads of others.
    pub const MANAGE_THREADS: Self = Self(1 << 34);
    /// Make threads that all can see.
    pub const CREATE_PUBLIC_THREADS: Self = Self(1 << 35);
    /// Make threads that only the invited see.
    pub const CREATE_PRIVATE_THREADS: Self = Self(1 << 36);
    /// Send messages in threads.
    pub const SEND_MESSAGES_IN_THREADS: Self = Self(1 << 38);
    /// Write without regard to slow mode.
    pub const BYPASS_SLOWMODE: Self = Self(1 << 52);

    /// What a bot has that was invited to talk.
    pub(super) const TALK: Self = Self(
        Self::ADD_REACTIONS.0
            | Self::VIEW_CHANNEL.0
            | Self::SEND_MESSAGES.0
            | Self::EMBED_LINKS.0
            | Self::ATTACH_FILES.0
            | Self::READ_MESSAGE_HISTORY.0
            | Self::CREATE_PUBLIC_THREADS.0
            | Self::CREATE_PRIVATE_THREADS.0
            | Self::SEND_MESSAGES_IN_THREADS.0,
    );
}

/// A channel's type, by its number.
pub(super) mod kind {
    pub(in super::super) const TEXT: u8 = 0;
    pub(in super::super) const DM: u8 = 1;
    pub(in super::super) const ANNOUNCEMENT_THREAD: u8 = 10;
    pub(in super::super) const PUBLIC_THREAD: u8 = 11;
    pub(in super::super) const PRIVATE_THREAD: u8 = 12;
    pub(in super::super) const FORUM: u8 = 15;
}

/// A guild with the bot in it.
#[derive(Debug, Clone)]
pub(super) struct Guild {
    pub(super) id: u64,
    pub(super) name: String,
    pub(super) members: u64,
    pub(super) owner: u64,
    /// The role that the bot alone has.
    pub(super) bot_role: u64,
    pub(super) permissions: u64,
    pub(super) is_unavailable: bool,
}

/// A channel, a thread, or a private conversation.
#[derive(Debug, Clone)]
pub(super) struct Channel {
    pub(super) id: u64,
    pub(super) kind: u8,
    pub(super) guild: Option<u64>,
    pub(super) parent: Option<u64>,
    pub(super) name: String,
    pub(super) last_message: Option<u64>,
    pub(super) denied: u64,
    pub(super) slow: Duration,
    pub(super) last_bot_post: Option<Duration>,
    pub(super) thread: Option<Thread>,
    pub(super) recipient: Option<u64>,
}

/// What only threads have.
#[derive(Debug, Clone)]
pub(super) struct Thread {
    pub(super) owner: u64,
    pub(super) is_archived: bool,
    pub(super) is_locked: bool,
    /// True if the bot was added.
    pub(super) has_bot: bool,
    pub(super) archives_after: u64,
    pub(super) since: String,
    pub(super) messages: u32,
    pub(super) tags: Value,
}

impl Channel {
    pub(super) fn new(id: u64, kind: u8, guild: Option<u64>, name: &str) -> Self {
        Self {
            id,
            kind,
            guild,
            parent: None,
            name: name.to_owned(),
            last_message: None,
            denied: 0,
            slow: Duration::ZERO,
            last_bot_post: None,
            thread: None,
            recipient: None,
        }
    }

    pub(super) fn is_thread(&self) -> bool {
        self.thread.is_some()
    }

    /// The channel object, private conversations aside.
    pub(super) fn json(&self) -> Value {
        let guild = self.guild.map(|id| id.to_string());
        let mut body = json!({
            "id": self.id.to_string(), "type": self.kind, "guild_id": guild, "name": self.name,
            "parent_id": self.parent.map(|id| id.to_string()),
            "last_message_id": self.last_message.map(|id| id.to_string()),
            "rate_limit_per_user": self.slow.as_secs(), "flags": 0,
        });
        let more = match &self.thread {
            Some(thread) => thread.fields(),
            None => json!({
                "position": 0, "topic": null, "nsfw": false, "permission_overwrites": self.overwrites(),
                "default_auto_archive_duration": 4320, "available_tags": [], "last_pin_timestamp": null,
            }),
        };
        super::refusal::merge(&mut body, more);
        body
    }

    fn overwrites(&self) -> Value {
        match (self.denied, self.guild) {
            (0, _) | (_, None) => json!([]),
            (denied, Some(guild)) => {
                json!([{"id": guild.to_string(), "type": 0, "allow": "0", "deny": denied.to_string()}])
            }
        }
    }
}

impl Thread {
    fn fields(&self) -> Value {
        json!({
            "owner_id": self.owner.to_string(), "message_count": self.messages, "member_count": 2,
            "total_message_sent": self.messages, "applied_tags": self.tags,
            "thread_metadata": {
                "archived": self.is_archived, "auto_archive_duration": self.archives_after,
                "archive_timestamp": self.since, "locked": self.is_locked, "create_timestamp": self.since,
                "invitable": true,
            },
        })
    }
}
