//! Threads: how they begin, and how they change.

use serde_json::json;

use crate::discord_double::message::{self, Message};
use crate::discord_double::place::{Channel, Thread, kind};
use crate::discord_double::said::Said;
use crate::discord_double::world::{World, made};

/// The settings of a new thread.
pub(in crate::discord_double) struct NewThread<'a> {
    pub(in crate::discord_double) owner: u64,
    pub(in crate::discord_double) parent: u64,
    pub(in crate::discord_double) name: &'a str,
    pub(in crate::discord_double) kind: u8,
    pub(in crate::discord_double) archives_after: u64,
}

impl World {
    /// Puts a thread under its parent.
    pub(in crate::discord_double) fn insert_thread(&mut self, id: u64, new: &NewThread<'_>) {
        let guild = self.channels.get(&new.parent).and_then(|parent| parent.guild);
        let mut channel = Channel::new(id, new.kind, guild, new.name);
        channel.parent = Some(new.parent);
        channel.thread = Some(Thread {
            owner: new.owner,
            is_archived: false,
            is_locked: false,
            has_bot: new.owner == self.bot(),
            archives_after: new.archives_after,
            since: made(id),
            messages: 0,
            tags: json!([]),
        });
        self.insert_channel("THREAD_CREATE", channel);
    }

    /// The message in the parent that says that there is a new thread.
    pub(in crate::discord_double) fn announce(&mut self, thread: u64, new: &NewThread<'_>) {
        let id = self.new_id();
        let message = Message {
            id,
            channel: new.parent,
            author: new.owner,
            kind: message::kind::THREAD_CREATED,
            content: new.name.to_owned(),
            extra: [(
                "message_reference".to_owned(),
                json!({"type": 0, "channel_id": thread.to_string()}),
            )]
            .into_iter()
            .collect(),
            ..Message::default()
        };
        self.insert_message(message);
        self.tell_message("MESSAGE_CREATE", id);
    }

    pub(super) fn person_thread(&mut self, person: u64, channel: u64, name: &str, is_private: bool) -> u64 {
        let id = self.new_id();
        let new = NewThread {
            owner: person,
            parent: channel,
            name,
            kind: if is_private {
                kind::PRIVATE_THREAD
            } else {
                kind::PUBLIC_THREAD
            },
            archives_after: 4320,
        };
        self.insert_thread(id, &new);
        if !is_private {
            self.announce(id, &new);
        }
        id
    }

    /// Starts a thread from a message, of which it has the id.
    pub(in crate::discord_double) fn thread_from(
        &mut self,
        owner: u64,
        message: u64,
        name: &str,
        archives_after: u64,
    ) -> u64 {
        let Some(parent) = self.messages.get(&message).map(|message| message.channel) else {
            return 0;
        };
        let is_announcement = self.channels.get(&parent).is_some_and(|channel| channel.kind == 5);
        let new = NewThread {
            owner,
            parent,
            name,
            kind: if is_announcement {
                kind::ANNOUNCEMENT_THREAD
            } else {
                kind::PUBLIC_THREAD
            },
            archives_after,
        };
        self.insert_thread(message, &new);
        self.announce(message, &new);
        let id = self.new_id();
        let starter = Message {
            id,
            channel: message,
            author: owner,
            kind: message::kind::THREAD_STARTER,
            reply_to: Some(message),
            ..Message::default()
        };
        self.insert_message(starter);
        self.tell_message("MESSAGE_CREATE", id);
        message
    }

    pub(super) fn person_forum_post(&mut self, person: u64, forum: u64, title: &str, said: Said) -> u64 {
        let id = self.new_id();
        let new = NewThread {
            owner: person,
            parent: forum,
            name: title,
            kind: kind::PUBLIC_THREAD,
            archives_after: 4320,
        };
        self.insert_thread(id, &new);
        self.say_as(id, person, id, said);
        id
    }

    pub(super) fn add_bot(&mut self, thread: u64) {
        if let Some(thread) = self
            .channels
            .get_mut(&thread)
            .and_then(|channel| channel.thread.as_mut())
        {
            thread.has_bot = true;
        }
        self.tell_channel("THREAD_CREATE", thread);
    }

    pub(in crate::discord_double) fn change_thread(&mut self, id: u64, change: impl FnOnce(&mut Thread)) {
        if let Some(thread) = self.channels.get_mut(&id).and_then(|channel| channel.thread.as_mut()) {
            change(thread);
            self.tell_channel("THREAD_UPDATE", id);
        }
    }
}
