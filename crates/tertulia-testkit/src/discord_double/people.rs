//! What people do, and what happens around the bot.

mod places;
mod saying;
mod threads;

use std::time::Duration;

use serde_json::Value;

pub(super) use places::takes_messages;
pub(super) use threads::NewThread;

use super::place::Permission;
use super::{DiscordDouble, Said};

/// Who there is, and where they meet.
impl DiscordDouble {
    /// A new account.
    #[must_use]
    pub fn person(&self, name: &str) -> u64 {
        self.act(|world| world.new_person(name, false))
    }

    /// A new account of another bot.
    #[must_use]
    pub fn other_bot(&self, name: &str) -> u64 {
        self.act(|world| world.new_person(name, true))
    }

    /// A new guild with the bot in it, without channels; a connected bot is told that it has joined.
    #[must_use]
    pub fn guild(&self, name: &str) -> u64 {
        self.large_guild(name, 5)
    }

    /// A new guild of so many members.
    #[must_use]
    pub fn large_guild(&self, name: &str, members: u64) -> u64 {
        self.act(|world| world.new_guild(name, members))
    }

    /// A new text channel.
    #[must_use]
    pub fn channel(&self, guild: u64, name: &str) -> u64 {
        self.act(|world| world.new_channel(guild, super::place::kind::TEXT, name))
    }

    /// A new forum: everything in it is a thread.
    #[must_use]
    pub fn forum(&self, guild: u64, name: &str) -> u64 {
        self.act(|world| world.new_channel(guild, super::place::kind::FORUM, name))
    }

    /// The channel of a person's private conversation with the bot.
    #[must_use]
    pub fn conversation(&self, person: u64) -> u64 {
        self.act(|world| world.conversation(person))
    }

    /// The role that the bot alone has in a guild.
    #[must_use]
    pub fn bot_role(&self, guild: u64) -> u64 {
        self.act(|world| world.guilds.get(&guild).map_or(0, |guild| guild.bot_role))
    }

    /// A person starts a public thread that belongs to no message; gives its id.
    #[must_use]
    pub fn thread(&self, person: u64, channel: u64, name: &str) -> u64 {
        self.act(|world| world.person_thread(person, channel, name, false))
    }

    /// A person starts a private thread, to which the bot is added or not; gives its id.
    #[must_use]
    pub fn private_thread(&self, person: u64, channel: u64, name: &str, with_bot: bool) -> u64 {
        self.act(|world| {
            let thread = world.person_thread(person, channel, name, true);
            if with_bot {
                world.add_bot(thread);
            }
            thread
        })
    }

    /// A person starts a thread from a message; its id is that of the message.
    #[must_use]
    pub fn thread_from(&self, person: u64, message: u64, name: &str) -> u64 {
        self.act(|world| world.thread_from(person, message, name, 4320))
    }

    /// A person posts in a forum; gives the id of the thread, which is also that of its first message.
    #[must_use]
    pub fn forum_post(&self, person: u64, forum: u64, title: &str, text: &str) -> u64 {
        self.act(|world| world.person_forum_post(person, forum, title, Said::text(text)))
    }

    /// Somebody adds the bot to a private thread.
    pub fn add_bot(&self, thread: u64) {
        self.act(|world| world.add_bot(thread));
    }

    /// A thread is archived, or opened again.
    pub fn archive(&self, thread: u64, archived: bool) {
        self.act(|world| world.change_thread(thread, |thread| thread.is_archived = archived));
    }

    /// A thread is locked, or unlocked.
    pub fn lock(&self, thread: u64, locked: bool) {
        self.act(|world| world.change_thread(thread, |thread| thread.is_locked = locked));
    }

    /// Somebody deletes a channel or thread with everything in it.
    pub fn delete_channel(&self, channel: u64) {
        self.act(|world| world.delete_channel(channel));
    }

    /// The bot is thrown out of a guild.
    pub fn leave(&self, guild: u64) {
        self.act(|world| world.leave(guild));
    }

    /// A guild has an outage, or is back.
    pub fn set_unavailable(&self, guild: u64, unavailable: bool) {
        self.act(|world| world.set_unavailable(guild, unavailable));
    }

    /// Takes a permission from everyone in a channel and its threads; the bot is told by `CHANNEL_UPDATE`.
    pub fn forbid(&self, channel: u64, what: Permission) {
        self.act(|world| world.set_permission(channel, what, false));
    }

    /// Gives it back.
    pub fn permit(&self, channel: u64, what: Permission) {
        self.act(|world| world.set_permission(channel, what, true));
    }

    /// A person takes no private messages from the bot, or does again.
    pub fn close_conversation(&self, person: u64, closed: bool) {
        self.act(|world| world.people.get_mut(&person).map(|person| person.is_closed = closed));
    }

    /// The bot may write only so often in a channel.
    pub fn slow_down(&self, channel: u64, each: Duration) {
        self.act(|world| world.channels.get_mut(&channel).map(|channel| channel.slow = each));
    }

    /// Messages with this word are refused, as the automatic moderation does.
    pub fn block_word(&self, word: &str) {
        self.act(|world| world.blocked_words.push(word.to_owned()));
    }
}

/// What they do.
impl DiscordDouble {
    /// A person says something; gives the message's number.
    #[expect(clippy::must_use_candidate, reason = "most tests need no id")]
    pub fn say(&self, person: u64, channel: u64, text: &str) -> u64 {
        self.send(person, channel, Said::text(text))
    }

    /// A person sends any message; gives its number.
    #[expect(clippy::must_use_candidate, reason = "most tests need no id")]
    pub fn send(&self, person: u64, channel: u64, said: Said) -> u64 {
        self.act(|world| world.say(person, channel, said))
    }

    /// A person gives a message of theirs a new text; false if there is no such message.
    #[expect(clippy::must_use_candidate, reason = "most tests know")]
    pub fn change(&self, message: u64, text: &str) -> bool {
        self.act(|world| world.change(message, text))
    }

    /// Somebody deletes a message, the bot's too; false if there is no such message.
    #[expect(clippy::must_use_candidate, reason = "most tests know")]
    pub fn delete(&self, message: u64) -> bool {
        self.act(|world| world.take_away(message))
    }

    /// A person puts a reaction below a message.
    pub fn react(&self, person: u64, message: u64, emoji: &str) {
        self.act(|world| world.react(person, message, emoji));
    }

    /// A person presses the button with this `custom_id` below a message of the bot; gives the interaction's number, if there
    /// is such a button.
    #[expect(clippy::must_use_candidate, reason = "most tests know")]
    pub fn press(&self, person: u64, message: u64, button: &str) -> Option<u64> {
        self.act(|world| world.press(person, message, button))
    }

    /// A person uses a slash command, with options by name; gives the interaction's number, if the command is registered.
    #[expect(clippy::must_use_candidate, reason = "most tests know")]
    pub fn slash(&self, person: u64, channel: u64, command: &str, options: &[(&str, Value)]) -> Option<u64> {
        self.act(|world| world.slash(person, channel, command, options))
    }

    /// A new message is told once more.
    pub fn tell_again(&self, message: u64) {
        self.act(|world| {
            world.truth.counts.told_twice += 1;
            world.tell_message("MESSAGE_CREATE", message);
        });
    }

    /// An event of any name and body, known and well-formed or not.
    pub fn event(&self, name: &str, body: &Value) {
        self.act(|world| world.emit(name, None, super::hub::intent::NONE, body, None));
    }
}
