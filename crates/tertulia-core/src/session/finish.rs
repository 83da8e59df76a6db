//! The end of a turn: settled in one transaction, then told.

use tertulia_message::{Ending, Finish, Signal, Spent};

use super::Effect;
use super::tools::stopped_mark;
use super::turn::{Phase, Turn};
use super::wires::Wires;
use crate::chat::ChatMessage;
use crate::fault::Fault;
use crate::now::Now;
use crate::provider::Stop;
use crate::record::Entry;
use crate::transaction::{Outcome, Settle, Transaction, UsageRow};

/// How a turn comes to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum End {
    /// The model has answered.
    Answered(Stop),
    /// The client is to run its tools.
    ClientTools,
    /// Somebody stopped it.
    Stopped,
    /// It failed.
    Fault(Fault),
}

impl End {
    /// True if the answer is not what it would have become.
    fn is_cut(&self) -> bool {
        !matches!(self, Self::Answered(Stop::Done | Stop::ToolCalls) | Self::ClientTools)
    }
}

/// What is told once the turn is settled.
#[derive(Debug)]
pub(super) struct Settled {
    outcome: Outcome,
    code: Option<&'static str>,
    ending: Ending,
}

impl Turn {
    pub(super) fn is_running(&self) -> bool {
        !matches!(self.phase, Phase::Settling(..) | Phase::Over)
    }

    pub(super) fn finish(&mut self, end: End, now: Now, wires: &mut Wires) {
        if !self.is_running() {
            return;
        }
        self.note_usage(now);
        self.let_go(now, wires);
        if end == End::Stopped {
            self.show_as_before(now.mono);
        }
        let shown = !self.show.so_far().trim().is_empty();
        let outcome = outcome(&end, shown);
        let mark = self.mark(&end, shown);
        if let Some(mark) = mark.as_ref().filter(|_| self.is_told_to_readers(&end)) {
            self.show.remark(&self.row, mark, now, wires);
        }
        let bodies = self.show.finish(mark.as_deref());
        self.show.end(&self.row, now, wires);
        let slots = match &mark {
            Some(mark)
                if matches!(outcome, Outcome::Interrupted | Outcome::Stopped) && self.has_more_slots_than(&bodies) =>
            {
                self.kept_slots(mark, now)
            }
            _ => self.final_slots(bodies, end.is_cut(), now),
        };
        let settle = Settle {
            trigger: self.trigger(),
            attempt: self.attempt,
            outcome,
            live: self.becomes_history(outcome, shown),
            entries: self.last_entry(&end),
            usage: self.usage.clone(),
            slots,
            now: now.wall,
        };
        self.stored_from = now.mono;
        let token = wires.commit(Transaction::Settle(Box::new(settle)));
        let code = if let End::Fault(fault) = &end {
            Some(fault.code())
        } else {
            None
        };
        let ending = Ending {
            finish: finish_of(end),
            spent: self.spent(now),
        };
        self.phase = Phase::Settling(token, Box::new(Settled { outcome, code, ending }));
    }

    /// What a connected reader cannot learn from how its stream ends: what cannot be undone, and that a filter cut the answer.
    fn is_told_to_readers(&self, end: &End) -> bool {
        match end {
            End::Stopped => !self.acted.is_empty(),
            End::Answered(stop) => *stop == Stop::Filtered,
            End::ClientTools | End::Fault(_) => false,
        }
    }

    /// The turn is on disk: hand the slots over, and send the end mark.
    pub(super) fn settled(&mut self, wires: &mut Wires) {
        for part in self.slots.keys().copied().collect::<Vec<_>>() {
            self.hand_over(part, false, wires);
        }
        let Phase::Settling(_, settled) = std::mem::replace(&mut self.phase, Phase::Over) else {
            return;
        };
        self.signal(
            if self.door {
                Signal::Close(settled.ending)
            } else {
                Signal::Idle
            },
            wires,
        );
        wires.push(Effect::Settled(self.path(), settled.outcome, settled.code));
    }

    /// What stands at the end of the answer for people to see.
    ///
    /// A turn that was stopped before anything of it could be seen, or happen, leaves nothing.
    fn mark(&self, end: &End, shown: bool) -> Option<String> {
        match end {
            End::Answered(Stop::Length) => Some("(The answer was cut at the length limit.)".to_owned()),
            End::Answered(Stop::Filtered) => Some("(The provider's filter ended the answer here.)".to_owned()),
            End::Answered(_) | End::ClientTools => None,
            End::Stopped => {
                let is_seen = shown || self.slots.values().any(|memo| memo.slot.wish.shown);
                (is_seen || !self.acted.is_empty()).then(|| stopped_mark(&self.acted))
            }
            End::Fault(fault) => Some(format!("⚠️ {}", fault.public())),
        }
    }

    /// What was said stays said; a door's client that got no answer brings its question again by itself.
    fn becomes_history(&self, outcome: Outcome, shown: bool) -> bool {
        match outcome {
            Outcome::Answered | Outcome::Partial => true,
            Outcome::Stopped | Outcome::Failed => shown || !self.door,
            Outcome::Interrupted => !self.door,
        }
    }

    fn last_entry(&self, end: &End) -> Vec<Entry> {
        let message = match end {
            End::ClientTools => self.answer.message(self.round),
            _ if self.answer.text.trim().is_empty() => return Vec::new(),
            _ => ChatMessage::assistant(self.answer.text.clone()),
        };
        vec![Entry {
            turn: Some(self.trigger()),
            speaker: None,
            message,
            cut: end.is_cut(),
        }]
    }

    fn spent(&self, now: Now) -> Spent {
        let sum = |count: fn(&UsageRow) -> Option<u64>| self.usage.iter().filter_map(count).reduce(u64::saturating_add);
        Spent {
            tokens_in: sum(|row| row.usage.tokens_in),
            tokens_out: sum(|row| row.usage.tokens_out),
            millis: u64::try_from(now.wall.saturating_sub(self.row.accepted_at)).unwrap_or(0),
        }
    }
}

fn outcome(end: &End, shown: bool) -> Outcome {
    match end {
        End::Answered(Stop::Filtered) => Outcome::Partial,
        End::Answered(_) | End::ClientTools => Outcome::Answered,
        End::Stopped => Outcome::Stopped,
        End::Fault(Fault::ToolInterrupted(_) | Fault::Interrupted | Fault::Leaving) => Outcome::Interrupted,
        End::Fault(_) if shown => Outcome::Partial,
        End::Fault(_) => Outcome::Failed,
    }
}

fn finish_of(end: End) -> Finish {
    match end {
        End::Answered(Stop::Length) => Finish::Length,
        End::Answered(_) => Finish::Stop,
        End::ClientTools => Finish::ToolCalls,
        End::Stopped => Finish::Stopped,
        End::Fault(fault) => Finish::Failed {
            code: fault.code(),
            text: fault.public().to_string(),
        },
    }
}
