//! What a turn is about, in any provider's absence: laid out anew for whoever is asked.

use tertulia_message::Reach;

use super::{entries, moment, past};
use crate::attachment::{self, Attachments};
use crate::chat::ChatMessage;
use crate::provider::Capabilities;
use crate::record::{Entry, InboxRow, RowBody};
use crate::window::{self, Shortened};

/// History, what was said now, and the rounds of tools so far.
#[derive(Debug)]
pub(crate) struct Conversation {
    history: Vec<Entry>,
    rows: Vec<InboxRow>,
    attachments: Attachments,
    is_door: bool,
    rounds: Vec<ChatMessage>,
    /// How often it was found too long, and for a model of which abilities: it need not be for another one.
    shortened: u32,
    found_with: Option<Capabilities>,
}

impl Conversation {
    /// A conversation before its first round.
    pub(crate) fn new(history: Vec<Entry>, rows: Vec<InboxRow>, attachments: Attachments, reach: Reach) -> Self {
        Self {
            history,
            rows,
            attachments,
            is_door: reach == Reach::WhileConnected,
            rounds: Vec::new(),
            shortened: 0,
            found_with: None,
        }
    }

    /// Adds the model's calls, or their results.
    pub(crate) fn push(&mut self, message: ChatMessage) {
        self.rounds.push(message);
    }

    /// Adds a message, if there is one.
    pub(crate) fn extend(&mut self, message: Option<ChatMessage>) {
        self.rounds.extend(message);
    }

    /// The newest message of the rounds.
    pub(crate) fn newest(&self) -> Option<&ChatMessage> {
        self.rounds.last()
    }

    /// What was said now, as entries of the history.
    pub(crate) fn said(&self, able: &Capabilities) -> Vec<Entry> {
        let mut attachments = self.attachments.clone();
        // half of the window, at three bytes for a token, is left for everything else
        let window = usize::try_from(able.max_context).unwrap_or(usize::MAX);
        attachment::fit(&mut attachments, window.saturating_mul(3) / 2);
        entries(&self.rows, &attachments, able.vision)
    }

    /// The messages for a model that can do so much, beside a system prompt of so many bytes.
    ///
    /// The history is cut to the model's window; where that was found too long all the same, to less.
    pub(crate) fn messages(&self, able: &Capabilities, system: usize) -> Vec<ChatMessage> {
        self.laid_out(able, system).messages
    }

    /// From now on less of it is laid out. False if there is nothing left to leave out.
    pub(crate) fn shorten(&mut self, able: &Capabilities, system: usize) -> bool {
        let present = self.laid_out(able, system);
        if window::shorten(&present.messages, present.own).is_none() {
            return false;
        }
        self.shortened = self.steps(able) + 1;
        self.found_with = Some(*able);
        true
    }

    fn laid_out(&self, able: &Capabilities, system: usize) -> Shortened {
        let mut present = self.whole(able, system);
        for _ in 0..self.steps(able) {
            match window::shorten(&present.messages, present.own) {
                Some(shorter) => present = shorter,
                None => break,
            }
        }
        present
    }

    fn steps(&self, able: &Capabilities) -> u32 {
        if self.found_with.as_ref() == Some(able) {
            self.shortened
        } else {
            0
        }
    }

    /// When the newest of the rows was sent; nothing is added to what a client asks.
    fn sent_at(&self) -> Option<i64> {
        let row = self.rows.last()?;
        matches!(row.body, RowBody::Message(_)).then_some(row.accepted_at)
    }

    fn whole(&self, able: &Capabilities, system: usize) -> Shortened {
        let mut current: Vec<ChatMessage> = self.said(able).into_iter().map(|entry| entry.message).collect();
        let spoken: u64 = current.iter().map(window::weigh).sum();
        let room = able.max_context / 4 * 3;
        let taken = spoken + system as u64 / 3;
        let mut messages = window::fit(&self.history, room.saturating_sub(taken));
        if !self.is_door {
            // a door's client has put its pictures to this model itself
            past::thin_out(&mut messages, &current, able.vision);
        }
        let own = messages.len() + window::own(&current);
        if let (Some(last), Some(sent)) = (current.last_mut(), self.sent_at()) {
            moment::stamp(last, sent);
        }
        messages.append(&mut current);
        messages.extend(self.rounds.iter().cloned());
        Shortened { messages, own }
    }
}
