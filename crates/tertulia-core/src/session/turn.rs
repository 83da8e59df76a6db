//! One turn: from its rows to the settled answer.

use std::collections::BTreeMap;
use std::time::Duration;

use tertulia_message::path::InterfacePath;
use tertulia_message::{Generation, Reach, Signal, ToolOffer};

use super::answer::Answer;
use super::calls::Correction;
use super::chain::Chain;
use super::finish::End;
use super::question::Asking;
use super::recover::{self, Before};
use super::saying::Unsaid;
use super::show::Show;
use super::slots::{Opening, SlotMemo};
use super::tools::{Acted, Running};
use super::wires::Wires;
use super::{Abandoned, Effect, Event, Surroundings, Token};
use crate::fault::Fault;
use crate::layout::{self, Conversation};
use crate::now::{Mono, Now};
use crate::record::{InboxId, InboxRow, RowBody, ToolRun, TurnSettings, Work};
use crate::transaction::{Begin, Transaction, UsageRow};

/// How often the text shown is saved while it grows.
const CHECKPOINT_EVERY: Duration = Duration::from_secs(2);

/// A running turn.
#[derive(Debug)]
pub(super) struct Turn {
    /// The row that triggers it: account, path, platform id and token of what is answered.
    pub(super) row: InboxRow,
    pub(super) door: bool,
    pub(super) attempt: u32,
    pub(super) settings: TurnSettings,
    pub(super) around: Surroundings,
    pub(super) conversation: Conversation,
    /// Who is asked.
    pub(super) chain: Chain,
    /// The base of the system prompt.
    pub(super) base: String,
    pub(super) client_tools: Vec<ToolOffer>,
    pub(super) generation: Generation,
    pub(super) round: u32,
    /// Answers without any content, in this turn.
    pub(super) hollow: u32,
    /// What the model is told about a call of its own that could not be read.
    pub(super) correction: Option<Correction>,
    /// How often that was done, in this turn.
    pub(super) corrections: u32,
    pub(super) answer: Answer,
    pub(super) usage: Vec<UsageRow>,
    /// So many of them went to the disk already.
    pub(super) usage_kept: usize,
    pub(super) show: Show,
    pub(super) slots: BTreeMap<u32, SlotMemo>,
    pub(super) opening: Option<Opening>,
    /// What the process before had shown, until as much is shown again.
    pub(super) before: Option<Before>,
    /// The tools with effects that have run in this turn.
    pub(super) acted: Vec<Acted>,
    /// What tools had said, until it is on disk.
    pub(super) unsaid: Vec<Unsaid>,
    /// The calls of the round that is about to run.
    pub(super) armed: Vec<ToolRun>,
    pub(super) phase: Phase,
    /// When the provider that is asked now was asked first.
    pub(super) began: Mono,
    pub(super) stopping: bool,
    /// Since when the store is waited for.
    pub(super) stored_from: Mono,
    /// The reader was told that the store cannot write.
    pub(super) told: bool,
    saved_at: Mono,
    saved_length: usize,
    /// The save under way: while the store is busy, they must not pile up.
    saving: Option<Token>,
}

/// What the turn waits for.
#[derive(Debug)]
pub(super) enum Phase {
    /// Nothing yet.
    New,
    /// The transaction that begins it.
    Beginning(Token),
    /// The provider.
    Asking(Asking),
    /// The time to ask again.
    Pausing(Mono),
    /// The transaction before tools run.
    Arming(Token),
    /// Tools.
    Running(Running),
    /// The transaction that settles it.
    Settling(Token, Box<super::finish::Settled>),
    /// Nothing more.
    Over,
}

impl Turn {
    /// Begins a turn, or takes up one that a process before had begun; that one may have been `stopped` since.
    ///
    /// The error is the transaction that disposes of what cannot be run.
    pub(super) fn begin(
        work: Work,
        around: Surroundings,
        boot: &str,
        stopped: bool,
        now: Now,
        wires: &mut Wires,
    ) -> Result<Self, Box<Transaction>> {
        let Some(row) = work.rows.first().cloned() else {
            return Err(Box::new(Transaction::Drop {
                rows: Vec::new(),
                why: crate::transaction::DropReason::Ignored,
            }));
        };
        let door = around.limits.reach == Reach::WhileConnected;
        if door && work.unfinished.is_some() {
            return Err(Box::new(recover::interrupted_door(&row, &work, now)));
        }
        let mut turn = Self::assemble(row, &work, around, now);
        match work.unfinished {
            Some(unfinished) => turn.take_up(unfinished, boot, stopped, now, wires),
            None => turn.begin_new(&work.rows, work.epoch, boot, now, wires),
        }
        turn.pump(now, wires);
        Ok(turn)
    }

    fn assemble(row: InboxRow, work: &Work, around: Surroundings, now: Now) -> Self {
        let door = around.limits.reach == Reach::WhileConnected;
        let unfinished = work.unfinished.as_ref();
        let settings = unfinished.map_or_else(|| around.settings.clone(), |unfinished| unfinished.settings.clone());
        let slots = SlotMemo::known(&work.slots);
        let mut around = around;
        let attachments = std::mem::take(&mut around.attachments);
        let (history, rows) = (work.history.clone(), work.rows.clone());
        if let Some(allowed) = &settings.tools {
            around.tools.retain(|tool| allowed.contains(&tool.offer.name));
        }
        let mut turn = Self {
            door,
            attempt: 1,
            show: Show::new(&row, &around.limits, &slots),
            chain: Chain::new(&around, &settings.provider, &settings.model),
            settings,
            conversation: Conversation::new(history, rows, attachments, around.limits.reach),
            base: String::new(),
            client_tools: Vec::new(),
            generation: Generation::default(),
            round: 0,
            hollow: 0,
            correction: None,
            corrections: 0,
            answer: Answer::default(),
            usage: Vec::new(),
            usage_kept: 0,
            slots,
            opening: None,
            before: None,
            acted: Vec::new(),
            unsaid: Vec::new(),
            armed: Vec::new(),
            phase: Phase::New,
            began: now.mono,
            stopping: false,
            stored_from: now.mono,
            told: false,
            saved_at: now.mono,
            saved_length: 0,
            saving: None,
            around,
            row,
        };
        turn.gather();
        turn
    }

    /// What the settings or the client say about how to answer.
    fn gather(&mut self) {
        let base = if self.settings.system.is_empty() {
            layout::DEFAULT_SYSTEM
        } else {
            &self.settings.system
        };
        base.clone_into(&mut self.base);
        if let RowBody::Request(request) = &self.row.body {
            if let Some(system) = &request.system {
                self.base.clone_from(system);
            }
            self.client_tools.clone_from(&request.tools);
            self.generation.clone_from(&request.generation);
        }
    }

    fn begin_new(&mut self, rows: &[InboxRow], epoch: i64, boot: &str, now: Now, wires: &mut Wires) {
        let begin = Begin {
            trigger: self.row.id,
            rows: rows.iter().map(|row| row.id).collect(),
            conversation: self.row.conversation,
            epoch,
            boot: boot.to_owned(),
            settings: self.settings.clone(),
            entries: self.conversation.said(&self.around.capabilities),
            now: now.wall,
        };
        self.phase = Phase::Beginning(wires.commit(Transaction::Begin(begin)));
        self.signal(Signal::Typing, wires);
    }

    pub(super) fn handle(&mut self, event: Event, now: Now, wires: &mut Wires) {
        match event {
            Event::Committed(token) => self.committed(token, now, wires),
            Event::Delta(id, delta) if self.is_asking(id) => self.delta(delta, now, wires),
            Event::Sent(id) if self.is_asking(id) => self.sent(now),
            Event::Resting(id, after) if self.is_asking(id) => self.provider_rests(after, now, wires),
            Event::Failed(id, error) if self.is_asking(id) => self.provider_failed(error.kind, now, wires),
            Event::ToolDone(round, result, saying) if round == self.round => {
                self.tool_done(result, saying, now, wires);
            }
            Event::Report(slot, report) => self.show.report(slot.part, report, now.mono),
            Event::HangUp(_) | Event::Stop(_) => self.stop(now, wires),
            Event::Moved(path) => self.moved(path),
            Event::Save => self.leave(now, wires),
            Event::Tick => {
                wires.sleep();
                self.show.tick(now.mono);
                self.look_at_the_clock(now, wires);
            }
            _ => {}
        }
        self.pump(now, wires);
    }

    pub(super) fn is_over(&self) -> bool {
        matches!(self.phase, Phase::Over)
    }

    pub(super) fn answers(&self, ext_id: &str) -> bool {
        self.row.ext_id == ext_id
    }

    pub(super) fn path(&self) -> InterfacePath {
        self.row.path.clone()
    }

    pub(super) fn trigger(&self) -> InboxId {
        self.row.id
    }

    pub(super) fn signal(&self, signal: Signal, wires: &mut Wires) {
        wires.push(Effect::Signal(self.path(), self.row.ext_id.clone(), signal));
    }

    fn committed(&mut self, token: Token, now: Now, wires: &mut Wires) {
        self.saving.take_if(|saving| *saving == token);
        self.slot_opened(token, now, wires);
        self.said(token, wires);
        let round_is_stored = match &mut self.phase {
            Phase::Running(running) => running.committed(token),
            _ => false,
        };
        match &self.phase {
            Phase::Beginning(waiting) if *waiting == token => self.begun(now, wires),
            Phase::Arming(waiting) if *waiting == token => self.run_tools(now, wires),
            Phase::Running(_) if round_is_stored => self.round_done(now, wires),
            Phase::Running(running) if self.stopping && !running.has_effects() => self.stop_tools(now, wires),
            Phase::Settling(waiting, _) if *waiting == token => self.settled(wires),
            _ => {}
        }
    }

    /// The turn is on disk: take up the tools that a process before was at, or ask.
    fn begun(&mut self, now: Now, wires: &mut Wires) {
        self.show.start(&self.row, &self.settings, now, wires);
        if self.attempt > 1 {
            self.adopt_slots(wires);
        }
        if self.stopping {
            self.finish(End::Stopped, now, wires);
        } else if !self.rerun_tools(wires) {
            self.ask(now, wires);
        }
    }

    /// The reader has gone, or somebody said stop. Tools with effects are waited for: they have their own deadlines.
    fn stop(&mut self, now: Now, wires: &mut Wires) {
        self.stopping = true;
        match &self.phase {
            Phase::Asking(_) => {
                self.stop_asking(Abandoned::Unwanted, wires);
                self.finish(End::Stopped, now, wires);
            }
            Phase::Pausing(_) => self.finish(End::Stopped, now, wires),
            Phase::Running(running) if !running.has_effects() => self.stop_tools(now, wires),
            _ => {}
        }
    }

    fn stop_tools(&mut self, now: Now, wires: &mut Wires) {
        wires.push(Effect::StopTools);
        self.finish(End::Stopped, now, wires);
    }

    /// After every event: what the composer wants, the checkpoint, the next wake-up.
    fn pump(&mut self, now: Now, wires: &mut Wires) {
        self.drain_composer(now, wires);
        self.checkpoint(now, wires);
        if let Some((due, _)) = self.deadline() {
            wires.wake(due);
        }
        if let Phase::Pausing(until) = self.phase {
            wires.wake(until);
        }
    }

    fn checkpoint(&mut self, now: Now, wires: &mut Wires) {
        let running = matches!(self.phase, Phase::Asking(_) | Phase::Running(_) | Phase::Pausing(_));
        if !running || self.saving.is_some() || !self.has_unsaved() {
            return;
        }
        let due = self.saved_at.saturating_add(CHECKPOINT_EVERY);
        if now.mono >= due {
            self.save(now, wires);
        } else {
            wires.wake(due);
        }
    }

    /// The process is about to end. A chat reads on after the next start; a door's reader will be gone by then.
    fn leave(&mut self, now: Now, wires: &mut Wires) {
        if !self.is_running() {
            return;
        }
        if self.door {
            self.stop_asking(Abandoned::Unwanted, wires);
            self.finish(End::Fault(Fault::Leaving), now, wires);
            return;
        }
        self.save(now, wires);
        // the next process knows nothing of it
        self.note_usage(now);
        self.keep_usage(wires);
        self.signal(Signal::Idle, wires);
    }

    fn save(&mut self, now: Now, wires: &mut Wires) {
        if !self.has_unsaved() {
            return;
        }
        let text = self.show.so_far();
        self.saved_at = now.mono;
        self.saved_length = text.len();
        let partial = text.to_owned();
        let trigger = self.row.id;
        self.saving = Some(wires.commit(Transaction::Checkpoint { trigger, partial }));
    }

    /// A door's text is not kept: its reader is gone after a crash.
    fn has_unsaved(&self) -> bool {
        !self.door && self.show.so_far().len() > self.saved_length
    }
}
