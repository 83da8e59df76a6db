//! Somebody without a client: what they do are calls of the API, and what they see is what the server has.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use reqwest::{Client, Method};
use serde_json::{Map, Value, json};
use tertulia_testkit::matrix_person::{NewRoom, Saying};
use tertulia_testkit::synapse::Account;

use super::Someone;

/// How long one call may take: generous, it only stops a hang.
const PATIENCE: Duration = Duration::from_mins(1);
/// So many events of a room are read at once.
const PAGE: usize = 500;

/// One person. Everything is in clear.
pub(crate) struct PlainPerson {
    http: Client,
    url: String,
    account: Account,
    transactions: AtomicU64,
}

impl PlainPerson {
    pub(crate) fn new(url: &str, account: Account) -> Self {
        Self {
            http: Client::builder().timeout(PATIENCE).no_proxy().build().unwrap(),
            url: url.to_owned(),
            account,
            transactions: AtomicU64::new(0),
        }
    }

    /// E.g. `@anna-1:localhost`.
    pub(crate) fn user_id(&self) -> &str {
        &self.account.user_id
    }

    /// Any call below `/_matrix/client/`, e.g. `v3/joined_rooms`: the status, and the body.
    pub(crate) async fn call(&self, method: Method, path: &str, body: Option<Value>) -> (u16, Value) {
        let url = format!("{}/_matrix/client/{path}", self.url);
        let call = self.http.request(method, url).bearer_auth(&self.account.access_token);
        let call = match body {
            Some(body) => call.body(body.to_string()),
            None => call,
        };
        let answer = call.send().await.unwrap();
        let status = answer.status().as_u16();
        (
            status,
            serde_json::from_str(&answer.text().await.unwrap()).unwrap_or_default(),
        )
    }

    /// A call that must succeed.
    pub(crate) async fn done(&self, method: Method, path: &str, body: Option<Value>) -> Value {
        let (status, answer) = self.call(method, path, body).await;
        assert_eq!(status, 200, "{path}: {answer}");
        answer
    }

    /// Says something, and gives the event's id.
    pub(crate) async fn say(&self, room: &str, words: &str) -> String {
        self.says(room, &Saying::new(words)).await
    }

    /// Sends any event, and gives its id.
    pub(crate) async fn send(&self, room: &str, kind: &str, content: Value) -> String {
        let transaction = self.transactions.fetch_add(1, Ordering::Relaxed);
        let path = format!("v3/rooms/{}/send/{kind}/plain-{transaction}", encoded(room));
        text(&self.done(Method::PUT, &path, Some(content)).await, "event_id")
    }

    /// Sets any state of a room, and gives the event's id.
    pub(crate) async fn set(&self, room: &str, kind: &str, key: &str, content: Value) -> String {
        let path = format!("v3/rooms/{}/state/{kind}/{}", encoded(room), encoded(key));
        text(&self.done(Method::PUT, &path, Some(content)).await, "event_id")
    }

    /// `invite`, `kick`, `ban`, `unban`.
    pub(crate) async fn member(&self, room: &str, act: &str, user_id: &str) {
        let path = format!("v3/rooms/{}/{act}", encoded(room));
        self.done(Method::POST, &path, Some(json!({"user_id": user_id}))).await;
    }

    /// `join`, `leave`, `forget`.
    pub(crate) async fn own(&self, room: &str, act: &str) {
        let path = format!("v3/rooms/{}/{act}", encoded(room));
        self.done(Method::POST, &path, Some(json!({}))).await;
    }

    /// Takes an event back, and gives the id of the event that does it.
    pub(crate) async fn redact(&self, room: &str, event: &str) -> String {
        let transaction = self.transactions.fetch_add(1, Ordering::Relaxed);
        let (room, event) = (encoded(room), encoded(event));
        let path = format!("v3/rooms/{room}/redact/{event}/plain-{transaction}");
        text(&self.done(Method::PUT, &path, Some(json!({}))).await, "event_id")
    }

    /// Everything that happened in a room, as the server has it, oldest first.
    pub(crate) async fn events(&self, room: &str) -> Vec<Value> {
        let (mut events, mut from) = (Vec::new(), String::new());
        loop {
            let path = format!("v3/rooms/{}/messages?dir=b&limit={PAGE}{from}", encoded(room));
            let page = self.done(Method::GET, &path, None).await;
            let chunk = page["chunk"].as_array().unwrap();
            events.extend(chunk.iter().cloned());
            match page["end"].as_str() {
                Some(end) if !chunk.is_empty() => from = format!("&from={}", encoded(end)),
                _ => break,
            }
        }
        events.reverse();
        events
    }
}

impl Someone for PlainPerson {
    async fn opens(&self, room: &NewRoom) -> String {
        let order = room.order();
        let mut wanted =
            json!({"preset": "private_chat", "invite": order.get("invite"), "is_direct": order.get("direct")});
        let wanted = wanted.as_object_mut().unwrap();
        wanted.retain(|_, value| !value.is_null());
        wanted.extend(
            order
                .get("version")
                .map(|version| ("room_version".to_owned(), version.clone())),
        );
        assert!(!order.contains_key("encrypted"), "needs an encrypting client");
        let made = self.done(Method::POST, "v3/createRoom", Some(json!(wanted))).await;
        text(&made, "room_id")
    }

    async fn says(&self, room: &str, saying: &Saying) -> String {
        self.send(room, "m.room.message", content(saying.order())).await
    }

    async fn has(&self, room: &str, user_id: &str) -> bool {
        let path = format!("v3/rooms/{}/joined_members", encoded(room));
        let (_, members) = self.call(Method::GET, &path, None).await;
        members["joined"].get(user_id).is_some()
    }

    async fn sees(&self, room: &str, sender: &str) -> Vec<Value> {
        let mut items: Vec<Value> = Vec::new();
        for event in self.events(room).await {
            let relates = &event["content"]["m.relates_to"];
            let target = items.iter_mut().find(|item| item["event_id"] == relates["event_id"]);
            match (event["type"].as_str(), relates["rel_type"].as_str(), target) {
                (Some("m.reaction"), _, Some(target)) => {
                    let reaction = json!({"key": relates["key"], "sender": event["sender"]});
                    target["reactions"].as_array_mut().unwrap().push(reaction);
                }
                (Some("m.room.message"), Some("m.replace"), Some(target))
                    if target["sender"] == event["sender"] && target["redacted"] == false =>
                {
                    show(target, &event["content"]["m.new_content"]);
                    target["edits"] = json!(target["edits"].as_u64().unwrap() + 1);
                }
                (Some("m.room.message"), Some("m.replace"), _) => {}
                (Some("m.room.message" | "m.room.encrypted"), _, _) => items.push(item(&event)),
                _ => {}
            }
        }
        items.retain(|item| item["sender"] == sender);
        items
    }
}

fn item(event: &Value) -> Value {
    let relates = &event["content"]["m.relates_to"];
    let threaded = relates["rel_type"] == "m.thread";
    let mut item = json!({
        "event_id": event["event_id"],
        "sender": event["sender"],
        "thread": threaded.then_some(&relates["event_id"]),
        "reply": relates["m.in_reply_to"]["event_id"],
        "falling_back": relates["is_falling_back"] == true,
        "edits": 0,
        "reactions": [],
        "redacted": event["unsigned"].get("redacted_because").is_some(),
        "encrypted": event["type"] == "m.room.encrypted",
        "undecryptable": event["type"] == "m.room.encrypted",
    });
    show(&mut item, &event["content"]);
    item
}

fn show(item: &mut Value, content: &Value) {
    for (key, of) in [("msgtype", "msgtype"), ("body", "body"), ("html", "formatted_body")] {
        item[key] = content[of].clone();
    }
}

/// The content of a message, as `tests/tools/matrix/contents.py` makes it.
fn content(order: &Map<String, Value>) -> Value {
    let mut content = json!({"msgtype": "m.text", "body": order["body"]});
    if let Some(html) = order.get("html") {
        content["format"] = json!("org.matrix.custom.html");
        content["formatted_body"] = html.clone();
    }
    if let Some(mentions) = order.get("mentions") {
        content["m.mentions"] = json!({"user_ids": mentions});
    }
    if let Some(edited) = order.get("edit") {
        let mut edit = content.clone();
        edit["body"] = json!(format!("* {}", order["body"].as_str().unwrap()));
        edit["m.new_content"] = content;
        edit["m.relates_to"] = json!({"rel_type": "m.replace", "event_id": edited});
        return edit;
    }
    let (thread, reply) = (order.get("thread"), order.get("reply"));
    if let Some(answered) = reply.or(thread) {
        content["m.relates_to"] = json!({"m.in_reply_to": {"event_id": answered}});
    }
    if let Some(root) = thread {
        content["m.relates_to"]["rel_type"] = json!("m.thread");
        content["m.relates_to"]["event_id"] = root.clone();
        content["m.relates_to"]["is_falling_back"] = json!(reply.is_none());
    }
    content
}

fn text(answer: &Value, key: &str) -> String {
    answer[key].as_str().unwrap().to_owned()
}

/// Ids of rooms of version 3 have slashes in them.
pub(crate) fn encoded(id: &str) -> String {
    let sign = |byte: u8| {
        if byte.is_ascii_alphanumeric() {
            char::from(byte).to_string()
        } else {
            format!("%{byte:02X}")
        }
    };
    id.bytes().map(sign).collect()
}
