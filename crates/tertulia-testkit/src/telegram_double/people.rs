//! What people do, and what happens around the bot.

mod chats;
mod saying;
mod standing;

use serde_json::Value;

use super::chat::{Kind, Standing};
use super::{At, Said, TelegramDouble};

/// Who there is, and where they meet.
impl TelegramDouble {
    /// The account in whose name channel posts are forwarded to their discussion.
    pub const FORWARDER: i64 = super::world::FORWARDER;
    /// The account in whose name administrators write who do not show theirs: say something as it.
    pub const ANONYMOUS: i64 = super::world::ANONYMOUS;

    /// A new person; the id is also that of their private chat with the bot, which begins when they say something there.
    #[must_use]
    pub fn person(&self, name: &str) -> i64 {
        self.shared.world().new_person(name, false)
    }

    /// A new account of another bot.
    #[must_use]
    pub fn other_bot(&self, name: &str) -> i64 {
        self.shared.world().new_person(name, true)
    }

    /// A new basic group with the bot in it.
    #[must_use]
    pub fn group(&self, title: &str) -> i64 {
        self.shared.world().new_chat(Kind::Group, title)
    }

    /// A new supergroup without topics.
    #[must_use]
    pub fn supergroup(&self, title: &str) -> i64 {
        self.shared.world().new_chat(Kind::Supergroup { forum: false }, title)
    }

    /// A new supergroup with topics; it has General at first.
    #[must_use]
    pub fn forum(&self, title: &str) -> i64 {
        self.shared.world().new_chat(Kind::Supergroup { forum: true }, title)
    }

    /// A new channel with the bot as an administrator, and the supergroup in which its posts are discussed.
    #[must_use]
    pub fn channel(&self, title: &str) -> (i64, i64) {
        self.shared.world().new_channel(title)
    }

    /// Opens the private chat of a person as if they had pressed start, without a word to the bot.
    pub fn open(&self, person: i64) {
        self.shared.world().open_private(person);
    }

    /// A person makes a topic; gives its id.
    #[expect(clippy::must_use_candidate, reason = "some tests need no id")]
    pub fn topic(&self, chat: i64, person: i64, name: &str) -> i64 {
        self.act(|world, at| world.new_topic(at, chat, person, name))
    }

    /// Somebody closes a topic.
    pub fn close_topic(&self, chat: i64, topic: i64) {
        self.act(|world, at| world.close_topic(at, chat, topic));
    }

    /// Somebody opens a closed topic again.
    pub fn reopen_topic(&self, chat: i64, topic: i64) {
        self.act(|world, at| world.reopen_topic(at, chat, topic));
    }

    /// Somebody deletes a topic with everything in it; the bot is not told.
    pub fn delete_topic(&self, chat: i64, topic: i64) {
        self.act(|world, _| world.delete_topic(chat, topic));
    }

    /// A group becomes a supergroup, which the bot is told by service messages in both; gives the new id.
    #[expect(clippy::must_use_candidate, reason = "some tests need no id")]
    pub fn migrate(&self, chat: i64) -> i64 {
        self.act(|world, at| world.migrate(at, chat, true))
    }

    /// A group becomes a supergroup, which the bot learns only by the errors of its calls; gives the new id.
    #[expect(clippy::must_use_candidate, reason = "some tests need no id")]
    pub fn migrate_quietly(&self, chat: i64) -> i64 {
        self.act(|world, at| world.migrate(at, chat, false))
    }

    /// The bot becomes something else in a chat, which it is told by `my_chat_member`.
    pub fn set_standing(&self, chat: i64, person: i64, standing: Standing) {
        self.act(|world, at| world.tell_standing(at, chat, person, standing));
    }

    /// As [`TelegramDouble::set_standing`], but the bot is not told.
    pub fn set_standing_quietly(&self, chat: i64, standing: Standing) {
        self.act(|world, _| world.set_standing(chat, standing));
    }
}

/// What they do.
impl TelegramDouble {
    /// A person says something; gives the message's number.
    pub fn say(&self, person: i64, at: impl Into<At>, text: &str) -> i64 {
        self.send(person, at, Said::text(text))
    }

    /// A person sends any message; gives its number.
    pub fn send(&self, person: i64, at: impl Into<At>, said: Said) -> i64 {
        let place = at.into();
        self.act(|world, at| world.say(at, person, place, said))
    }

    /// A person sends several media as one album; gives the numbers of its messages.
    pub fn album(&self, person: i64, at: impl Into<At>, all: Vec<Said>) -> Vec<i64> {
        let place = at.into();
        self.act(|world, at| world.album(at, person, place, all))
    }

    /// Somebody posts to a channel; gives the number of the post, and that of its forward in the discussion.
    #[expect(clippy::must_use_candidate, reason = "most tests need no id")]
    pub fn post(&self, channel: i64, text: &str) -> (i64, Option<i64>) {
        self.act(|world, at| world.channel_post(at, channel, text))
    }

    /// A person gives a message of theirs a new text; false if there is no such message.
    #[expect(clippy::must_use_candidate, reason = "most tests know")]
    pub fn change(&self, chat: i64, message: i64, text: &str) -> bool {
        self.act(|world, at| world.change(at, chat, message, text))
    }

    /// A person deletes a message, which no bot is told; false if there is no such message.
    #[expect(clippy::must_use_candidate, reason = "most tests know")]
    pub fn delete(&self, chat: i64, message: i64) -> bool {
        self.act(|world, at| world.delete(at, chat, message))
    }

    /// A person presses the button with this data or this label below a message of the bot; gives the id of the press, if
    /// there is such a button.
    #[expect(clippy::must_use_candidate, reason = "most tests know")]
    pub fn press(&self, person: i64, chat: i64, message: i64, button: &str) -> Option<String> {
        self.act(|world, _| world.press(person, chat, message, button))
    }

    /// True if the bot has answered a press.
    #[must_use]
    pub fn is_answered(&self, press: &str) -> bool {
        self.shared.world().presses.get(press).copied().unwrap_or_default()
    }

    /// A service message with any field, `pinned_message` for example.
    pub fn service(&self, person: i64, at: impl Into<At>, field: &str, value: Value) -> i64 {
        let place = at.into();
        self.act(|world, at| world.service(at, person, place, field, value))
    }

    /// An update of any kind, known or not.
    pub fn update(&self, kind: &str, body: Value) {
        self.act(|world, _| world.queue.push(kind, body));
    }
}
