//! The platform's state, and what each call does to it.

mod bot;
mod people;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;

use super::calls::{CallKind, Refusal, Spot};
use super::faults::Faults;
use super::gates::Gates;
use super::people::Said;
use super::queue::Queue;
use super::record::{Counts, Record, RecordAct, Violation};
use super::rules::Rules;

#[derive(Debug, Clone, PartialEq, Eq)]
enum Access {
    Open,
    Gone,
    Refused,
    Moved(String),
}

#[derive(Debug, Clone)]
struct Message {
    spot: Spot,
    /// What a person said; `None` for a message of the bot.
    said: Option<Said>,
    text: String,
    /// The tokens of the buttons below it.
    buttons: Vec<String>,
    key: Option<String>,
    in_reply_to: Option<u64>,
    deleted: bool,
}

/// Everything the platform knows.
pub(super) struct Platform {
    pub(super) rules: Rules,
    pub(super) faults: Faults,
    pub(super) gates: Gates,
    pub(super) queue: Queue,
    pub(super) log: Vec<Record>,
    pub(super) violations: Vec<Violation>,
    pub(super) counts: Counts,
    /// Messages of people that stood unanswered in a chat when it was closed to the bot, or whose answer was taken from it.
    pub(super) excused: BTreeSet<u64>,
    /// What may be said beside the answers.
    pub(super) beside: Vec<String>,
    /// What people read who pressed a button, by the press's number, in order.
    pub(super) pressed: Vec<(u64, String)>,
    chats: BTreeMap<String, Access>,
    messages: BTreeMap<u64, Message>,
    keys: HashMap<String, u64>,
    calls: BTreeMap<CallKind, u64>,
    last_message: u64,
    last_event: u64,
}

impl Platform {
    pub(super) fn new(rules: Rules) -> Self {
        Self {
            queue: Queue::new(rules.twice_percent),
            rules,
            faults: Faults::none(),
            gates: Gates::default(),
            log: Vec::new(),
            violations: Vec::new(),
            counts: Counts::default(),
            excused: BTreeSet::new(),
            beside: Vec::new(),
            pressed: Vec::new(),
            chats: BTreeMap::new(),
            messages: BTreeMap::new(),
            keys: HashMap::new(),
            calls: BTreeMap::new(),
            last_message: 0,
            last_event: 0,
        }
    }

    /// Writes down what message `id` is after an act.
    fn record(&mut self, at: Duration, id: u64, act: RecordAct, key: Option<String>) {
        let Some(message) = self.messages.get(&id) else { return };
        self.log.push(Record {
            n: self.log.len() as u64 + 1,
            at,
            spot: message.spot.clone(),
            message: id,
            act,
            text: message.text.clone(),
            key,
            in_reply_to: message.in_reply_to,
        });
    }

    fn violate(&mut self, at: Duration, what: String) {
        self.violations.push(Violation { at, what });
    }

    fn insert(&mut self, message: Message) -> u64 {
        self.last_message += 1;
        self.messages.insert(self.last_message, message);
        self.last_message
    }

    /// Whether the bot may write to a chat.
    fn access(&self, chat: &str) -> Result<(), Refusal> {
        match self.chats.get(chat) {
            Some(Access::Open) => Ok(()),
            None | Some(Access::Gone) => Err(Refusal::Gone),
            Some(Access::Refused) => Err(Refusal::Refused),
            Some(Access::Moved(to)) => Err(Refusal::Moved(to.clone())),
        }
    }

    /// Closes a chat to the bot; nobody can demand an answer to what was said there before.
    fn close(&mut self, chat: &str, access: Access) {
        let said = self.messages.iter().filter(|(_, message)| message.said.is_some());
        let here = said.filter(|(_, message)| message.spot.chat == chat).map(|(id, _)| *id);
        self.excused.extend(here);
        self.chats.insert(chat.to_owned(), access);
    }

    /// The buttons of the bot's messages in a place that people can see, the oldest message first: id and token.
    pub(super) fn buttons(&self, spot: &Spot) -> Vec<(u64, String)> {
        let buttons = self
            .own_in(spot)
            .flat_map(|(id, message)| message.buttons.iter().map(move |token| (id, token.clone())));
        buttons.collect()
    }

    pub(super) fn newest(&self, spot: &Spot) -> Option<u64> {
        self.own_in(spot).last().map(|(id, _)| id)
    }

    /// The bot's messages in a place that people can see, the oldest first.
    fn own_in<'a>(&'a self, spot: &'a Spot) -> impl Iterator<Item = (u64, &'a Message)> {
        let shown = self
            .messages
            .iter()
            .filter(|(_, message)| !message.deleted && message.said.is_none());
        shown
            .filter(move |(_, message)| message.spot == *spot)
            .map(|(id, message)| (*id, message))
    }

    pub(super) fn transcript(&self, chat: &str, thread: Option<&str>) -> Vec<(Option<String>, String)> {
        let here = |message: &&Message| message.spot.chat == chat && message.spot.thread.as_deref() == thread;
        let shown = self.messages.values().filter(|message| !message.deleted).filter(here);
        let author = |message: &Message| message.said.as_ref().map(|said| said.person.clone());
        shown.map(|message| (author(message), message.text.clone())).collect()
    }
}
