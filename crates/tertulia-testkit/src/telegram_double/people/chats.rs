//! Chats come about, get topics, and move.

use std::time::Duration;

use serde_json::json;

use crate::chat_double::RecordAct;
use crate::telegram_double::chat::{Chat, Kind, Topic};
use crate::telegram_double::place::At;
use crate::telegram_double::world::{ANONYMOUS, World, spot};

impl World {
    pub(super) fn new_channel(&mut self, title: &str) -> (i64, i64) {
        let channel = self.new_chat(Kind::Channel, title);
        let discussion = self.new_chat(Kind::Supergroup { forum: false }, &format!("{title} chat"));
        if let Some(chat) = self.chats.get_mut(&channel) {
            chat.discussion = Some(discussion);
        }
        (channel, discussion)
    }

    pub(super) fn open_private(&mut self, person: i64) {
        let Some(known) = self.people.get(&person) else { return };
        let name = known.name.clone();
        let new = || Chat::new(person, Kind::Private, &name);
        self.chats.entry(person).or_insert_with(new);
    }

    /// The number of the message that announces a topic is the topic's id.
    pub(super) fn new_topic(&mut self, at: Duration, chat: i64, person: i64, name: &str) -> i64 {
        self.open_private(chat);
        let Some(next) = self.chats.get(&chat).map(|chat| chat.last_message + 1) else {
            return 0;
        };
        if let Some(chat) = self.chats.get_mut(&chat) {
            chat.topics.insert(next, Topic::Open);
        }
        let value = json!({"name": name, "icon_color": 7_322_096});
        self.service(at, person, (chat, next).into(), "forum_topic_created", value)
    }

    fn set_topic(&mut self, chat: i64, topic: i64, to: Topic) {
        if let Some(chat) = self.chats.get_mut(&chat) {
            chat.topics.insert(topic, to);
        }
    }

    pub(super) fn close_topic(&mut self, at: Duration, chat: i64, topic: i64) {
        self.set_topic(chat, topic, Topic::Closed);
        self.excuse(chat, topic);
        self.service(at, ANONYMOUS, (chat, topic).into(), "forum_topic_closed", json!({}));
    }

    pub(super) fn reopen_topic(&mut self, at: Duration, chat: i64, topic: i64) {
        self.set_topic(chat, topic, Topic::Open);
        self.service(at, ANONYMOUS, (chat, topic).into(), "forum_topic_reopened", json!({}));
    }

    pub(super) fn delete_topic(&mut self, chat: i64, topic: i64) {
        self.set_topic(chat, topic, Topic::Deleted);
        self.excuse(chat, topic);
        if let Some(chat) = self.chats.get_mut(&chat) {
            chat.messages.retain(|_, message| message.topic != Some(topic));
        }
    }

    /// Nobody can demand an answer in a topic that takes none.
    fn excuse(&mut self, chat: i64, topic: i64) {
        let messages = self
            .chats
            .get(&chat)
            .into_iter()
            .flat_map(|chat| chat.messages.values());
        let here = messages.filter(|message| message.topic == Some(topic));
        self.excused.extend(here.map(|message| message.serial));
    }

    /// The new chat has none of the old messages.
    pub(super) fn migrate(&mut self, at: Duration, chat: i64, is_told: bool) -> i64 {
        let Some((title, standing)) = self.chats.get(&chat).map(|chat| (chat.title.clone(), chat.standing)) else {
            return 0;
        };
        let to = self.new_chat(Kind::Supergroup { forum: false }, &title);
        if is_told {
            self.service(at, ANONYMOUS, chat.into(), "migrate_to_chat_id", json!(to));
            self.service(at, ANONYMOUS, to.into(), "migrate_from_chat_id", json!(chat));
        }
        if let Some(new) = self.chats.get_mut(&to) {
            new.standing = standing;
        }
        if let Some(old) = self.chats.get_mut(&chat) {
            old.moved_to = Some(to);
        }
        let act = RecordAct::Moved { to: to.to_string() };
        self.truth.record(at, spot(At::from(chat)), 0, act, String::new());
        to
    }
}
