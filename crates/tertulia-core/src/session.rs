//! One conversation: works through its messages one turn at a time, from the inbox to the settled answer.
//!
//! The inbox on disk is the queue; a nudge only says that it is worth a look. Whatever is decided here is
//! performed by others, and nothing is sent before the transaction it stands on is committed.

mod answer;
mod finish;
mod recover;
mod show;
mod slots;
mod tools;
mod turn;
mod wires;

use std::collections::{BTreeSet, VecDeque};

use tertulia_message::path::InterfacePath;
use tertulia_message::{Limits, Markup, Signal, SlotId, ToolOffer};

use crate::chat::{ToolCall, ToolResult};
use crate::courier::Report;
use crate::now::{Mono, Now};
use crate::policy::Deadlines;
use crate::provider::{Capabilities, Delta, ModelRequest, ProviderError};
use crate::record::{Slot, ToolEffect, TurnSettings, Work};
use crate::transaction::{DropReason, Outcome, Transaction};
use turn::Turn;
use wires::Wires;

/// Identifies a transaction that the session waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Token(u64);

/// Identifies a question to a provider; answers to older ones are ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct AskId(u64);

/// What the session is told.
#[derive(Debug, Clone)]
pub enum Event {
    /// Something may be waiting in the inbox.
    Nudge,
    /// The answer to [`Effect::Fetch`].
    Work(Option<Box<Work>>, Box<Surroundings>),
    /// A transaction is as durable as it has to be.
    Committed(Token),
    /// A piece of the provider's answer.
    Delta(AskId, Delta),
    /// The provider failed.
    Failed(AskId, ProviderError),
    /// A tool call of this round has ended.
    ToolDone(u32, ToolResult),
    /// The courier reports on something shown while the turn is running.
    Report(SlotId, Report),
    /// The reader of the request with this platform id has gone.
    HangUp(String),
    /// The process is about to end: keep what was shown.
    Save,
    /// The conversation has a new address.
    Moved(InterfacePath),
    /// The time asked for has come.
    Tick,
}

/// What the session wants done.
#[derive(Debug, Clone)]
pub enum Effect {
    /// Read the conversation's next work, then tell [`Event::Work`].
    Fetch,
    /// Commit in the order of these effects, then tell [`Event::Committed`].
    Commit(Transaction, Token),
    /// Ask the provider of this configured name.
    Ask(AskId, String, Box<ModelRequest>),
    /// Close the connection of this question.
    StopAsking(AskId),
    /// Run a tool call of this round, then tell [`Event::ToolDone`].
    RunTool(u32, ToolCall),
    /// End all tool calls that are running.
    StopTools,
    /// Show a fleeting sign about the message with this platform id.
    Signal(InterfacePath, String, Signal),
    /// Hand a committed wish to the courier.
    Slot(Box<Slot>, Limits),
    /// Hand the text so far to the courier.
    Live(SlotId, Markup),
    /// Tell [`Event::Tick`] at this time.
    Wake(Mono),
    /// A turn is settled; for the log.
    Settled(InterfacePath, Outcome, Option<&'static str>),
}

/// What holds for the next turn, as the engine knows it.
#[derive(Debug, Clone)]
pub struct Surroundings {
    /// The limits of the conversation's platform.
    pub limits: Limits,
    /// The settings of a new turn.
    pub settings: TurnSettings,
    /// What the provider and model of the turn can do.
    pub capabilities: Capabilities,
    /// The tools we have.
    pub tools: Vec<OwnTool>,
    /// How long to wait for what.
    pub deadlines: Deadlines,
    /// The most rounds of tool calls in a turn.
    pub rounds: u32,
    /// The longest answer, in bytes.
    pub answer_bytes: usize,
}

/// A tool that runs inside.
#[derive(Debug, Clone, PartialEq)]
pub struct OwnTool {
    /// What the model reads.
    pub offer: ToolOffer,
    /// What it does to the world.
    pub effect: ToolEffect,
}

/// The session of one conversation.
#[derive(Debug)]
pub struct Session {
    boot: String,
    state: State,
    /// Nudged while a read was under way that may have missed it.
    nudged: bool,
    /// Requests whose reader has gone before their turn began.
    gone: BTreeSet<String>,
    wires: Wires,
}

#[derive(Debug)]
enum State {
    Idle,
    Fetching,
    /// A transaction without a turn is under way; what is to be told after it.
    Skipping(Token, Option<Box<Effect>>),
    Turn(Box<Turn>),
}

impl Session {
    /// A conversation's session, in a process that was started as `boot`.
    #[must_use]
    pub fn new(boot: impl Into<String>) -> Self {
        Self {
            boot: boot.into(),
            state: State::Idle,
            nudged: false,
            gone: BTreeSet::new(),
            wires: Wires::new(),
        }
    }

    /// True if nothing is under way: the session may be dropped.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        matches!(self.state, State::Idle) && self.wires.effects.is_empty()
    }

    /// The next thing to do; to be drained after every event.
    pub fn poll(&mut self) -> Option<Effect> {
        self.wires.effects.pop_front()
    }

    /// Takes one event in.
    pub fn handle(&mut self, event: Event, now: Now) {
        match event {
            Event::Nudge => self.nudge(),
            Event::Work(work, surroundings) => self.work(work, *surroundings, now),
            Event::Committed(token) if self.is_skipping(token) => self.skipped(),
            Event::HangUp(id) if !self.is_current(&id) => {
                self.gone.insert(id);
            }
            other => self.turn(other, now),
        }
    }

    fn nudge(&mut self) {
        match self.state {
            State::Idle => self.fetch(),
            State::Fetching => self.nudged = true,
            State::Skipping(..) | State::Turn(_) => {}
        }
    }

    fn fetch(&mut self) {
        self.state = State::Fetching;
        self.nudged = false;
        self.wires.push(Effect::Fetch);
    }

    fn work(&mut self, work: Option<Box<Work>>, surroundings: Surroundings, now: Now) {
        if !matches!(self.state, State::Fetching) {
            return;
        }
        let Some(work) = work else {
            self.gone.clear();
            self.state = State::Idle;
            if self.nudged {
                self.fetch();
            }
            return;
        };
        if let Some(skip) = self.skip(&work) {
            self.state = State::Skipping(self.wires.commit(skip), None);
            return;
        }
        let reader = work.unfinished.as_ref().and(work.rows.first());
        // in a process that lives on after a bug, the reader still waits
        let close = reader.map(|row| {
            let close = Signal::Close(recover::interrupted_ending());
            Box::new(Effect::Signal(row.path.clone(), row.ext_id.clone(), close))
        });
        self.state = match Turn::begin(*work, surroundings, &self.boot, now, &mut self.wires) {
            Ok(turn) => State::Turn(Box::new(turn)),
            Err(skip) => State::Skipping(self.wires.commit(*skip), close),
        };
    }

    fn skipped(&mut self) {
        if let State::Skipping(_, Some(close)) = std::mem::replace(&mut self.state, State::Idle) {
            self.wires.push(*close);
        }
        self.fetch();
    }

    /// Rows whose reader has gone are dropped before anything is begun.
    fn skip(&mut self, work: &Work) -> Option<Transaction> {
        let gone = work.unfinished.is_none() && work.rows.iter().any(|row| self.gone.remove(&row.ext_id));
        gone.then(|| Transaction::Drop {
            rows: work.rows.iter().map(|row| row.id).collect(),
            why: DropReason::Stopped,
        })
    }

    fn turn(&mut self, event: Event, now: Now) {
        let State::Turn(turn) = &mut self.state else { return };
        turn.handle(event, now, &mut self.wires);
        if turn.is_over() {
            self.wires.sleep();
            self.fetch();
        }
    }

    fn is_skipping(&self, token: Token) -> bool {
        matches!(self.state, State::Skipping(waiting, _) if waiting == token)
    }

    fn is_current(&self, ext_id: &str) -> bool {
        matches!(&self.state, State::Turn(turn) if turn.answers(ext_id))
    }
}

/// Effects waiting to be polled.
type Effects = VecDeque<Effect>;
