//! People who speak HTTP: one who asks, one who watches rooms by long polls, and one who answers at once.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use reqwest::{Client, Method};
use serde_json::{Value, json};
use tertulia_testkit::synapse::Account;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};

/// How long anything may take.
const PATIENCE: Duration = Duration::from_mins(1);
/// Whatever is shown by an event.
const KINDS: [&str; 2] = ["m.room.message", "m.room.encrypted"];
static TRANSACTIONS: AtomicU64 = AtomicU64::new(0);

/// One person on one device.
#[derive(Clone)]
pub(super) struct Person {
    http: Client,
    url: String,
    user: String,
    token: String,
}

impl Person {
    pub(super) fn new(url: &str, account: &Account) -> Self {
        Self {
            http: Client::new(),
            url: url.to_owned(),
            user: account.user_id.clone(),
            token: account.access_token.clone(),
        }
    }

    /// The same person on a new device.
    pub(super) async fn login(url: &str, account: &Account) -> Result<Self> {
        let mut person = Self::new(url, account);
        let identifier = json!({"type": "m.id.user", "user": account.user_id});
        let login = json!({"type": "m.login.password", "identifier": identifier, "password": account.password});
        let made = person.call(Method::POST, "login", Some(login)).await?;
        person.token = text(&made, "access_token")?;
        Ok(person)
    }

    async fn call(&self, method: Method, path: &str, body: Option<Value>) -> Result<Value> {
        let call = self
            .http
            .request(method, format!("{}/_matrix/client/v3/{path}", self.url));
        let call = call.bearer_auth(&self.token).timeout(PATIENCE);
        let call = match body {
            Some(body) => call.body(body.to_string()),
            None => call,
        };
        let answer = call.send().await?.error_for_status()?.text().await?;
        Ok(serde_json::from_str(&answer)?)
    }

    /// A room of two.
    pub(super) async fn create(&self, other: &str) -> Result<String> {
        let wanted = json!({"preset": "private_chat", "invite": [other], "is_direct": true});
        let made = self.call(Method::POST, "createRoom", Some(wanted)).await?;
        text(&made, "room_id")
    }

    pub(super) async fn wait_for(&self, room: &str, other: &str) -> Result<()> {
        let until = Instant::now() + PATIENCE;
        while Instant::now() < until {
            let members = self
                .call(Method::GET, &format!("rooms/{room}/joined_members"), None)
                .await?;
            if members
                .pointer("/joined")
                .is_some_and(|joined| joined.get(other).is_some())
            {
                return Ok(());
            }
            sleep(Duration::from_millis(50)).await;
        }
        bail!("{other} does not join")
    }

    pub(super) async fn say(&self, room: &str, words: &str) -> Result<()> {
        let transaction = TRANSACTIONS.fetch_add(1, Ordering::Relaxed);
        let path = format!("rooms/{room}/send/m.room.message/bench-{transaction}");
        let content = json!({"msgtype": "m.text", "body": words});
        self.call(Method::PUT, &path, Some(content)).await.map(drop)
    }

    /// What somebody said in a room, with the last edits, oldest first.
    pub(super) async fn shown(&self, room: &str, sender: &str) -> Result<Vec<Value>> {
        let (mut events, mut from) = (Vec::new(), String::new());
        loop {
            let path = format!("rooms/{room}/messages?dir=b&limit=1000{from}");
            let page = self.call(Method::GET, &path, None).await?;
            let chunk = page.get("chunk").and_then(Value::as_array).context("no chunk")?;
            events.extend(chunk.iter().cloned());
            match page.get("end").and_then(Value::as_str) {
                Some(end) if !chunk.is_empty() => from = format!("&from={end}"),
                _ => break,
            }
        }
        let mut shown: Vec<Value> = Vec::new();
        for event in events.iter().rev().filter(|event| is_by(event, sender)) {
            let of = event.pointer("/content/m.relates_to/event_id");
            let new = event.pointer("/content/m.new_content/body");
            let old = shown.iter_mut().find(|message| message.get("event_id") == of);
            match (new, old) {
                (Some(new), Some(old)) => {
                    *old = json!({"event_id": of, "body": new});
                }
                _ => shown.push(json!({"event_id": event.get("event_id"), "body": event.pointer("/content/body")})),
            }
        }
        Ok(shown)
    }

    async fn sync(&self, since: Option<&str>) -> Result<Value> {
        let filter =
            json!({"room": {"timeline": {"limit": 100}, "ephemeral": {"types": []}}, "presence": {"types": []}});
        let filter: String = filter
            .to_string()
            .bytes()
            .fold(String::new(), |escaped, byte| format!("{escaped}%{byte:02X}"));
        let since = since
            .map(|since| format!("&since={since}&timeout=20000"))
            .unwrap_or_default();
        self.call(Method::GET, &format!("sync?filter={filter}{since}"), None)
            .await
    }
}

/// What others say in the rooms of a person, as soon as the server tells it.
pub(super) struct Watch {
    said: mpsc::Receiver<(Instant, String)>,
    _task: JoinSet<Result<()>>,
}

impl Watch {
    pub(super) async fn start(person: &Person) -> Result<Self> {
        let (send, said) = mpsc::channel(4096);
        let person = person.clone();
        let mut since = text(&person.sync(None).await?, "next_batch")?;
        let mut task = JoinSet::new();
        task.spawn(async move {
            loop {
                let synced = person.sync(Some(&since)).await?;
                let now = Instant::now();
                since = text(&synced, "next_batch")?;
                for room in others(&synced, &person.user) {
                    send.send((now, room)).await?;
                }
            }
        });
        Ok(Self { said, _task: task })
    }

    /// When somebody else said the next thing in a room.
    pub(super) async fn other(&mut self, room: &str) -> Result<Instant> {
        loop {
            let said = timeout(PATIENCE, self.said.recv()).await.context("nobody answers")?;
            let (at, where_) = said.context("the watch has ended")?;
            if where_ == room {
                return Ok(at);
            }
        }
    }

    /// Waits until nothing more was said for so long, by edits for example.
    pub(super) async fn calm(&mut self, room: &str, silence: Duration) {
        while let Ok(Ok(_)) = timeout(silence, self.other(room)).await {}
    }
}

/// Somebody who repeats at once what is said in a room, with nothing but HTTP.
pub(super) struct Echo {
    pub(super) room: String,
    _task: JoinSet<Result<()>>,
}

impl Echo {
    pub(super) async fn start(echo: Person, other: &Person) -> Result<Self> {
        let room = echo.create(&other.user).await?;
        other
            .call(Method::POST, &format!("rooms/{room}/join"), Some(json!({})))
            .await?;
        let mut watch = Watch::start(&echo).await?;
        let mut task = JoinSet::new();
        let here = room.clone();
        task.spawn(async move {
            loop {
                // it may take as long as it likes until somebody speaks
                if watch.other(&here).await.is_ok() {
                    echo.say(&here, "You said something.").await?;
                }
            }
        });
        Ok(Self { room, _task: task })
    }
}

fn is_by(event: &Value, sender: &str) -> bool {
    let is_shown = event
        .get("type")
        .and_then(Value::as_str)
        .is_some_and(|kind| KINDS.contains(&kind));
    is_shown && event.get("sender").and_then(Value::as_str) == Some(sender)
}

/// The rooms in which somebody else said something, once for each time.
fn others(synced: &Value, own: &str) -> Vec<String> {
    let rooms = synced.pointer("/rooms/join").and_then(Value::as_object);
    let mut found = Vec::new();
    for (room, news) in rooms.into_iter().flatten() {
        let events = news.pointer("/timeline/events").and_then(Value::as_array);
        let is_other = |event: &&Value| {
            let is_own = event.get("sender").and_then(Value::as_str) == Some(own);
            let kind = event.get("type").and_then(Value::as_str);
            !is_own && kind.is_some_and(|kind| KINDS.contains(&kind))
        };
        let count = events.into_iter().flatten().filter(is_other).count();
        found.extend(std::iter::repeat_n(room.clone(), count));
    }
    found
}

fn text(answer: &Value, key: &str) -> Result<String> {
    let found = answer.get(key).and_then(Value::as_str).map(str::to_owned);
    found.with_context(|| format!("no {key} in {answer}"))
}
