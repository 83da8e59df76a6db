//! One conversation: works through its messages one turn at a time, from the inbox to the settled answer.
//!
//! The inbox on disk is the queue; a nudge only says that it is worth a look. Whatever is decided here is
//! performed by others, and nothing is sent before the transaction it stands on is committed.

mod answer;
mod calls;
mod chain;
mod finish;
mod question;
mod recover;
mod saying;
mod show;
mod slots;
mod tools;
mod turn;
mod waits;
mod wires;

use std::collections::{BTreeSet, VecDeque};
use std::time::Duration;

use tertulia_message::path::InterfacePath;
use tertulia_message::{Ending, Finish, Limits, Markup, Reach, Signal, SlotId, Spent, ToolOffer};

use crate::attachment::Attachments;
use crate::chat::{ToolCall, ToolResult};
use crate::courier::Report;
use crate::now::{Mono, Now};
use crate::policy::Deadlines;
use crate::price::Prices;
use crate::provider::{Capabilities, Delta, ModelRequest, ProviderError};
use crate::record::{InboxId, InboxRow, Slot, ToolEffect, TurnSettings, Work};
use crate::reply::Saying;
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
    /// The question has got a place at its provider, and is under way.
    Sent(AskId),
    /// The provider was not asked, since it seems to be down; it is left alone for so much longer.
    Resting(AskId, Duration),
    /// The provider failed.
    Failed(AskId, ProviderError),
    /// A tool call of this round has ended, and had something said, perhaps.
    ToolDone(u32, ToolResult, Option<Box<Saying>>),
    /// The courier reports on something shown while the turn is running.
    Report(SlotId, Report),
    /// The reader of the request with this platform id has gone.
    HangUp(String),
    /// `/stop`, given as this row: the turn of an older row ends, and older rows that wait are not answered. Ends in
    /// [`Effect::Stopped`], at once where nothing older is left.
    ///
    /// A turn ends as a whole, also if a younger row was joined to its first one; of rows that wait only the older ones go.
    Stop(InboxId),
    /// A button, pressed as row `by`: the turn that was triggered by row `turn` ends, and nothing else does. Ends in
    /// [`Effect::Stopped`], at once if it is not running.
    StopTurn {
        /// The row that the press is.
        by: InboxId,
        /// The turn's trigger.
        turn: InboxId,
    },
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
    /// Ask a provider: tell [`Event::Sent`] when there is a place for it, and then what comes.
    Ask(AskId, Box<Question>),
    /// Close the connection of this question, or take it out of the line.
    StopAsking(AskId, Abandoned),
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
    /// What [`Event::Stop`] or [`Event::StopTurn`] asked for is done, and committed: of all rows older than it, or of that one,
    /// none is being answered, or will be.
    /// Told once for each stop.
    Stopped(Stopped),
    /// Tell [`Event::Tick`] at this time.
    Wake(Mono),
    /// A turn is settled; for the log.
    Settled(InterfacePath, Outcome, Option<&'static str>),
}

/// A question to a provider.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// The provider's configured name.
    pub provider: String,
    /// What it is asked.
    pub request: ModelRequest,
    /// It is asked also if it seems to be down: nobody else is left.
    pub insists: bool,
}

/// Why a question is not waited for any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Abandoned {
    /// Nobody wants the answer any more, or there is enough of it.
    Unwanted,
    /// There was no sign of life for too long.
    Silent,
    /// There was no place at the provider for too long.
    Busy,
}

/// What a stop found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stopped {
    /// The row it was given as.
    pub by: InboxId,
    /// True if a turn was running.
    pub turn: bool,
    /// How many rows had waited.
    pub rows: usize,
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
    /// What the model of the turn costs, where that is known.
    pub prices: Option<Prices>,
    /// Who is asked where the provider of the turn cannot answer, one after the other.
    pub fallbacks: Vec<Fallback>,
    /// The most rounds of tool calls in a turn.
    pub rounds: u32,
    /// The longest answer, in bytes.
    pub answer_bytes: usize,
    /// What came of the files of the turn's rows; one that is not here was not fetched.
    pub attachments: Attachments,
}

/// A provider that is asked where the ones before it cannot answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Fallback {
    /// Its configured name.
    pub provider: String,
    /// The model.
    pub model: String,
    /// What it can do.
    pub capabilities: Capabilities,
    /// How long to wait for what.
    pub deadlines: Deadlines,
    /// What it costs, where that is known.
    pub prices: Option<Prices>,
}

/// A tool that runs inside.
#[derive(Debug, Clone, PartialEq)]
pub struct OwnTool {
    /// What the model reads.
    pub offer: ToolOffer,
    /// What it does to the world.
    pub effect: ToolEffect,
    /// True if all that it does is to have something said. That is committed together with its result: a call without result
    /// has done nothing, and may be run again.
    pub speaks: bool,
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
    /// Stops that are not done yet.
    stops: Vec<Order>,
    wires: Wires,
}

/// A stop that is not done yet.
#[derive(Debug)]
struct Order {
    /// Rows that are not older stay as they are.
    before: InboxId,
    /// What it found so far.
    found: Stopped,
}

#[derive(Debug)]
enum State {
    Idle,
    Fetching,
    /// A transaction without a turn is under way; what is to be told after it.
    Skipping(Token, Vec<Effect>),
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
            stops: Vec::new(),
            wires: Wires::new(),
        }
    }

    /// True if nothing is under way: the session may be dropped.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        matches!(self.state, State::Idle) && self.stops.is_empty() && self.wires.effects.is_empty()
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
            Event::Stop(by) => self.stop(by, by, now),
            // a turn that has a button had begun, so that nothing older than it can wait
            Event::StopTurn { by, turn } => self.stop(by, InboxId(turn.0.saturating_add(1)), now),
            other => self.turn(other, now),
        }
    }

    /// What is older than `before` is ended or dropped before the stop, given as row `by`, counts as done.
    fn stop(&mut self, by: InboxId, before: InboxId, now: Now) {
        if self.stops.iter().any(|stop| stop.found.by == by) {
            return;
        }
        let mut found = Stopped {
            by,
            turn: false,
            rows: 0,
        };
        match &self.state {
            // the oldest row comes first: when this one was begun, nothing older was left
            State::Turn(turn) if turn.trigger() >= before => self.wires.push(Effect::Stopped(found)),
            State::Turn(turn) => {
                found.turn = turn.is_running();
                self.stops.push(Order { before, found });
                self.turn(Event::Stop(by), now);
            }
            State::Skipping(..) => self.stops.push(Order { before, found }),
            State::Idle | State::Fetching => {
                self.stops.push(Order { before, found });
                self.nudge();
            }
        }
    }

    /// Everything older than this has been stopped.
    fn stopped_before(&self) -> Option<InboxId> {
        self.stops.iter().map(|stop| stop.before).max()
    }

    fn stops_done(&mut self) {
        for stop in self.stops.drain(..) {
            self.wires.push(Effect::Stopped(stop.found));
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
            } else {
                self.stops_done();
            }
            return;
        };
        let door = surroundings.limits.reach == Reach::WhileConnected;
        if let Some((skip, told)) = self.skip_stopped(&work, door) {
            self.state = State::Skipping(self.wires.commit(skip), told);
            return;
        }
        if let Some(skip) = self.skip(&work) {
            self.state = State::Skipping(self.wires.commit(skip), Vec::new());
            return;
        }
        // only a turn of a process before can be older now
        let stopped = self.stopped_before().is_some_and(|by| work.trigger() < Some(by));
        if !stopped {
            self.stops_done();
        }
        for stop in self.stops.iter_mut().filter(|stop| work.trigger() < Some(stop.before)) {
            stop.found.turn = true;
        }
        let reader = work.unfinished.as_ref().and(work.rows.first());
        // in a process that lives on after a bug, the reader still waits
        let close = reader.map(|row| {
            let close = Signal::Close(recover::interrupted_ending());
            Effect::Signal(row.path.clone(), row.ext_id.clone(), close)
        });
        self.state = match Turn::begin(*work, surroundings, &self.boot, stopped, now, &mut self.wires) {
            Ok(turn) => State::Turn(Box::new(turn)),
            Err(skip) => State::Skipping(self.wires.commit(*skip), close.into_iter().collect()),
        };
    }

    fn skipped(&mut self) {
        if let State::Skipping(_, told) = std::mem::replace(&mut self.state, State::Idle) {
            for effect in told {
                self.wires.push(effect);
            }
        }
        self.fetch();
    }

    /// Rows that waited when somebody said stop; a door's readers are told.
    fn skip_stopped(&mut self, work: &Work, door: bool) -> Option<(Transaction, Vec<Effect>)> {
        let by = self.stopped_before().filter(|_| work.unfinished.is_none())?;
        let older: Vec<&InboxRow> = work.rows.iter().filter(|row| row.id < by).collect();
        if older.is_empty() {
            return None;
        }
        for stop in &mut self.stops {
            stop.found.rows += older.iter().filter(|row| row.id < stop.before).count();
        }
        let close = |row: &&InboxRow| {
            let ending = Ending {
                finish: Finish::Stopped,
                spent: Spent::default(),
            };
            Effect::Signal(row.path.clone(), row.ext_id.clone(), Signal::Close(ending))
        };
        let told = older.iter().filter(|_| door).map(close).collect();
        let rows = older.iter().map(|row| row.id).collect();
        let why = DropReason::Stopped;
        Some((Transaction::Drop { rows, why }, told))
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
