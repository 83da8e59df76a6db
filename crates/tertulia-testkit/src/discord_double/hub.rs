//! The gateway's sessions: who listens to what, what they were told, and what they can have again.

mod greeting;
mod opcodes;

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::settings::Settings;
use super::world::World;
pub(super) use opcodes::Connection;

/// Intents, by their bits.
pub(super) mod intent {
    pub(in super::super) const GUILDS: u64 = 1;
    pub(in super::super) const GUILD_MEMBERS: u64 = 1 << 1;
    pub(in super::super) const GUILD_PRESENCES: u64 = 1 << 8;
    pub(in super::super) const GUILD_MESSAGES: u64 = 1 << 9;
    pub(in super::super) const GUILD_MESSAGE_REACTIONS: u64 = 1 << 10;
    pub(in super::super) const DIRECT_MESSAGES: u64 = 1 << 12;
    pub(in super::super) const DIRECT_MESSAGE_REACTIONS: u64 = 1 << 13;
    pub(in super::super) const MESSAGE_CONTENT: u64 = 1 << 15;
    /// Whoever is connected is told.
    pub(in super::super) const NONE: u64 = 0;
    /// All that there are.
    pub(in super::super) const KNOWN: u64 = 0x1_ffff | 0b11 << 20 | 0b11 << 24;
}

/// Something that the gateway does when the test says so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Order {
    /// Closes the connection with a code; 4007 and 4009, and those that are never to be retried, end the session too.
    Close(u16),
    /// Closes it with a close frame without a code.
    CloseWithoutCode,
    /// Drops the TCP connection.
    Drop,
    /// Op 7: asks the bot to connect anew and resume.
    Reconnect,
    /// Op 9; a session that cannot be resumed ends.
    InvalidSession {
        /// Whether the bot may resume.
        resumable: bool,
    },
    /// Op 1: asks for a heartbeat at once.
    AskHeartbeat,
    /// Keeps the connection open, and neither reads nor writes any more.
    Freeze,
    /// Sends this text as it is.
    Raw(String),
}

/// What is written to a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    Send(String),
    Close(Option<u16>),
    Drop,
    Freeze,
}

/// A session of the bot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionInfo {
    /// Its id.
    pub id: String,
    /// What it listens to.
    pub intents: u64,
    /// The number of its last event.
    pub seq: u64,
    /// True if it is connected.
    pub is_connected: bool,
}

#[derive(Debug)]
pub(super) struct Session {
    id: String,
    shard: (u64, u64),
    pub(super) intents: u64,
    seq: u64,
    events: VecDeque<(u64, String)>,
    /// Events up to this one cannot be had again.
    lost: u64,
    sent: u64,
    connection: Option<u64>,
    gone_at: Duration,
}

/// Every session, and what the test has ordered.
#[derive(Debug)]
pub(super) struct Hub {
    sessions: BTreeMap<String, Session>,
    pub(super) starts_left: u64,
    /// When the latest sessions began.
    recent: VecDeque<Duration>,
    pub(super) is_held: bool,
    pub(super) ignores_heartbeats: bool,
    /// True if the token is no longer good.
    pub(super) is_locked_out: bool,
    pub(super) at_connect: VecDeque<Order>,
    pub(super) at_identify: VecDeque<Order>,
    pub(super) at_resume: VecDeque<Order>,
    connections: u64,
    pub(super) lines: BTreeMap<u64, mpsc::Sender<Order>>,
}

impl Hub {
    pub(super) fn new(settings: &Settings) -> Self {
        Self {
            sessions: BTreeMap::new(),
            starts_left: settings.session_starts_left,
            recent: VecDeque::new(),
            is_held: false,
            ignores_heartbeats: false,
            is_locked_out: false,
            at_connect: VecDeque::new(),
            at_identify: VecDeque::new(),
            at_resume: VecDeque::new(),
            connections: 0,
            lines: BTreeMap::new(),
        }
    }

    pub(super) fn sessions(&self) -> Vec<SessionInfo> {
        let one = |session: &Session| SessionInfo {
            id: session.id.clone(),
            intents: session.intents,
            seq: session.seq,
            is_connected: session.connection.is_some(),
        };
        self.sessions.values().map(one).collect()
    }

    /// Ends every session: none can be resumed.
    pub(super) fn forget(&mut self) {
        self.sessions.clear();
    }

    /// A new connection, and the way in which orders reach it.
    pub(super) fn connect(&mut self, orders: mpsc::Sender<Order>) -> u64 {
        self.connections += 1;
        self.lines.insert(self.connections, orders);
        self.connections
    }

    /// A connection is gone; with 1000 or 1001 the bot gives up its session.
    pub(super) fn disconnect(&mut self, at: Duration, connection: u64, code: Option<u16>) {
        self.lines.remove(&connection);
        if matches!(code, Some(1000 | 1001)) {
            self.sessions
                .retain(|_, session| session.connection != Some(connection));
        }
        for session in self
            .sessions
            .values_mut()
            .filter(|session| session.connection == Some(connection))
        {
            session.connection = None;
            session.gone_at = at;
        }
    }

    /// Ends the session of a connection.
    fn end(&mut self, connection: u64) {
        self.sessions
            .retain(|_, session| session.connection != Some(connection));
    }

    /// What is new for a connection; nothing if its session has gone elsewhere.
    pub(super) fn drain(&mut self, connection: u64, session: &str) -> Option<Vec<String>> {
        let is_held = self.is_held;
        let session = self
            .sessions
            .get_mut(session)
            .filter(|session| session.connection == Some(connection))?;
        if is_held {
            return Some(Vec::new());
        }
        let sent = session.sent;
        session.sent = session.seq;
        let new = session.events.iter().filter(|(seq, _)| *seq > sent);
        Some(new.map(|(_, event)| event.clone()).collect())
    }
}

impl Session {
    /// Adds an event; those that nobody waits for any more are forgotten.
    fn push(&mut self, event: &str, body: &Value, replay: usize) {
        self.seq += 1;
        let text = json!({"op": 0, "t": event, "s": self.seq, "d": body}).to_string();
        self.events.push_back((self.seq, text));
        self.trim(replay);
    }

    fn trim(&mut self, replay: usize) {
        while self.events.len() > replay {
            // what a connected session has not been sent yet is kept
            let is_sent = |(seq, _): &(u64, String)| *seq <= self.sent || self.connection.is_none();
            if !self.events.front().is_some_and(is_sent) {
                return;
            }
            self.lost = self.events.pop_front().map_or(self.lost, |(seq, _)| seq);
        }
    }

    /// Sharding sends a guild to one shard, and private conversations to the first.
    fn serves(&self, guild: Option<u64>) -> bool {
        let (shard, of) = self.shard;
        guild.map_or(0, |guild| (guild >> 22) % of.max(1)) == shard
    }
}

impl World {
    /// Tells every session that listens; `cut` is for those who may not see what is said.
    pub(super) fn emit(&mut self, event: &str, guild: Option<u64>, intent: u64, full: &Value, cut: Option<&Value>) {
        let (replay, may_see) = (self.settings.replay, self.settings.privileged.content);
        let cut = cut.unwrap_or(full);
        for session in self.hub.sessions.values_mut() {
            let hears = intent == intent::NONE || session.intents & intent != 0;
            if hears && session.serves(guild) {
                let sees = may_see && session.intents & intent::MESSAGE_CONTENT != 0;
                session.push(event, if sees { full } else { cut }, replay);
            }
        }
    }

    /// Does what the test has ordered, at one connection.
    pub(super) fn obey(&mut self, order: Order, connection: u64) -> Vec<Step> {
        let op = |op: u8, body: Value| Step::Send(json!({"op": op, "d": body, "s": null, "t": null}).to_string());
        match order {
            Order::Close(code) => self.close(connection, code),
            Order::CloseWithoutCode => vec![Step::Close(None)],
            Order::Drop => vec![Step::Drop],
            Order::Reconnect => vec![op(7, Value::Null)],
            Order::InvalidSession { resumable } => {
                if !resumable {
                    self.hub.end(connection);
                }
                vec![op(9, json!(resumable))]
            }
            Order::AskHeartbeat => vec![op(1, Value::Null)],
            Order::Freeze => vec![Step::Freeze],
            Order::Raw(text) => vec![Step::Send(text)],
        }
    }

    /// Closes a connection with a code.
    pub(super) fn close(&mut self, connection: u64, code: u16) -> Vec<Step> {
        if matches!(code, 4004 | 4007 | 4009..=4014) {
            self.hub.end(connection);
        }
        vec![Step::Close(Some(code))]
    }
}
