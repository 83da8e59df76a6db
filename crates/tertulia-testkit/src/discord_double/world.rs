//! Everything that the double knows, behind one lock.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde_json::{Value, json};

use super::faults::Plan;
use super::files::Files;
use super::hub::Hub;
use super::interactions::{Commands, Interaction};
use super::message::Message;
use super::place::{Channel, Guild, Permission};
use super::rates::Rates;
use super::refusal::Refusal;
use super::settings::Settings;
use super::truth::Truth;
use crate::chat_double::{RecordAct, Spot};

/// Numbers count milliseconds from here.
const EPOCH: u64 = 1_420_070_400_000;
const TIME_BITS: u32 = 22;
/// How long a sign of typing is seen.
pub(super) const TYPING: Duration = Duration::from_secs(10);

/// An account.
#[derive(Debug, Clone)]
pub(super) struct Person {
    pub(super) id: u64,
    pub(super) name: String,
    pub(super) is_bot: bool,
    /// True if the bot may not write to them.
    pub(super) is_closed: bool,
    pub(super) conversation: Option<u64>,
}

/// The state of the double.
#[derive(Debug)]
pub(super) struct World {
    pub(super) settings: Settings,
    /// The server's time, from its start.
    pub(super) at: Duration,
    /// The time of day at the start, in milliseconds from 1970.
    born: u64,
    last_id: u64,
    pub(super) people: BTreeMap<u64, Person>,
    pub(super) guilds: BTreeMap<u64, Guild>,
    pub(super) channels: BTreeMap<u64, Channel>,
    pub(super) messages: BTreeMap<u64, Message>,
    pub(super) typing: BTreeMap<u64, Duration>,
    pub(super) nonces: BTreeMap<(u64, String), (Duration, u64)>,
    pub(super) blocked_words: Vec<String>,
    pub(super) commands: Commands,
    pub(super) interactions: BTreeMap<u64, Interaction>,
    pub(super) files: Files,
    pub(super) hub: Hub,
    pub(super) plan: Plan,
    pub(super) rates: Rates,
    pub(super) truth: Truth,
    /// Questions that need no answer any more.
    pub(super) excused: BTreeSet<u64>,
    /// How many hundredths of a repetition are due.
    pub(super) due_twice: u32,
    pub(super) gateway: String,
    pub(super) base: String,
}

impl World {
    pub(super) fn new(settings: Settings, born: u64, base: String, gateway: String) -> Self {
        let bot = Person {
            id: settings.bot_id,
            name: settings.username.clone(),
            is_bot: true,
            is_closed: false,
            conversation: None,
        };
        Self {
            people: BTreeMap::from([(bot.id, bot)]),
            hub: Hub::new(&settings),
            settings,
            born,
            base,
            gateway,
            at: Duration::ZERO,
            last_id: 0,
            guilds: BTreeMap::new(),
            channels: BTreeMap::new(),
            messages: BTreeMap::new(),
            typing: BTreeMap::new(),
            nonces: BTreeMap::new(),
            blocked_words: Vec::new(),
            commands: Commands::default(),
            interactions: BTreeMap::new(),
            files: Files::default(),
            plan: Plan::default(),
            rates: Rates::default(),
            truth: Truth::default(),
            excused: BTreeSet::new(),
            due_twice: 0,
        }
    }

    pub(super) fn bot(&self) -> u64 {
        self.settings.bot_id
    }

    /// The time of day, in milliseconds from 1970.
    pub(super) fn today(&self) -> u64 {
        self.born + u64::try_from(self.at.as_millis()).unwrap_or_default()
    }

    /// A new number, higher than all before.
    pub(super) fn new_id(&mut self) -> u64 {
        let now = self.today().saturating_sub(EPOCH) << TIME_BITS;
        self.last_id = now.max(self.last_id + 1);
        self.last_id
    }

    /// A new number from an earlier time.
    pub(super) fn old_id(&self, ago: Duration) -> u64 {
        let ago = u64::try_from(ago.as_millis()).unwrap_or_default();
        let mut id = self.today().saturating_sub(EPOCH + ago) << TIME_BITS;
        while self.messages.contains_key(&id) {
            id += 1;
        }
        id
    }

    /// How old a numbered thing is.
    pub(super) fn age(&self, id: u64) -> Duration {
        Duration::from_millis(self.today().saturating_sub((id >> TIME_BITS) + EPOCH))
    }

    pub(super) fn violate(&mut self, what: impl Into<String>) {
        self.truth.violate(self.at, what);
    }

    pub(super) fn channel(&self, id: u64) -> Result<&Channel, Refusal> {
        self.channels.get(&id).ok_or_else(Refusal::unknown_channel)
    }

    /// The permissions of the bot in a channel; a thread has those of its parent.
    pub(super) fn permissions(&self, channel: &Channel) -> u64 {
        let Some(guild) = channel.guild.and_then(|guild| self.guilds.get(&guild)) else {
            return u64::MAX;
        };
        let parent = channel.parent.filter(|_| channel.is_thread());
        let parent = parent.and_then(|parent| self.channels.get(&parent));
        guild.permissions & !channel.denied & !parent.map_or(0, |parent| parent.denied)
    }

    pub(super) fn may(&self, channel: &Channel, what: Permission) -> bool {
        self.permissions(channel) & what.0 != 0
    }

    /// True if the bot can see the channel.
    pub(super) fn sees(&self, channel: &Channel) -> bool {
        let is_in = channel.thread.as_ref().is_none_or(|thread| thread.has_bot);
        let is_open = channel.kind != super::place::kind::PRIVATE_THREAD || is_in;
        is_open && self.may(channel, Permission::VIEW_CHANNEL)
    }

    /// Where a channel is, for the judge.
    pub(super) fn spot(&self, channel: u64) -> Spot {
        let parent = self.channels.get(&channel).filter(|channel| channel.is_thread());
        match parent.and_then(|channel| channel.parent) {
            Some(parent) => Spot::thread(parent.to_string(), channel.to_string()),
            None => Spot::chat(channel.to_string()),
        }
    }

    /// Writes down for the judge what became of a message.
    pub(super) fn record(&mut self, message: u64, act: RecordAct) {
        let Some(found) = self.messages.get(&message) else {
            return;
        };
        let (channel, text, key) = (found.channel, found.content.clone(), found.nonce_text());
        let reply_to = found.reply_to.or(found.answers);
        let spot = self.spot(channel);
        let is_post = act == RecordAct::Posted;
        self.truth.record(self.at, spot, message, act, text);
        if let Some(record) = self.truth.records.last_mut().filter(|_| is_post) {
            record.key = key;
            record.in_reply_to = reply_to;
        }
    }

    pub(super) fn user_json(&self, id: u64) -> Value {
        let person = self.people.get(&id);
        json!({
            "id": id.to_string(), "username": person.map_or("deleted", |person| &person.name), "discriminator": "0",
            "global_name": person.map(|person| &person.name), "avatar": null,
            "bot": person.is_some_and(|person| person.is_bot), "public_flags": 0,
        })
    }

    /// A member of a guild, without the account.
    pub(super) fn member_json(&self, guild: u64, person: u64) -> Value {
        let role = self.guilds.get(&guild).filter(|_| person == self.bot());
        let roles: Vec<String> = role.map(|guild| guild.bot_role.to_string()).into_iter().collect();
        json!({
            "roles": roles, "nick": null, "avatar": null, "joined_at": "2024-01-01T00:00:00.000000+00:00",
            "premium_since": null, "deaf": false, "mute": false, "flags": 0, "pending": false,
            "communication_disabled_until": null,
        })
    }

    pub(super) fn channel_json(&self, channel: &Channel) -> Value {
        let Some(recipient) = channel.recipient else {
            return channel.json();
        };
        json!({
            "id": channel.id.to_string(), "type": channel.kind, "recipients": [self.user_json(recipient)],
            "last_message_id": channel.last_message.map(|id| id.to_string()), "flags": 0,
        })
    }

    /// The private conversation of a person with the bot.
    pub(super) fn conversation(&mut self, person: u64) -> u64 {
        if let Some(channel) = self.people.get(&person).and_then(|person| person.conversation) {
            return channel;
        }
        let id = self.new_id();
        let mut channel = Channel::new(id, super::place::kind::DM, None, "");
        channel.recipient = Some(person);
        self.channels.insert(id, channel);
        if let Some(person) = self.people.get_mut(&person) {
            person.conversation = Some(id);
        }
        id
    }

    /// Whether the bot is typing in a channel.
    pub(super) fn is_typing(&self, channel: u64) -> bool {
        self.typing
            .get(&channel)
            .is_some_and(|since| self.at.saturating_sub(*since) < TYPING)
    }
}

/// A time of day as the server writes it.
pub(super) fn timestamp(unix_ms: u64) -> String {
    let ms = i64::try_from(unix_ms).unwrap_or_default();
    let time = jiff::Timestamp::from_millisecond(ms).unwrap_or_default().to_string();
    format!("{}+00:00", time.trim_end_matches('Z'))
}

/// When a numbered thing was made, as the server writes it.
pub(super) fn made(id: u64) -> String {
    timestamp((id >> TIME_BITS) + EPOCH)
}
