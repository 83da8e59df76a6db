//! Messages of people, and who hears them.

use std::time::Duration;

use serde_json::{Map, Value, json};
use tertulia_message::Addressed;

use crate::chat_double::RecordAct;
use crate::telegram_double::chat::{Author, Chat, Kind, Message, Standing, date};
use crate::telegram_double::place::At;
use crate::telegram_double::said::Said;
use crate::telegram_double::text::{Formatted, covered, found};
use crate::telegram_double::world::{FORWARDER, World};

impl World {
    pub(super) fn say(&mut self, at: Duration, person: i64, mut place: At, mut said: Said) -> i64 {
        place.chat = self.present_address(place.chat);
        if place.chat == person {
            self.open_private(person);
        }
        let media = said.medium(&mut self.files);
        let mut entities = found(&said.text);
        entities.extend(said.entities);
        let text = Formatted {
            text: said.text,
            entities,
        };
        let id = self.put(
            at,
            Author::Person(person),
            place,
            text,
            said.reply_to,
            said.extra,
            media,
        );
        let addressed = self.addressed(place.chat, id);
        let act = RecordAct::Said {
            person: person.to_string(),
            addressed,
        };
        self.record(at, place.chat, id, act);
        self.deliver("message", place.chat, id, addressed != Addressed::None);
        id
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of a message")]
    fn put(
        &mut self,
        at: Duration,
        author: Author,
        place: At,
        text: Formatted,
        reply_to: Option<i64>,
        extra: Map<String, Value>,
        media: Option<(String, Value)>,
    ) -> i64 {
        let message = Message {
            serial: 0,
            id: 0,
            author,
            sent: at,
            edited: None,
            topic: place.topic,
            thread: self.chats.get(&place.chat).and_then(|chat| thread(chat, reply_to)),
            text,
            media,
            buttons: Vec::new(),
            reply_to,
            extra,
        };
        self.insert(place.chat, message)
    }

    pub(super) fn album(&mut self, at: Duration, person: i64, place: At, all: Vec<Said>) -> Vec<i64> {
        let group = format!("13{:015}", self.truth.records.len());
        let send = |said: Said| self.say(at, person, place, said.field("media_group_id", json!(group)));
        all.into_iter().map(send).collect()
    }

    /// A post, and its automatic forward to the discussion.
    pub(super) fn channel_post(&mut self, at: Duration, channel: i64, text: &str) -> (i64, Option<i64>) {
        let Some(chat) = self.chats.get(&channel) else {
            return (0, None);
        };
        let (sender, discussion) = (chat.json(), chat.discussion);
        let formatted = || Formatted {
            text: text.to_owned(),
            entities: Vec::new(),
        };
        let author = Author::Person(FORWARDER);
        let post = self.put(at, author, channel.into(), formatted(), None, Map::new(), None);
        self.deliver("channel_post", channel, post, false);
        let origin = json!({"type": "channel", "chat": sender, "message_id": post, "date": date(at)});
        let extra = Map::from_iter([
            ("sender_chat".to_owned(), sender),
            ("is_automatic_forward".to_owned(), json!(true)),
            ("forward_origin".to_owned(), origin),
        ]);
        let forward = discussion.map(|discussion| {
            let id = self.put(at, author, discussion.into(), formatted(), None, extra, None);
            self.deliver("message", discussion, id, false);
            id
        });
        (post, forward)
    }

    pub(super) fn service(&mut self, at: Duration, person: i64, place: At, field: &str, value: Value) -> i64 {
        let extra = Map::from_iter([(field.to_owned(), value)]);
        let id = self.put(
            at,
            Author::Person(person),
            place,
            Formatted::default(),
            None,
            extra,
            None,
        );
        // every bot in the chat is told
        self.deliver("message", place.chat, id, true);
        id
    }

    pub(super) fn change(&mut self, at: Duration, chat: i64, id: i64, text: &str) -> bool {
        let message = self.message_mut(chat, id);
        let Some(message) = message.filter(|message| message.author != Author::Bot) else {
            return false;
        };
        message.edited = Some(at);
        message.text = Formatted {
            text: text.to_owned(),
            entities: found(text),
        };
        self.record(at, chat, id, RecordAct::Changed);
        let addressed = self.addressed(chat, id);
        self.deliver("edited_message", chat, id, addressed != Addressed::None);
        true
    }

    pub(super) fn delete(&mut self, at: Duration, chat: i64, id: i64) -> bool {
        let Some(message) = self.message(chat, id) else {
            return false;
        };
        let act = if message.author == Author::Bot {
            RecordAct::Deleted
        } else {
            RecordAct::Redacted
        };
        self.record(at, chat, id, act);
        self.chats
            .get_mut(&chat)
            .is_some_and(|chat| chat.messages.remove(&id).is_some())
    }

    pub(super) fn press(&mut self, person: i64, chat: i64, id: i64, button: &str) -> Option<String> {
        let message = self.message(chat, id).filter(|message| message.author == Author::Bot)?;
        let field = |of: &Value, name: &str| of.get(name).and_then(Value::as_str).map(str::to_owned);
        let mut buttons = message.buttons.iter().flatten();
        let pressed = buttons.find(|of| {
            let (data, label) = (field(of, "callback_data"), field(of, "text"));
            data.as_deref() == Some(button) || label.as_deref() == Some(button)
        })?;
        let data = field(pressed, "callback_data")?;
        let press = self.next_press();
        let body = json!({
            "id": press,
            "from": self.person(person),
            "message": self.message_json(chat, id),
            "chat_instance": format!("{chat}"),
            "data": data,
        });
        self.presses.insert(press.clone(), false);
        self.queue.push("callback_query", body);
        Some(press)
    }

    /// Queues what the bot may hear.
    fn deliver(&mut self, kind: &str, chat: i64, id: i64, is_for_bot: bool) {
        let Some(of) = self.chats.get(&chat) else { return };
        let author = self.message(chat, id).map(|message| message.author);
        let is_bot = matches!(author, Some(Author::Person(person)) if self.is_other_bot(person));
        let hears = match of.standing {
            Standing::Admin => true,
            Standing::Member | Standing::Muted => is_for_bot || of.is_private() || !self.settings.privacy,
            _ => false,
        };
        if hears && !is_bot {
            let body = self.message_json(chat, id);
            self.queue.push(kind, body);
        }
    }

    fn is_other_bot(&self, person: i64) -> bool {
        let is_bot = self.people.get(&person).is_some_and(|person| person.is_bot);
        is_bot && person != super::TelegramDouble::ANONYMOUS
    }

    /// How the bot is addressed by a message.
    fn addressed(&self, chat: i64, id: i64) -> Addressed {
        let (Some(of), Some(message)) = (self.chats.get(&chat), self.message(chat, id)) else {
            return Addressed::None;
        };
        let own_name = format!("@{}", self.settings.username).to_lowercase();
        let text = &message.text;
        let of_kind = |kind: &str| -> Vec<(bool, String)> {
            let entities = text
                .entities
                .iter()
                .filter(|entity| entity.get("type") == Some(&json!(kind)));
            let is_first = |entity: &Value| entity.get("offset") == Some(&json!(0));
            entities
                .map(|entity| (is_first(entity), covered(&text.text, entity).to_lowercase()))
                .collect()
        };
        let is_ours = |command: &str| command.find('@').is_none_or(|at| command.get(at..) == Some(&own_name));
        if of_kind("bot_command")
            .iter()
            .any(|(is_first, command)| *is_first && is_ours(command))
        {
            return Addressed::Command;
        }
        let replied = message.reply_to.and_then(|target| self.message(chat, target));
        if of.is_private() {
            Addressed::Direct
        } else if of_kind("mention").iter().any(|(_, name)| *name == own_name) {
            Addressed::Mention
        } else if replied.is_some_and(|message| message.author == Author::Bot) {
            Addressed::Reply
        } else {
            Addressed::None
        }
    }
}

/// Outside forums, a reply stands in the thread of what it replies to.
fn thread(chat: &Chat, reply_to: Option<i64>) -> Option<i64> {
    let is_plain = chat.kind == (Kind::Supergroup { forum: false });
    reply_to.filter(|_| is_plain).map(|target| chat.root(target))
}
