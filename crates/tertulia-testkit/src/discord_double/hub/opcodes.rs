//! What the bot sends, and what it gets for it.

use std::collections::VecDeque;
use std::time::Duration;

use serde_json::{Value, json};

use super::{Order, Step, World};

/// More than that in a minute is too much.
const MOST_IN_A_MINUTE: usize = 120;
const MINUTE: Duration = Duration::from_mins(1);
/// The largest payload of the bot, in bytes.
const LARGEST: usize = 4096;

/// What the gateway knows about a connection.
#[derive(Debug)]
pub(in crate::discord_double) struct Connection {
    pub(in crate::discord_double) id: u64,
    pub(in crate::discord_double) session: Option<String>,
    /// True if the bot asked for compressed events.
    pub(in crate::discord_double) compressed: bool,
    /// True if it came to the address that READY gives.
    pub(in crate::discord_double) is_resume_address: bool,
    /// When its last heartbeat came, or when it was opened.
    pub(in crate::discord_double) last_beat: Duration,
    sent: VecDeque<Duration>,
}

impl Connection {
    pub(in crate::discord_double) fn new(id: u64, is_resume_address: bool, at: Duration) -> Self {
        Self {
            id,
            session: None,
            compressed: false,
            is_resume_address,
            last_beat: at,
            sent: VecDeque::new(),
        }
    }

    /// Counts what the bot sends; true if it is too much.
    fn is_flooded(&mut self, at: Duration) -> bool {
        self.sent.retain(|before| at.saturating_sub(*before) < MINUTE);
        self.sent.push_back(at);
        self.sent.len() > MOST_IN_A_MINUTE
    }
}

impl World {
    /// The first word of the gateway on a connection of this version and encoding.
    pub(in crate::discord_double) fn hello(&mut self, connection: &Connection, query: &str) -> Vec<Step> {
        self.truth.counts.connections += 1;
        let value = |name: &str| {
            let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
            pairs.find(|(key, _)| *key == name).map(|(_, value)| value.to_owned())
        };
        let is_json = value("encoding").is_none_or(|encoding| encoding == "json");
        if value("v").as_deref() != Some("10") || !is_json {
            self.violate(format!("connected to the gateway with ?{query}"));
            return self.close(connection.id, 4012);
        }
        let interval = u64::try_from(self.settings.heartbeat.as_millis()).unwrap_or_default();
        let hello = json!({"op": 10, "d": {"heartbeat_interval": interval, "_trace": []}, "s": null, "t": null});
        let mut steps = vec![Step::Send(hello.to_string())];
        if let Some(order) = self.hub.at_connect.pop_front() {
            steps.extend(self.obey(order, connection.id));
        }
        steps
    }

    /// Takes one payload of the bot.
    pub(in crate::discord_double) fn receive(&mut self, connection: &mut Connection, text: &str) -> Vec<Step> {
        if connection.is_flooded(self.at) {
            self.violate("sent more than 120 payloads in a minute to the gateway");
            return self.close(connection.id, 4008);
        }
        let payload: Value = match serde_json::from_str(text) {
            Ok(payload) if text.len() <= LARGEST => payload,
            _ => {
                self.violate("sent the gateway something that is no JSON, or too long");
                return self.close(connection.id, 4002);
            }
        };
        let body = payload.get("d").cloned().unwrap_or_default();
        match payload.get("op").and_then(Value::as_u64) {
            Some(1) => self.heartbeat(connection),
            Some(2) => self.identify(connection, &body),
            Some(6) => self.resume(connection, &body),
            Some(3 | 4 | 8 | 31) if connection.session.is_none() => self.faulty(connection, 4003),
            Some(3 | 4 | 8 | 31) => Vec::new(),
            _ => self.faulty(connection, 4001),
        }
    }

    /// Closes a connection whose bot is at fault.
    pub(super) fn faulty(&mut self, connection: &Connection, code: u16) -> Vec<Step> {
        self.violate(format!("had to be disconnected from the gateway with {code}"));
        self.close(connection.id, code)
    }

    fn heartbeat(&mut self, connection: &mut Connection) -> Vec<Step> {
        connection.last_beat = self.at;
        self.truth.counts.heartbeats += 1;
        if self.hub.ignores_heartbeats {
            self.truth.counts.ignored_heartbeats += 1;
            return Vec::new();
        }
        vec![Step::Send(
            json!({"op": 11, "d": null, "s": null, "t": null}).to_string(),
        )]
    }

    fn resume(&mut self, connection: &mut Connection, body: &Value) -> Vec<Step> {
        if let Some(order) = self.hub.at_resume.pop_front() {
            if let (Order::InvalidSession { resumable: false }, Some(id)) = (&order, body["session_id"].as_str()) {
                self.hub.sessions.remove(id);
            }
            self.truth.counts.failed_resumes += 1;
            return self.obey(order, connection.id);
        }
        if !self.is_token(body) {
            return self.close(connection.id, 4004);
        }
        if connection.session.is_some() {
            return self.faulty(connection, 4005);
        }
        let (at, longest) = (self.at, self.settings.resumable);
        let is_over =
            |session: &super::Session| session.connection.is_none() && at.saturating_sub(session.gone_at) > longest;
        self.hub.sessions.retain(|_, session| !is_over(session));
        let id = body["session_id"].as_str().unwrap_or_default().to_owned();
        let seq = body["seq"].as_u64().unwrap_or_default();
        let session = self.hub.sessions.get_mut(&id).filter(|session| session.lost <= seq);
        let Some(session) = session else {
            self.truth.counts.failed_resumes += 1;
            self.hub.sessions.remove(&id);
            return self.obey(Order::InvalidSession { resumable: false }, connection.id);
        };
        if seq > session.seq {
            self.truth.counts.failed_resumes += 1;
            self.hub.sessions.remove(&id);
            return self.faulty(connection, 4007);
        }
        session.connection = Some(connection.id);
        session.sent = seq;
        session.push("RESUMED", &json!({"_trace": []}), self.settings.replay);
        connection.session = Some(id);
        self.truth.counts.resumes += 1;
        self.truth.counts.resumes_elsewhere += u64::from(!connection.is_resume_address);
        Vec::new()
    }

    pub(super) fn is_token(&self, body: &Value) -> bool {
        let token = body["token"].as_str().unwrap_or_default();
        token.strip_prefix("Bot ").unwrap_or(token) == self.settings.token && !self.hub.is_locked_out
    }

    /// When a connection without a heartbeat is ended, in the server's time.
    pub(in crate::discord_double) fn beat_deadline(&self, connection: &Connection) -> Duration {
        connection.last_beat + self.settings.heartbeat + self.settings.heartbeat_grace
    }
}
