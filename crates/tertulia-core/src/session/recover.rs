//! Taking up a turn that a process before had begun.

use tertulia_message::{Ending, Finish, Spent};

use super::finish::End;
use super::turn::{Phase, Turn};
use super::wires::Wires;
use crate::chat::ChatMessage;
use crate::fault::Fault;
use crate::now::Now;
use crate::record::{InboxRow, RoundRecord, ToolEffect, UnfinishedTurn, Work};
use crate::transaction::{Outcome, Settle, Transaction};

/// How often a turn is begun at most.
const ATTEMPTS: u32 = 3;

/// A door's reader has gone with the process: nothing is run again, and the history does not show it.
pub(super) fn interrupted_door(row: &InboxRow, work: &Work, now: Now) -> Transaction {
    Transaction::Settle(Box::new(Settle {
        trigger: row.id,
        attempt: work.unfinished.as_ref().map_or(1, |unfinished| unfinished.attempt),
        outcome: Outcome::Interrupted,
        live: false,
        entries: Vec::new(),
        usage: Vec::new(),
        slots: Vec::new(),
        now: now.wall,
    }))
}

impl Turn {
    /// Runs the turn again where it may be, else reports the interruption with what was shown.
    pub(super) fn take_up(&mut self, unfinished: UnfinishedTurn, boot: &str, now: Now, wires: &mut Wires) {
        let fault = give_up(&unfinished);
        self.attempt = unfinished.attempt;
        if let Some(fault) = fault {
            self.show.replay(&unfinished.partial, now.mono);
            self.answer.text = last_words(&unfinished);
            self.finish(End::Fault(fault), now, wires);
            return;
        }
        self.attempt += 1;
        for round in unfinished.rounds {
            self.replay(round, now);
        }
        let again = Transaction::Again {
            trigger: self.trigger(),
            attempt: self.attempt,
            boot: boot.to_owned(),
        };
        self.phase = Phase::Beginning(wires.commit(again));
        self.signal(tertulia_message::Signal::Typing, wires);
    }

    /// A round that is on disk: shown again, and not asked for again.
    fn replay(&mut self, round: RoundRecord, now: Now) {
        if let ChatMessage::Assistant { text, .. } = &round.assistant {
            self.show.replay(text, now.mono);
        }
        self.messages.push(round.assistant);
        if round.runs.iter().any(|run| run.result.is_none()) {
            self.armed = round.runs;
            return;
        }
        let results = round.runs.into_iter().filter_map(|run| run.result).collect();
        self.messages.push(ChatMessage::Tool { results });
        self.round += 1;
    }
}

/// The text after the rounds, which stand in the history themselves.
fn last_words(unfinished: &UnfinishedTurn) -> String {
    let mut rest = unfinished.partial.as_str();
    for round in &unfinished.rounds {
        if let ChatMessage::Assistant { text, .. } = &round.assistant {
            rest = rest.trim_start().strip_prefix(text.trim_start()).unwrap_or(rest);
        }
    }
    rest.trim_start().to_owned()
}

/// How a request ends whose turn was cut off.
pub(super) fn interrupted_ending() -> Ending {
    Ending {
        finish: Finish::Failed {
            code: Fault::Leaving.code(),
            text: Fault::Leaving.public().to_string(),
        },
        spent: Spent::default(),
    }
}

/// Why a turn must not run again.
fn give_up(unfinished: &UnfinishedTurn) -> Option<Fault> {
    let interrupted = unfinished
        .rounds
        .iter()
        .flat_map(|round| &round.runs)
        .find(|run| run.result.is_none() && run.effect != ToolEffect::Reads);
    if let Some(run) = interrupted {
        return Some(Fault::ToolInterrupted(run.name.clone()));
    }
    (unfinished.attempt >= ATTEMPTS).then_some(Fault::Interrupted)
}
