//! Taking up a turn that a process before had begun.

use tertulia_message::{Ending, Finish, Spent};

use super::OwnTool;
use super::finish::End;
use super::saying::is_harmless;
use super::show::Show;
use super::tools::Acted;
use super::turn::{Phase, Turn};
use super::wires::Wires;
use crate::chat::ChatMessage;
use crate::fault::Fault;
use crate::now::{Mono, Now};
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
    /// Runs the turn again where it may be and nobody stopped it, else ends it with what was shown.
    pub(super) fn take_up(
        &mut self,
        unfinished: UnfinishedTurn,
        boot: &str,
        stopped: bool,
        now: Now,
        wires: &mut Wires,
    ) {
        let end = match give_up(&unfinished, &self.around.tools) {
            Some(fault) => Some(End::Fault(fault)),
            None => stopped.then_some(End::Stopped),
        };
        self.attempt = unfinished.attempt;
        self.before = Some(Before::of(&unfinished));
        if let Some(end) = end {
            let runs = unfinished.rounds.iter().flat_map(|round| &round.runs);
            let tools = &self.around.tools;
            self.acted.extend(runs.filter_map(|run| Acted::of(run, tools)));
            self.show_as_before(now.mono);
            self.finish(end, now, wires);
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

    /// Where less is shown by now than the process before had shown, that stays to be seen.
    pub(super) fn show_as_before(&mut self, now: Mono) {
        let so_far = self.show.so_far().len();
        let is_at_tools = matches!(self.phase, Phase::Arming(_) | Phase::Running(_));
        let more = |before: &mut Before| before.text.len() > so_far && before.rounds >= self.round && !is_at_tools;
        let Some(before) = self.before.take_if(more) else {
            return;
        };
        self.show = Show::new(&self.row, &self.around.limits, &self.slots);
        self.show.replay(&before.text, now);
        self.answer.text = before.last_words;
    }

    /// A round that is on disk: shown again, and not asked for again.
    fn replay(&mut self, round: RoundRecord, now: Now) {
        if let ChatMessage::Assistant { text, .. } = &round.assistant {
            self.show.replay(text, now.mono);
        }
        self.conversation.push(round.assistant);
        let tools = &self.around.tools;
        self.acted
            .extend(round.runs.iter().filter_map(|run| Acted::of(run, tools)));
        if round.runs.iter().any(|run| run.result.is_none()) {
            self.armed = round.runs;
            return;
        }
        let results = round.runs.into_iter().filter_map(|run| run.result).collect();
        self.conversation.extend(ChatMessage::results(results));
        self.round += 1;
    }
}

/// What the process before had shown of a turn, as far as it was saved.
#[derive(Debug)]
pub(super) struct Before {
    text: String,
    /// What stands behind the rounds, which are in the history themselves.
    last_words: String,
    /// So many rounds are part of it.
    rounds: u32,
}

impl Before {
    fn of(unfinished: &UnfinishedTurn) -> Self {
        let told = unfinished.rounds.iter().filter_map(|round| match &round.assistant {
            ChatMessage::Assistant { text, .. } if !text.trim().is_empty() => Some(text.as_str()),
            _ => None,
        });
        let rounds = told.clone().collect::<Vec<_>>().join("\n\n");
        let mut rest = unfinished.partial.as_str();
        for text in told {
            rest = rest.trim_start().strip_prefix(text.trim_start()).unwrap_or(rest);
        }
        let last_words = rest.trim_start().to_owned();
        // a round is on disk at once, the text now and then
        let is_behind = unfinished.partial.len() < rounds.len();
        Self {
            text: if is_behind { rounds } else { unfinished.partial.clone() },
            last_words: if is_behind { String::new() } else { last_words },
            rounds: u32::try_from(unfinished.rounds.len()).unwrap_or(u32::MAX),
        }
    }
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
fn give_up(unfinished: &UnfinishedTurn, tools: &[OwnTool]) -> Option<Fault> {
    let interrupted = unfinished
        .rounds
        .iter()
        .flat_map(|round| &round.runs)
        .find(|run| run.result.is_none() && run.effect != ToolEffect::Reads && !is_harmless(run, tools));
    if let Some(run) = interrupted {
        return Some(Fault::ToolInterrupted(run.name.clone()));
    }
    (unfinished.attempt >= ATTEMPTS).then_some(Fault::Interrupted)
}
