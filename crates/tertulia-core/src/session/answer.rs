//! One answer of the provider as it streams in.

use std::collections::{BTreeMap, BTreeSet};

use super::Abandoned;
use super::finish::End;
use super::turn::{Phase, Turn};
use super::wires::Wires;
use crate::chat::{ChatMessage, ProviderData, ToolCall};
use crate::fault::{Fault, Hollow};
use crate::now::Now;
use crate::provider::{CallDelta, Delta, Stop, Usage};
use crate::reasoning::{Piece, Reasoning};
use crate::text_tools::{Broken, Filter, Read};
use crate::transaction::{Transaction, UsageRow};

/// The most empty answers in a turn that are asked for again.
const HOLLOW_RETRIES: u32 = 1;

/// The most calls that are read in the text of one answer: far more than are run, so that a model that repeats itself learns of it.
const CALLS_READ: usize = 64;

/// The longest run of blanks that is shown, in bytes.
const MOST_BLANKS: usize = 1000;

/// What a call weighs beside its arguments, in bytes: endless calls without arguments must have an end, too.
const CALL_WEIGHT: usize = 64;

/// What has come of the present answer.
#[derive(Debug, Default)]
pub(super) struct Answer {
    pub(super) text: String,
    /// The model has thought.
    thought: bool,
    calls: BTreeMap<u32, ToolCall>,
    /// There once anything was told, and taken when it is noted; an answer of which no tokens were told is an answer, too.
    usage: Option<Usage>,
    data: Option<ProviderData>,
    /// So much of the text is of the answer before, which this one corrects.
    carried: usize,
    reasoning: Reasoning,
    filter: Option<Filter>,
    broken: Option<Broken>,
    /// The text ends in so many bytes of blanks.
    blanks: usize,
    /// So many bytes of blanks behind those were left out.
    left_out: usize,
}

impl Answer {
    /// An answer that goes on from this text.
    pub(super) fn new(text: String, filter: Option<Filter>) -> Self {
        Self {
            carried: text.len(),
            text,
            filter,
            ..Self::default()
        }
    }

    /// The text without what was carried over.
    pub(super) fn own_text(&self) -> &str {
        self.text.get(self.carried..).unwrap_or_default()
    }

    /// Adds what was read in the text.
    pub(super) fn add_read(&mut self, read: Read) {
        let next = self
            .calls
            .last_key_value()
            .map_or(0, |(last, _)| last.saturating_add(1));
        for (index, call) in (next..).zip(read.calls).take(CALLS_READ) {
            let call = ToolCall {
                id: String::new(),
                name: call.name,
                arguments: call.arguments,
            };
            self.calls.insert(index, call);
        }
        self.broken = self.broken.take().or(read.broken);
    }

    /// The whole calls, in the order of their indexes, with ids that are there and differ.
    pub(super) fn calls(&self, round: u32) -> Vec<ToolCall> {
        let mut seen = BTreeSet::new();
        let mut calls = Vec::new();
        for (nth, call) in self.calls.values().enumerate() {
            let mut call = call.clone();
            if call.id.is_empty() || seen.contains(&call.id) {
                call.id = self.free_id(round, nth, &seen);
            }
            seen.insert(call.id.clone());
            calls.push(call);
        }
        calls
    }

    /// An id that no call of this answer has.
    fn free_id(&self, round: u32, nth: usize, seen: &BTreeSet<String>) -> String {
        let taken = |id: &String| seen.contains(id) || self.calls.values().any(|call| &call.id == id);
        let mut id = format!("call_{round}_{nth}");
        while taken(&id) {
            id.push('_');
        }
        id
    }

    pub(super) fn message(&self, round: u32) -> ChatMessage {
        ChatMessage::Assistant {
            text: self.text.clone(),
            calls: self.calls(round),
            data: self.data.clone(),
        }
    }

    fn add_call(&mut self, delta: CallDelta) {
        let call = self.calls.entry(delta.index).or_insert_with(|| ToolCall {
            id: String::new(),
            name: String::new(),
            arguments: String::new(),
        });
        if let Some(id) = delta.id.filter(|_| call.id.is_empty()) {
            call.id = id;
        }
        if let Some(name) = delta.name.filter(|_| call.name.is_empty()) {
            call.name = name;
        }
        call.arguments.push_str(&delta.arguments);
    }

    /// True for blanks where there are enough already: some models write nothing else in the end, and all that is shown would be
    /// laid out anew for each of them.
    fn is_blank_enough(&mut self, text: &str) -> bool {
        let words = text.trim_end().len();
        let before = if words == 0 { self.blanks } else { 0 };
        self.blanks = before + text.len() - words;
        let is_enough = words == 0 && self.blanks > MOST_BLANKS;
        if is_enough {
            self.left_out += text.len();
        }
        is_enough
    }

    fn bytes(&self) -> usize {
        let calls = self.calls.values();
        let held = self.reasoning.held_back() + self.filter.as_ref().map_or(0, Filter::withheld);
        let text = self.text.len() + self.left_out + held;
        text + calls.map(|call| CALL_WEIGHT + call.arguments.len()).sum::<usize>()
    }
}

impl Turn {
    pub(super) fn delta(&mut self, delta: Delta, now: Now, wires: &mut Wires) {
        if let Phase::Asking(asking) = &mut self.phase {
            asking.last_life = Some(now.mono);
        }
        if !matches!(delta, Delta::Alive) {
            self.answer.usage.get_or_insert_default();
        }
        match delta {
            Delta::Text(text) => {
                let pieces = self.answer.reasoning.push(&text);
                self.take_in(pieces, now, wires);
            }
            Delta::Thinking(text) => self.think(&text, now, wires),
            Delta::Call(call) => self.answer.add_call(call),
            Delta::Usage(usage) => self.answer.usage = Some(usage),
            Delta::Data(data) => self.answer.data = Some(data),
            Delta::Alive => {}
            Delta::End(stop) => return self.ended(stop, now, wires),
        }
        if self.answer.bytes() > self.around.answer_bytes {
            self.stop_asking(Abandoned::Unwanted, wires);
            self.finish(End::Fault(Fault::TooMuch), now, wires);
        }
    }

    fn take_in(&mut self, pieces: Vec<Piece>, now: Now, wires: &mut Wires) {
        for piece in pieces {
            match piece {
                Piece::Thinking(text) => self.think(&text, now, wires),
                Piece::Text(text) => {
                    let filter = self.answer.filter.as_mut();
                    let shown = filter.map_or(text.clone(), |filter| filter.push(&text));
                    self.say(&shown, now, wires);
                }
            }
        }
    }

    fn think(&mut self, text: &str, now: Now, wires: &mut Wires) {
        self.answer.thought = true;
        self.show.thinking(&self.row, text, now, wires);
    }

    fn say(&mut self, text: &str, now: Now, wires: &mut Wires) {
        if text.is_empty() || self.answer.is_blank_enough(text) {
            return;
        }
        let gap = self.answer.own_text().trim().is_empty() && !text.trim().is_empty();
        if gap && self.answer.carried > 0 {
            self.answer.text.push_str("\n\n");
        }
        self.show.text(&self.row, text, gap, now, wires);
        self.answer.text.push_str(text);
    }

    /// No more text comes: what was held back is shown, unless it is none.
    pub(super) fn let_go(&mut self, now: Now, wires: &mut Wires) {
        let pieces = self.answer.reasoning.end();
        self.take_in(pieces, now, wires);
        if let Some(mut filter) = self.answer.filter.take() {
            let rest = filter.end();
            self.say(&rest, now, wires);
            self.read_calls(filter.take());
        }
    }

    fn ended(&mut self, stop: Stop, now: Now, wires: &mut Wires) {
        self.note_usage(now);
        self.let_go(now, wires);
        self.chain.answered();
        let calls = self.answer.calls(self.round);
        if !calls.is_empty() && stop != Stop::Length {
            self.correction = None;
            self.called(&calls, now, wires);
        } else if let Some(broken) = self.answer.broken.take().filter(|_| stop != Stop::Length) {
            self.misspoke(&broken, now, wires);
        } else if !self.answer.own_text().trim().is_empty() {
            self.finish(End::Answered(stop), now, wires);
        } else {
            self.hollow(Hollow::of(stop, self.answer.thought), now, wires);
        }
    }

    fn hollow(&mut self, hollow: Hollow, now: Now, wires: &mut Wires) {
        if !hollow.is_chance() {
            self.give_up(Fault::Hollow(hollow), now, wires);
        } else if self.hollow < HOLLOW_RETRIES {
            self.hollow += 1;
            self.ask(now, wires);
        } else {
            self.ask_another(Fault::Hollow(hollow), now, wires);
        }
    }

    /// What the present answer cost, if it had begun; noted once, however it came to its end.
    pub(super) fn note_usage(&mut self, now: Now) {
        let Some(mut usage) = self.answer.usage.take() else {
            return;
        };
        let is_kept = self.trigger().0 > 0;
        if !is_kept && usage == Usage::default() {
            return; // of a request with a history of its own nothing is stored but numbers
        }
        let prices = self.around.prices;
        usage.cost = usage.cost.or_else(|| prices?.cost(&usage));
        // a question that was asked again has a number of its own
        let next = self.usage.last().map_or(0, |row| row.round.saturating_add(1));
        self.usage.push(UsageRow {
            trigger: self.trigger(),
            attempt: self.attempt,
            round: next.max(self.round),
            person: self.row.person.to_string(),
            provider: self.settings.provider.clone(),
            model: self.settings.model.clone(),
            usage,
            at: now.wall,
        });
    }

    /// What was spent since the last time goes to the disk before the turn is over: a process that is killed keeps its rounds, and
    /// they were paid for. The same rows come once more with the end of the turn, and change nothing then.
    pub(super) fn keep_usage(&mut self, wires: &mut Wires) {
        for row in self.usage.iter().skip(self.usage_kept) {
            wires.commit(Transaction::Spent(row.clone()));
        }
        self.usage_kept = self.usage.len();
    }
}
