//! Everything that the server knows.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde_json::{Value, json};

use super::chat::{Author, Chat, Kind, Message, Standing};
use super::faults::Plan;
use super::files::Files;
use super::menus::Menus;
use super::place::At;
use super::queue::Queue;
use super::rates::Rates;
use super::refusal::{Refusal, insert};
use super::settings::Settings;
use super::shown::Draft;
use super::truth::Truth;
use crate::chat_double::{RecordAct, Spot};

/// The account in whose name channel posts are forwarded to their discussion.
pub(super) const FORWARDER: i64 = 777_000;
/// The account in whose name administrators write who do not show theirs.
pub(super) const ANONYMOUS: i64 = 1_087_968_824;

/// A person, or another bot.
#[derive(Debug, Clone)]
pub(super) struct Person {
    pub(super) name: String,
    pub(super) username: Option<String>,
    pub(super) is_bot: bool,
}

/// Everything that the server knows.
pub(super) struct World {
    pub(super) settings: Settings,
    pub(super) people: BTreeMap<i64, Person>,
    pub(super) chats: BTreeMap<i64, Chat>,
    pub(super) queue: Queue,
    pub(super) truth: Truth,
    pub(super) plan: Plan,
    pub(super) rates: Rates,
    pub(super) files: Files,
    pub(super) menus: Menus,
    /// Presses of buttons, and whether they were answered.
    pub(super) presses: BTreeMap<String, bool>,
    pub(super) webhook: Option<String>,
    pub(super) drafts: Vec<Draft>,
    /// Until when the bot is shown to be at work, and at what.
    pub(super) actions: BTreeMap<At, (Duration, String)>,
    pub(super) reactions: BTreeMap<(i64, i64), Vec<Value>>,
    /// Serials of messages of people that stood unanswered where the bot may no longer write.
    pub(super) excused: BTreeSet<u64>,
    /// The latest call for updates.
    pub(super) poll: u64,
    /// The offset that it named, and when it began.
    pub(super) polled: Option<(i64, Duration)>,
    last_serial: u64,
    last_person: i64,
    last_group: i64,
    last_press: u64,
}

impl World {
    pub(super) fn new(settings: Settings) -> Self {
        let service = |name: &str, username: &str, is_bot| Person {
            name: name.to_owned(),
            username: Some(username.to_owned()).filter(|name| !name.is_empty()),
            is_bot,
        };
        Self {
            queue: Queue::new(settings.twice_percent),
            people: BTreeMap::from([
                (FORWARDER, service("Telegram", "", false)),
                (ANONYMOUS, service("Group", "GroupAnonymousBot", true)),
            ]),
            settings,
            chats: BTreeMap::new(),
            truth: Truth::default(),
            plan: Plan::default(),
            rates: Rates::default(),
            files: Files::default(),
            menus: Menus::default(),
            presses: BTreeMap::new(),
            webhook: None,
            drafts: Vec::new(),
            actions: BTreeMap::new(),
            reactions: BTreeMap::new(),
            excused: BTreeSet::new(),
            poll: 0,
            polled: None,
            last_serial: 0,
            last_person: 1_000,
            last_group: 1_000,
            last_press: 4_382_000_000,
        }
    }

    pub(super) fn new_person(&mut self, name: &str, is_bot: bool) -> i64 {
        self.last_person += 1;
        let person = Person {
            name: name.to_owned(),
            username: Some(name.to_lowercase().replace(' ', "_")),
            is_bot,
        };
        self.people.insert(self.last_person, person);
        self.last_person
    }

    pub(super) fn new_chat(&mut self, kind: Kind, title: &str) -> i64 {
        self.last_group += 1;
        let id = match kind {
            Kind::Group | Kind::Private => -self.last_group,
            Kind::Supergroup { .. } | Kind::Channel => -1_000_000_000_000 - self.last_group,
        };
        let mut chat = Chat::new(id, kind, title);
        if kind == Kind::Channel {
            chat.standing = Standing::Admin;
        }
        if chat.is_forum() {
            // the first message made the chat, and is the root of General
            chat.last_message = 1;
        }
        self.chats.insert(id, chat);
        id
    }

    pub(super) fn next_press(&mut self) -> String {
        self.last_press += 1;
        self.last_press.to_string()
    }

    pub(super) fn bot(&self) -> Value {
        json!({"id": self.settings.bot_id(), "is_bot": true, "first_name": "Double", "username": self.settings.username})
    }

    pub(super) fn person(&self, id: i64) -> Value {
        let Some(person) = self.people.get(&id) else {
            return Value::Null;
        };
        let mut json = json!({"id": id, "is_bot": person.is_bot, "first_name": person.name});
        if let Some(username) = &person.username {
            insert(&mut json, "username", json!(username));
        }
        json
    }

    /// A chat that the bot names, whatever it may do there.
    pub(super) fn known(&self, chat: i64) -> Result<&Chat, Refusal> {
        if let Some(known) = self.chats.get(&chat) {
            Ok(known)
        } else if self.people.contains_key(&chat) {
            Err(Refusal::forbidden("bot can't initiate conversation with a user"))
        } else {
            Err(Refusal::bad("chat not found"))
        }
    }

    /// Puts a message into a chat, whose next number it gets.
    pub(super) fn insert(&mut self, chat: i64, mut message: Message) -> i64 {
        self.last_serial += 1;
        message.serial = self.last_serial;
        let Some(chat) = self.chats.get_mut(&chat) else {
            return 0;
        };
        chat.last_message += 1;
        message.id = chat.last_message;
        chat.messages.insert(message.id, message);
        chat.last_message
    }

    pub(super) fn message(&self, chat: i64, id: i64) -> Option<&Message> {
        self.chats.get(&chat)?.messages.get(&id)
    }

    pub(super) fn message_mut(&mut self, chat: i64, id: i64) -> Option<&mut Message> {
        self.chats.get_mut(&chat)?.messages.get_mut(&id)
    }

    /// A message as the bot sees it.
    pub(super) fn message_json(&self, chat: i64, id: i64) -> Value {
        let mut json = self.flat_json(chat, id);
        let reply_to = self.message(chat, id).and_then(|message| {
            let in_forum = self.chats.get(&chat).is_some_and(Chat::is_forum);
            // whatever is said in a topic counts as a reply to the message that opened it
            let root = message.topic.filter(|topic| in_forum && *topic != id);
            message.reply_to.or(root)
        });
        if let Some(target) = reply_to.filter(|target| self.message(chat, *target).is_some()) {
            insert(&mut json, "reply_to_message", self.flat_json(chat, target));
        }
        json
    }

    fn flat_json(&self, chat: i64, id: i64) -> Value {
        let (Some(of), Some(message)) = (self.chats.get(&chat), self.message(chat, id)) else {
            return Value::Null;
        };
        let mut json = message.json();
        insert(&mut json, "chat", of.json());
        match message.author {
            Author::Bot => insert(&mut json, "from", self.bot()),
            Author::Person(_) if of.kind == Kind::Channel => insert(&mut json, "sender_chat", of.json()),
            Author::Person(person) => insert(&mut json, "from", self.person(person)),
        }
        if message.author == Author::Person(ANONYMOUS) {
            insert(&mut json, "sender_chat", of.json());
        }
        json
    }

    /// Writes down what a message is after an act, for the judge.
    pub(super) fn record(&mut self, at: Duration, chat: i64, id: i64, act: RecordAct) {
        let Some(message) = self.message(chat, id) else { return };
        let (serial, text, topic) = (message.serial, message.visible(), message.topic);
        let answered = message.reply_to.and_then(|target| self.message(chat, target));
        let answered = answered.map(|target| target.serial);
        self.truth.record(at, spot(At { chat, topic }), serial, act, text);
        if let Some(record) = self.truth.records.last_mut() {
            record.in_reply_to = answered;
        }
    }

    /// Takes the bot out of a chat, or lets it in; nobody can demand an answer to what was said before it was taken out.
    pub(super) fn set_standing(&mut self, chat: i64, standing: Standing) {
        let Some(chat) = self.chats.get_mut(&chat) else { return };
        chat.standing = standing;
        if !matches!(standing, Standing::Member | Standing::Admin) {
            self.excused
                .extend(chat.messages.values().map(|message| message.serial));
        }
    }

    /// Where a chat is now.
    pub(super) fn present_address(&self, chat: i64) -> i64 {
        let moved = self.chats.get(&chat).and_then(|chat| chat.moved_to);
        moved.map_or(chat, |to| self.present_address(to))
    }
}

/// A place in the words of the judge.
pub(super) fn spot(at: At) -> Spot {
    Spot {
        chat: at.chat.to_string(),
        thread: at.topic.map(|topic| topic.to_string()),
    }
}
