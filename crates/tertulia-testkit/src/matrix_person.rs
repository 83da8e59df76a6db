//! A person with an encrypting Matrix client that shares nothing with the bot's: what they do, and what they see.
//!
//! The usual deeds have methods. [`MatrixPerson::order`] gives every other order of `tests/tools/matrix/person.py`, whose
//! methods are the list of them, e.g. `cross_sign`, `verify`, `hold_keys`, `keys`, `upgrade`, `level`.
//!
//! ```no_run
//! # use tertulia_testkit::matrix_tools::{MatrixTools, ToolError};
//! # use tertulia_testkit::synapse::Synapse;
//! # async fn example(tools: MatrixTools, server: Synapse, bot: &str) -> Result<(), ToolError> {
//! use serde_json::json;
//! use tertulia_testkit::matrix_person::{MatrixPerson, NewRoom, Saying};
//!
//! let anna = MatrixPerson::start(&tools, server.url(), &server.account("anna").await?).await?;
//! let room = anna.create(&NewRoom::encrypted().with(bot)).await?;
//! anna.wait_for_member(&room, bot, "join").await?;
//! let question = anna.say(&room, &Saying::new("ping")).await?;
//! let answer = anna.wait(json!({"room": room, "sender": bot}), "pong").await?;
//! assert_eq!(answer["encrypted"], true);
//! # Ok(())
//! # }
//! ```

use serde_json::{Map, Value, json};

use crate::matrix_tools::{MatrixTools, Tool, ToolError, text};
use crate::synapse::Account;

/// One person on one device.
#[derive(Debug)]
pub struct MatrixPerson {
    tool: Tool,
    url: String,
    account: Account,
}

/// A room to be made: private, of the server's newest version, in clear, unless told otherwise.
#[derive(Debug, Clone, Default)]
pub struct NewRoom(Map<String, Value>);

/// Something to be said, below or in place of something else if told so.
#[derive(Debug, Clone)]
pub struct Saying(Map<String, Value>);

/// A file to be sent.
#[derive(Debug, Clone, Copy)]
pub struct Attachment<'a> {
    /// `image`, `file`, `audio`, `voice` or `video`.
    pub kind: &'a str,
    /// Its name.
    pub name: &'a str,
    /// Its media type.
    pub mime: &'a str,
    /// Its contents in base64.
    pub base64: &'a str,
}

impl NewRoom {
    /// A room in which everything is encrypted from the start.
    #[must_use]
    pub fn encrypted() -> Self {
        Self::default().and("encrypted", json!(true))
    }

    /// The same with a version: `1` to `12`.
    #[must_use]
    pub fn version(self, version: &str) -> Self {
        self.and("version", json!(version))
    }

    /// The same as a conversation of two.
    #[must_use]
    pub fn direct(self) -> Self {
        self.and("direct", json!(true))
    }

    /// The same with somebody invited; the last one holds.
    #[must_use]
    pub fn with(self, user_id: &str) -> Self {
        self.and("invite", json!([user_id]))
    }

    /// The order `create` of `tests/tools/matrix/person.py`, for other clients that understand it.
    #[must_use]
    pub fn order(&self) -> &Map<String, Value> {
        &self.0
    }

    fn and(mut self, key: &str, value: Value) -> Self {
        self.0.insert(key.to_owned(), value);
        self
    }
}

impl Saying {
    /// A plain text.
    #[must_use]
    pub fn new(body: &str) -> Self {
        Self(Map::new()).and("body", json!(body))
    }

    /// The same with an HTML body beside it.
    #[must_use]
    pub fn html(self, html: &str) -> Self {
        self.and("html", json!(html))
    }

    /// The same in the thread of an event.
    #[must_use]
    pub fn thread(self, root: &str) -> Self {
        self.and("thread", json!(root))
    }

    /// The same as a reply to an event.
    #[must_use]
    pub fn reply(self, event: &str) -> Self {
        self.and("reply", json!(event))
    }

    /// The same in place of what an own event said.
    #[must_use]
    pub fn edit(self, event: &str) -> Self {
        self.and("edit", json!(event))
    }

    /// The same with somebody mentioned.
    #[must_use]
    pub fn mention(self, user_id: &str) -> Self {
        self.and("mentions", json!([user_id]))
    }

    /// The order `say` of `tests/tools/matrix/person.py`, for other clients that understand it.
    #[must_use]
    pub fn order(&self) -> &Map<String, Value> {
        &self.0
    }

    fn and(mut self, key: &str, value: Value) -> Self {
        self.0.insert(key.to_owned(), value);
        self
    }
}

impl MatrixPerson {
    /// Opens their client.
    ///
    /// # Errors
    ///
    /// If the server refuses the account, or is not there.
    pub async fn start(tools: &MatrixTools, url: &str, account: &Account) -> Result<Self, ToolError> {
        let person = Self {
            tool: tools.start("person.py", &[])?,
            url: url.to_owned(),
            account: account.clone(),
        };
        person.come_back().await?;
        Ok(person)
    }

    /// E.g. `@anna:localhost`.
    #[must_use]
    pub fn user_id(&self) -> &str {
        &self.account.user_id
    }

    /// Closes their client, until [`MatrixPerson::come_back`].
    ///
    /// # Errors
    ///
    /// If its program is gone.
    pub async fn go_away(&self) -> Result<(), ToolError> {
        self.order("logout", json!({})).await.map(drop)
    }

    /// Opens it again; what was missed is there when this returns.
    ///
    /// # Errors
    ///
    /// If the server refuses the account, or is not there.
    pub async fn come_back(&self) -> Result<(), ToolError> {
        let login = json!({"url": self.url, "account": self.account});
        self.order("login", login).await.map(drop)
    }

    /// Makes a room, and gives its id.
    ///
    /// # Errors
    ///
    /// If the server refuses it.
    pub async fn create(&self, room: &NewRoom) -> Result<String, ToolError> {
        text(&self.order("create", Value::Object(room.0.clone())).await?, "room")
    }

    /// Waits until they are invited to a room, and joins it.
    ///
    /// # Errors
    ///
    /// If no invitation comes within a minute.
    pub async fn accept_invitation(&self, room: &str) -> Result<(), ToolError> {
        self.order("invited", json!({"room": room})).await?;
        self.order("join", json!({"room": room})).await.map(drop)
    }

    /// Invites, kicks, bans or unbans somebody: `act` is the word of the API for it.
    ///
    /// # Errors
    ///
    /// If the server refuses it.
    pub async fn member(&self, room: &str, act: &str, user_id: &str) -> Result<(), ToolError> {
        let order = json!({"room": room, "act": act, "user": user_id});
        self.order("member", order).await.map(drop)
    }

    /// Says something, encrypted where the room is, and gives the event's id.
    ///
    /// # Errors
    ///
    /// If the server refuses it.
    pub async fn say(&self, room: &str, saying: &Saying) -> Result<String, ToolError> {
        let mut order = saying.0.clone();
        order.insert("room".to_owned(), json!(room));
        text(&self.order("say", Value::Object(order)).await?, "event_id")
    }

    /// Sends a file, encrypted where the room is, and gives the event's id.
    ///
    /// # Errors
    ///
    /// If the server refuses it.
    pub async fn send_file(&self, room: &str, file: Attachment<'_>) -> Result<String, ToolError> {
        let order =
            json!({"room": room, "kind": file.kind, "name": file.name, "mime": file.mime, "base64": file.base64});
        text(&self.order("file", order).await?, "event_id")
    }

    /// What was in the file of an event that came, decrypted: `{"base64", "sha256", "size"}`.
    ///
    /// # Errors
    ///
    /// If it cannot be loaded, or its hash is another one.
    pub async fn fetch(&self, event: &str) -> Result<Value, ToolError> {
        self.order("fetch", json!({"event": event})).await
    }

    /// Takes an event back.
    ///
    /// # Errors
    ///
    /// If the server refuses it.
    pub async fn redact(&self, room: &str, event: &str) -> Result<(), ToolError> {
        let order = json!({"room": room, "event": event});
        self.order("redact", order).await.map(drop)
    }

    /// Waits for an event of which `part` is a part and in whose body `words` stand, and gives it: `{"number", "room",
    /// "event_id", "sender", "type", "content", "encrypted", "undecryptable", ..}`, with the content decrypted.
    ///
    /// # Errors
    ///
    /// If none comes within a minute; the last events are in the error.
    pub async fn wait(&self, part: Value, words: &str) -> Result<Value, ToolError> {
        self.order("wait", json!({"where": part, "text": words})).await
    }

    /// Waits until somebody's membership is `invite`, `join`, `leave` or `ban`.
    ///
    /// # Errors
    ///
    /// If it does not come to that within a minute.
    pub async fn wait_for_member(&self, room: &str, user_id: &str, membership: &str) -> Result<(), ToolError> {
        let content = json!({"membership": membership});
        let part = json!({"room": room, "type": "m.room.member", "state_key": user_id, "content": content});
        self.wait(part, "").await.map(drop)
    }

    /// All events that have come of which `part` is a part, oldest first.
    ///
    /// # Errors
    ///
    /// If the client's program is gone.
    pub async fn seen(&self, part: Value) -> Result<Vec<Value>, ToolError> {
        list(self.order("seen", json!({"where": part})).await?, "events")
    }

    /// The messages of somebody in a room as they look by now, oldest first: `{"event_id", "body", "html", "msgtype", "thread",
    /// "reply", "falling_back", "edits", "reactions", "redacted", "encrypted", "undecryptable"}`.
    ///
    /// # Errors
    ///
    /// If the client's program is gone.
    pub async fn shown(&self, room: &str, sender: &str) -> Result<Vec<Value>, ToolError> {
        let order = json!({"room": room, "sender": sender});
        list(self.order("shown", order).await?, "messages")
    }

    /// Gives any order of `tests/tools/matrix/person.py`.
    ///
    /// # Errors
    ///
    /// If it fails; [`ToolError::status`] is the server's, where it was the server that refused.
    pub async fn order(&self, what: &str, order: Value) -> Result<Value, ToolError> {
        self.tool.order(what, order).await
    }
}

fn list(mut answer: Value, key: &str) -> Result<Vec<Value>, ToolError> {
    match answer.get_mut(key).map(Value::take) {
        Some(Value::Array(found)) => Ok(found),
        _ => Err(ToolError::Odd(answer)),
    }
}
