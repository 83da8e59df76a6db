//! Threads that the bot starts, changes and lists.

use serde_json::{Value, json};

use super::{Answer, Done};
use crate::discord_double::people::NewThread;
use crate::discord_double::place::{Channel, Permission, kind};
use crate::discord_double::refusal::Refusal;
use crate::discord_double::request::Request;
use crate::discord_double::world::World;

const LONGEST_NAME: usize = 100;
/// After how many minutes of silence a thread can be archived.
const ARCHIVED_AFTER: [u64; 4] = [60, 1440, 4320, 10080];

impl World {
    pub(super) fn start_thread_from_message(&mut self, request: &Request) -> Done {
        let message = self.seen_message(request)?.id;
        let channel = self.seen_channel(request)?;
        if channel.is_thread() || channel.kind == kind::FORUM || channel.guild.is_none() {
            return Err(Refusal::of(400, 50024, "Cannot execute action on this channel type"));
        }
        if !self.may(channel, Permission::CREATE_PUBLIC_THREADS) {
            return Err(Refusal::missing_permissions());
        }
        if self.channels.contains_key(&message) {
            return Err(Refusal::of(
                400,
                160_004,
                "A thread has already been created for this message",
            ));
        }
        let archives_after = settings_of(&request.body)?;
        let bot = self.bot();
        self.thread_from(bot, message, request.text("name"), archives_after);
        Ok(Answer::Created(self.channel(message)?.json()))
    }

    pub(super) fn start_thread(&mut self, request: &Request) -> Done {
        let channel = self.seen_channel(request)?.clone();
        if channel.kind == kind::FORUM {
            return self.bot_forum_post(request, &channel);
        }
        if channel.is_thread() || channel.guild.is_none() {
            return Err(Refusal::of(400, 50024, "Cannot execute action on this channel type"));
        }
        let is_public = *request.field("type") == kind::PUBLIC_THREAD;
        let thread_kind = if is_public {
            kind::PUBLIC_THREAD
        } else {
            kind::PRIVATE_THREAD
        };
        let id = self.new_id();
        self.new_bot_thread(request, id, &channel, thread_kind)?;
        Ok(Answer::Created(self.channel(id)?.json()))
    }

    /// Starts a thread of the bot that belongs to no message.
    pub(super) fn new_bot_thread(
        &mut self,
        request: &Request,
        id: u64,
        parent: &Channel,
        kind: u8,
    ) -> Result<(), Refusal> {
        let needed = match (parent.kind, kind) {
            (self::kind::FORUM, _) => Permission::SEND_MESSAGES,
            (_, self::kind::PRIVATE_THREAD) => Permission::CREATE_PRIVATE_THREADS,
            _ => Permission::CREATE_PUBLIC_THREADS,
        };
        if !self.may(parent, needed) {
            return Err(Refusal::missing_permissions());
        }
        let new = NewThread {
            owner: self.bot(),
            parent: parent.id,
            name: request.text("name"),
            kind,
            archives_after: settings_of(&request.body)?,
        };
        self.insert_thread(id, &new);
        if parent.kind != self::kind::FORUM && kind == self::kind::PUBLIC_THREAD {
            self.announce(id, &new);
        }
        Ok(())
    }

    pub(super) fn modify_channel(&mut self, request: &Request) -> Done {
        let channel = self.seen_channel(request)?;
        let (id, manages) = (channel.id, self.may(channel, Permission::MANAGE_THREADS));
        let Some(thread) = &channel.thread else {
            return Err(Refusal::missing_permissions());
        };
        let is_opening = *request.field("archived") == false;
        let is_mine = thread.owner == self.bot();
        let may_open = is_opening && !thread.is_locked && self.may(channel, Permission::SEND_MESSAGES_IN_THREADS);
        let is_locking = !request.field("locked").is_null();
        if !manages && (is_locking || !(is_mine || may_open)) {
            return Err(Refusal::missing_permissions());
        }
        if let Some(name) = request.field("name").as_str() {
            check_name(name)?;
            if let Some(channel) = self.channels.get_mut(&id) {
                name.clone_into(&mut channel.name);
            }
        }
        let (archived, locked) = (request.field("archived").as_bool(), request.field("locked").as_bool());
        self.change_thread(id, |thread| {
            thread.is_archived = archived.unwrap_or(thread.is_archived);
            thread.is_locked = locked.unwrap_or(thread.is_locked);
        });
        Ok(Answer::Json(self.channel(id)?.json()))
    }

    pub(super) fn membership(&mut self, request: &Request) -> Done {
        let channel = self.seen_channel(request)?;
        let (id, joins) = (channel.id, request.route.name == "join_thread");
        if channel.thread.as_ref().is_none_or(|thread| thread.is_archived) {
            return Err(Refusal::of(
                400,
                50083,
                "Tried to perform an operation on an archived thread",
            ));
        }
        if let Some(thread) = self.channels.get_mut(&id).and_then(|channel| channel.thread.as_mut()) {
            thread.has_bot = joins;
        }
        Ok(Answer::Nothing)
    }

    pub(super) fn archived_threads(&self, request: &Request) -> Done {
        let parent = self.seen_channel(request)?;
        if !self.may(parent, Permission::READ_MESSAGE_HISTORY) {
            return Err(Refusal::missing_permissions());
        }
        let is_wanted = |channel: &&Channel| {
            let is_archived = channel.thread.as_ref().is_some_and(|thread| thread.is_archived);
            channel.parent == Some(parent.id) && is_archived && channel.kind != kind::PRIVATE_THREAD
        };
        let mut threads: Vec<Value> = self.channels.values().filter(is_wanted).map(Channel::json).collect();
        threads.reverse();
        Ok(Answer::Json(
            json!({"threads": threads, "members": [], "has_more": false}),
        ))
    }

    pub(super) fn active_threads(&self, request: &Request) -> Answer {
        let guild = request.route.guild;
        let is_wanted = |channel: &&Channel| {
            let is_active = channel.thread.as_ref().is_some_and(|thread| !thread.is_archived);
            channel.guild == guild && is_active && self.sees(channel)
        };
        let threads: Vec<Value> = self.channels.values().filter(is_wanted).map(Channel::json).collect();
        Answer::Json(json!({"threads": threads, "members": []}))
    }
}

/// The time of silence that a body asks for, if name and time are good.
fn settings_of(body: &Value) -> Result<u64, Refusal> {
    check_name(body["name"].as_str().unwrap_or_default())?;
    let minutes = body["auto_archive_duration"].as_u64().unwrap_or(4320);
    if ARCHIVED_AFTER.contains(&minutes) {
        return Ok(minutes);
    }
    let words = "Value must be one of (60, 1440, 4320, 10080).";
    Err(Refusal::form("auto_archive_duration", "BASE_TYPE_CHOICES", words))
}

fn check_name(name: &str) -> Result<(), Refusal> {
    if (1..=LONGEST_NAME).contains(&name.trim().chars().count()) {
        return Ok(());
    }
    let words = "Must be between 1 and 100 in length.";
    Err(Refusal::form("name", "BASE_TYPE_BAD_LENGTH", words))
}
