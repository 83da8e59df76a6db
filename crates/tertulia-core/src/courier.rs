//! Brings every slot of one account to what it shall show: one operation at a time per conversation.
//!
//! Slots of a conversation are worked on in their order, so that answers stand in the order of their questions.
//! Gates for rate limits hold for a conversation or for the account; a shut gate never holds a turn's thinking.

mod key;
mod lane;
mod outcome;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use tertulia_message::path::InterfacePath;
use tertulia_message::{DeliverError, Found, Limits, Markup, Outbound, Receipt, SlotId, TextLimit};

use crate::now::{Mono, Now};
use crate::record::{ConversationId, Slot};
use crate::transaction::Transaction;
pub use outcome::moved_path;

use lane::{Item, Lane};

/// Stands at the end of a message that had to be sent again without knowing whether the first copy arrived.
pub const RESENT_MARK: &str = "(Sent again: may stand here twice.)";

/// The limits with room left for the mark, on platforms where it can become necessary.
#[must_use]
pub fn with_room_for_mark(limits: Limits) -> Limits {
    if limits.keyed {
        return limits;
    }
    let mark = (limits.weigh)(&Markup::text(RESENT_MARK)).saturating_add(2);
    let less = |amount: usize| amount.saturating_sub(mark).max(1);
    let text = match limits.text {
        TextLimit::Utf16(amount) => TextLimit::Utf16(less(amount)),
        TextLimit::Chars(amount) => TextLimit::Chars(less(amount)),
        TextLimit::Bytes(amount) => TextLimit::Bytes(less(amount)),
        TextLimit::None => TextLimit::None,
    };
    Limits {
        text,
        caption: limits.caption.saturating_sub(mark),
        ..limits
    }
}

/// The most platform calls that one account has under way at once.
const IN_FLIGHT: usize = 64;

/// Identifies a transaction that the courier waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Token(u64);

/// What the courier is told.
#[derive(Debug, Clone)]
pub enum Event {
    /// A slot that the process before left due.
    Restored(Box<Slot>, Limits),
    /// A session has committed a new slot, or a new wish for one.
    Wished(Box<Slot>, Limits),
    /// The text so far, for a slot whose turn is running; dropped where it cannot be shown at once.
    Live(SlotId, Markup),
    /// How a delivery ended.
    Delivered(SlotId, Result<Receipt, DeliverError>),
    /// How a look-up ended.
    Looked(SlotId, Found),
    /// A transaction is as durable as it has to be.
    Committed(Token),
    /// The store refused a transaction: what is known here contradicts it, so the slot is let go until the next start.
    Refused(Token),
    /// Somebody else has committed that a conversation, with its threads if it is a chat, has a new address: from, to.
    Moved(InterfacePath, InterfacePath),
    /// The time asked for has come.
    Tick,
}

/// What the courier wants done.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Commit, then tell [`Event::Committed`].
    Commit(Transaction, Token),
    /// Deliver, then tell [`Event::Delivered`].
    Deliver(SlotId, Outbound),
    /// Look up, then tell [`Event::Looked`].
    Find(SlotId, Outbound),
    /// Tell [`Event::Tick`] at this time.
    Wake(Mono),
    /// Tell the conversation's session what became of a live operation.
    Report(ConversationId, SlotId, Report),
    /// A slot was given up; for the log.
    Died(SlotId, InterfacePath, String),
    /// A conversation has a new address; the change is committed.
    Moved(InterfacePath, InterfacePath),
}

/// What became of something shown while a turn is running.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Report {
    /// It is shown.
    Shown,
    /// It was dropped.
    Dropped,
}

/// The courier of one account.
#[derive(Debug)]
pub struct Courier {
    boot: String,
    lanes: BTreeMap<ConversationId, Lane>,
    homes: BTreeMap<SlotId, ConversationId>,
    /// Conversations that found no place for a call, oldest first; each at most once.
    waiting: VecDeque<ConversationId>,
    in_flight: usize,
    account_gate: Mono,
    /// Until when a chat, with all its threads, takes nothing; kept when its slots are gone.
    gates: BTreeMap<InterfacePath, Mono>,
    timers: BTreeSet<(Mono, ConversationId)>,
    announced: Option<Mono>,
    tokens: BTreeMap<Token, SlotId>,
    next_token: u64,
    effects: VecDeque<Effect>,
}

impl Courier {
    /// A courier of a process that was started as `boot`.
    #[must_use]
    pub fn new(boot: impl Into<String>) -> Self {
        Self {
            boot: boot.into(),
            lanes: BTreeMap::new(),
            homes: BTreeMap::new(),
            waiting: VecDeque::new(),
            in_flight: 0,
            account_gate: Mono::ZERO,
            gates: BTreeMap::new(),
            timers: BTreeSet::new(),
            announced: None,
            tokens: BTreeMap::new(),
            next_token: 0,
            effects: VecDeque::new(),
        }
    }

    /// Takes one event in.
    pub fn handle(&mut self, event: Event, now: Now) {
        match event {
            Event::Restored(slot, limits) => self.wished(*slot, limits, true, now),
            Event::Wished(slot, limits) => self.wished(*slot, limits, false, now),
            Event::Live(slot, markup) => self.live(slot, markup, now),
            Event::Delivered(slot, result) => self.delivered(slot, result, now),
            Event::Looked(slot, found) => self.looked(slot, found, now),
            Event::Committed(token) => self.committed(token, now),
            Event::Refused(token) => self.refused(token, now),
            Event::Moved(from, to) => self.rename(&from, &to),
            Event::Tick => self.tick(now),
        }
        self.announce();
    }

    /// The next thing to do; to be drained after every event.
    pub fn poll(&mut self) -> Option<Effect> {
        self.effects.pop_front()
    }

    /// True if nothing is known, waiting or under way.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lanes.is_empty() && self.effects.is_empty()
    }

    fn wished(&mut self, slot: Slot, limits: Limits, restored: bool, now: Now) {
        let (id, conversation) = (slot.id, slot.conversation);
        let lane = self.lanes.entry(conversation).or_default();
        match lane.items.get_mut(&id) {
            Some(item) => item.wish(slot),
            None => {
                lane.items.insert(id, Item::new(slot, limits, restored));
            }
        }
        self.homes.insert(id, conversation);
        self.pump(conversation, now);
    }

    fn live(&mut self, slot: SlotId, markup: Markup, now: Now) {
        let Some(&conversation) = self.homes.get(&slot) else {
            return;
        };
        let full = self.in_flight >= IN_FLIGHT;
        let gate = self.gate(conversation);
        let Some(lane) = self.lanes.get_mut(&conversation) else {
            return;
        };
        let free = lane.busy.is_none() && now.mono >= gate && !full && !lane.has_due();
        match lane.items.get_mut(&slot) {
            Some(item) if free && item.can_show_live() => item.live = Some(markup),
            _ => {
                self.effects
                    .push_back(Effect::Report(conversation, slot, Report::Dropped));
                return;
            }
        }
        self.pump(conversation, now);
    }

    fn tick(&mut self, now: Now) {
        self.announced = None;
        while let Some(&(at, conversation)) = self.timers.first() {
            if at > now.mono {
                break;
            }
            self.timers.pop_first();
            self.pump(conversation, now);
        }
    }

    /// Starts what the conversation has to do next, if it may.
    fn pump(&mut self, conversation: ConversationId, now: Now) {
        let gate = self.gate(conversation);
        let Some(lane) = self.lanes.get_mut(&conversation) else {
            return;
        };
        if lane.busy.is_some() {
            return;
        }
        let Some(step) = lane.next_step(now, gate, &self.boot) else {
            self.retire(conversation);
            return;
        };
        match step {
            lane::Step::Sleep(until) => {
                self.timers.insert((until, conversation));
            }
            lane::Step::Commit(slot, transaction) => {
                lane.busy = Some(slot);
                self.commit(slot, transaction);
            }
            lane::Step::Call(slot, call) => {
                if self.in_flight >= IN_FLIGHT {
                    lane.undo_call(slot);
                    if !self.waiting.contains(&conversation) {
                        self.waiting.push_back(conversation);
                    }
                    return;
                }
                lane.busy = Some(slot);
                self.in_flight += 1;
                self.effects.push_back(match call {
                    lane::Call::Deliver(outbound) => Effect::Deliver(slot, outbound),
                    lane::Call::Find(outbound) => Effect::Find(slot, outbound),
                });
            }
        }
    }

    fn commit(&mut self, slot: SlotId, transaction: Transaction) {
        let token = Token(self.next_token);
        self.next_token += 1;
        self.tokens.insert(token, slot);
        self.effects.push_back(Effect::Commit(transaction, token));
    }

    /// A platform call has ended: whoever waits for a place may have it, also if the first ones need it no more.
    fn call_ended(&mut self, now: Now) {
        self.in_flight = self.in_flight.saturating_sub(1);
        while self.in_flight < IN_FLIGHT
            && let Some(next) = self.waiting.pop_front()
        {
            self.pump(next, now);
        }
    }

    /// Until when nothing may be sent to a conversation.
    fn gate(&self, conversation: ConversationId) -> Mono {
        let item = self
            .lanes
            .get(&conversation)
            .and_then(|lane| lane.items.values().next());
        let chat = item.and_then(|item| self.gates.get(&item.slot.path.chat()));
        chat.copied().unwrap_or_default().max(self.account_gate)
    }

    /// Forgets slots that have nothing left to do and will not change again.
    fn retire(&mut self, conversation: ConversationId) {
        let Some(lane) = self.lanes.get_mut(&conversation) else {
            return;
        };
        let homes = &mut self.homes;
        lane.items.retain(|id, item| {
            let keep = item.is_needed();
            if !keep {
                homes.remove(id);
            }
            keep
        });
        if lane.items.is_empty() {
            self.lanes.remove(&conversation);
        }
    }

    fn announce(&mut self) {
        let Some(&(first, _)) = self.timers.first() else { return };
        if self.announced.is_none_or(|announced| first < announced) {
            self.announced = Some(first);
            self.effects.push_back(Effect::Wake(first));
        }
    }
}

#[cfg(test)]
mod tests;
