//! Chats with their topics and messages.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::keyboard::Rows;
use super::refusal::{Refusal, insert};
use super::text::Formatted;

/// The moment at which the server starts, in seconds since 1970.
const EPOCH: u64 = 1_767_225_600;

/// What sort of chat it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Private,
    Group,
    Supergroup { forum: bool },
    Channel,
}

/// What the bot is in a chat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Standing {
    /// It may write.
    #[default]
    Member,
    /// It may write, and hears everything.
    Admin,
    /// It hears, and may not write text.
    Muted,
    /// The person has blocked it.
    Blocked,
    /// The person's account is deleted.
    Deactivated,
    /// It was thrown out.
    Kicked,
    /// It has left, or was never there.
    Outside,
}

/// Whether a topic can be written to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Topic {
    Open,
    Closed,
    Deleted,
}

/// A chat.
#[derive(Debug, Clone)]
pub(super) struct Chat {
    pub(super) id: i64,
    pub(super) kind: Kind,
    pub(super) title: String,
    pub(super) standing: Standing,
    pub(super) moved_to: Option<i64>,
    /// Where posts of a channel are discussed.
    pub(super) discussion: Option<i64>,
    pub(super) topics: BTreeMap<i64, Topic>,
    pub(super) messages: BTreeMap<i64, Message>,
    pub(super) last_message: i64,
}

/// Who wrote a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Author {
    Bot,
    Person(i64),
}

/// A message.
#[derive(Debug, Clone)]
pub(super) struct Message {
    /// Its place among all messages of the server.
    pub(super) serial: u64,
    pub(super) id: i64,
    pub(super) author: Author,
    pub(super) sent: Duration,
    pub(super) edited: Option<Duration>,
    /// The topic it stands in.
    pub(super) topic: Option<i64>,
    /// The thread of replies it stands in, outside forums.
    pub(super) thread: Option<i64>,
    pub(super) text: Formatted,
    /// The field of the medium and what stands in it; text is a caption then.
    pub(super) media: Option<(String, Value)>,
    pub(super) buttons: Rows,
    pub(super) reply_to: Option<i64>,
    /// Further fields.
    pub(super) extra: Map<String, Value>,
}

impl Chat {
    pub(super) fn new(id: i64, kind: Kind, title: &str) -> Self {
        Self {
            id,
            kind,
            title: title.to_owned(),
            standing: Standing::Member,
            moved_to: None,
            discussion: None,
            topics: BTreeMap::new(),
            messages: BTreeMap::new(),
            last_message: 0,
        }
    }

    pub(super) fn is_private(&self) -> bool {
        self.kind == Kind::Private
    }

    pub(super) fn is_group(&self) -> bool {
        matches!(self.kind, Kind::Group | Kind::Supergroup { .. })
    }

    pub(super) fn is_forum(&self) -> bool {
        self.kind == Kind::Supergroup { forum: true }
    }

    pub(super) fn json(&self) -> Value {
        let kind = match self.kind {
            Kind::Private => return json!({"id": self.id, "type": "private", "first_name": self.title}),
            Kind::Group => "group",
            Kind::Supergroup { .. } => "supergroup",
            Kind::Channel => "channel",
        };
        let mut chat = json!({"id": self.id, "type": kind, "title": self.title});
        if self.is_forum() {
            insert(&mut chat, "is_forum", json!(true));
        }
        chat
    }

    /// Whether the bot may call something about this chat.
    pub(super) fn access(&self) -> Result<(), Refusal> {
        if let Some(to) = self.moved_to {
            return Err(Refusal::moved(to));
        }
        let kind = match self.kind {
            Kind::Channel => "channel",
            Kind::Supergroup { .. } => "supergroup",
            Kind::Group | Kind::Private => "group",
        };
        match self.standing {
            Standing::Member | Standing::Admin | Standing::Muted => Ok(()),
            Standing::Blocked => Err(Refusal::forbidden("bot was blocked by the user")),
            Standing::Deactivated => Err(Refusal::forbidden("user is deactivated")),
            Standing::Kicked => Err(Refusal::forbidden(format!("bot was kicked from the {kind} chat"))),
            Standing::Outside => Err(Refusal::forbidden(format!("bot is not a member of the {kind} chat"))),
        }
    }

    /// The root of the replies that a message belongs to: the thread outside forums.
    pub(super) fn root(&self, message: i64) -> i64 {
        let thread = self.messages.get(&message).and_then(|message| message.thread);
        thread.unwrap_or(message)
    }
}

impl Message {
    /// What people see of it; a medium without caption is named.
    pub(super) fn visible(&self) -> String {
        match &self.media {
            Some((kind, _)) if self.text.text.is_empty() => format!("[{kind}]"),
            _ => self.text.text.clone(),
        }
    }

    /// Its own fields; sender, chat and the message it replies to come from the world.
    pub(super) fn json(&self) -> Value {
        let mut json = json!({"message_id": self.id, "date": date(self.sent)});
        let (text, entities) = match &self.media {
            Some((kind, value)) => {
                insert(&mut json, kind, value.clone());
                ("caption", "caption_entities")
            }
            None => ("text", "entities"),
        };
        if !self.text.text.is_empty() {
            insert(&mut json, text, json!(self.text.text));
        }
        if !self.text.entities.is_empty() {
            insert(&mut json, entities, json!(self.text.entities));
        }
        if let Some(thread) = self.topic.or(self.thread) {
            insert(&mut json, "message_thread_id", json!(thread));
        }
        if self.topic.is_some() {
            insert(&mut json, "is_topic_message", json!(true));
        }
        if let Some(edited) = self.edited {
            insert(&mut json, "edit_date", json!(date(edited)));
        }
        if !self.buttons.is_empty() {
            insert(&mut json, "reply_markup", json!({"inline_keyboard": self.buttons}));
        }
        for (name, value) in &self.extra {
            insert(&mut json, name, value.clone());
        }
        json
    }
}

/// A moment of the server as Telegram writes it.
pub(super) fn date(at: Duration) -> u64 {
    EPOCH + at.as_secs()
}
