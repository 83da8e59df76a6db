//! New sessions: what IDENTIFY must be, and what READY says.

use std::collections::VecDeque;

use serde_json::{Value, json};

use super::opcodes::Connection;
use super::{Order, Session, Step, World, intent};

/// A bot in so many guilds has to use shards.
const SHARDS_FROM: usize = 2500;
/// The flag of an application that sees what messages say.
const CONTENT_FLAG: u64 = 1 << 19;

impl World {
    /// Begins a session.
    pub(super) fn identify(&mut self, connection: &mut Connection, body: &Value) -> Vec<Step> {
        if connection.session.is_some() {
            return self.faulty(connection, 4005);
        }
        if let Some(order) = self.hub.at_identify.pop_front() {
            self.truth.counts.identifies += 1;
            return self.obey(order, connection.id);
        }
        if let Some(code) = self.objection(body) {
            return self.close(connection.id, code);
        }
        if !self.takes_another() {
            return self.obey(Order::InvalidSession { resumable: false }, connection.id);
        }
        connection.compressed = self.settings.compress && body["compress"].as_bool().unwrap_or_default();
        let session = self.new_session(connection.id, body);
        connection.session = Some(session);
        Vec::new()
    }

    /// The code with which an IDENTIFY is refused.
    fn objection(&mut self, body: &Value) -> Option<u16> {
        if !self.is_token(body) {
            return Some(4004);
        }
        let (shard, of) = shard(body);
        if shard >= of {
            return Some(4010);
        }
        if of == 1 && self.guilds.len() >= SHARDS_FROM {
            return Some(4011);
        }
        let intents = body["intents"].as_u64().unwrap_or(u64::MAX);
        if intents & !intent::KNOWN != 0 {
            return Some(4013);
        }
        let privileged = self.settings.privileged;
        let forbidden = [
            (privileged.members, intent::GUILD_MEMBERS),
            (privileged.presences, intent::GUILD_PRESENCES),
            (privileged.content, intent::MESSAGE_CONTENT),
        ];
        let is_forbidden = forbidden.iter().any(|(allowed, bit)| !allowed && intents & bit != 0);
        is_forbidden.then_some(4014)
    }

    /// Counts a new session; false if it comes too soon after the others.
    fn takes_another(&mut self) -> bool {
        let (at, window) = (self.at, self.settings.identify_window);
        self.truth.counts.identifies += 1;
        if self.hub.starts_left == 0 {
            self.violate("began more sessions than a day has: all sessions end, and the token is reset");
            self.hub.forget();
            self.hub.is_locked_out = true;
            return false;
        }
        self.hub.starts_left -= 1;
        self.hub.recent.retain(|before| at.saturating_sub(*before) < window);
        let is_room = (self.hub.recent.len() as u64) < self.settings.max_concurrency;
        if is_room {
            self.hub.recent.push_back(at);
        }
        is_room
    }

    fn new_session(&mut self, connection: u64, body: &Value) -> String {
        let id = format!("{:032x}", self.new_id());
        let mut session = Session {
            id: id.clone(),
            shard: shard(body),
            intents: body["intents"].as_u64().unwrap_or_default(),
            seq: 0,
            events: VecDeque::new(),
            lost: 0,
            sent: 0,
            connection: Some(connection),
            gone_at: self.at,
        };
        let replay = self.settings.replay;
        let mine: Vec<_> = self
            .guilds
            .values()
            .filter(|guild| session.serves(Some(guild.id)))
            .collect();
        let listed = mine
            .iter()
            .map(|guild| json!({"id": guild.id.to_string(), "unavailable": true}));
        let ready = json!({
            "v": 10, "user": self.user_json(self.bot()), "guilds": listed.collect::<Vec<_>>(), "session_id": id,
            "session_type": "normal", "resume_gateway_url": format!("{}/resume", self.gateway),
            "shard": [session.shard.0, session.shard.1], "private_channels": [], "relationships": [],
            "application": {"id": self.bot().to_string(), "flags": self.application_flags()}, "_trace": [],
        });
        session.push("READY", &ready, replay);
        if session.intents & intent::GUILDS != 0 {
            for guild in mine.iter().filter(|guild| !guild.is_unavailable) {
                session.push("GUILD_CREATE", &self.guild_create(guild), replay);
            }
        }
        self.hub.sessions.insert(id.clone(), session);
        id
    }

    pub(in crate::discord_double) fn application_flags(&self) -> u64 {
        if self.settings.privileged.content {
            CONTENT_FLAG
        } else {
            0
        }
    }
}

fn shard(body: &Value) -> (u64, u64) {
    let part = |at: usize| body["shard"].get(at).and_then(Value::as_u64);
    part(0).zip(part(1)).unwrap_or((0, 1))
}
