//! One world: machines, store, model, tools, people and the platform, one effect at a time.

mod command;
mod outside;
mod perform;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use tertulia_core::chat::ToolCall;
use tertulia_core::courier::{self, Courier};
use tertulia_core::now::{Mono, Now};
use tertulia_core::record::{ConversationId, InboxId};
use tertulia_core::reply::Place;
use tertulia_core::session::{self, AskId, Session};
use tertulia_interface::Interface as _;
use tertulia_message::path::InterfacePath;
use tertulia_ports::Store;
use tokio::time::Instant;

use super::model::{Model, Script};
use super::tools::Till;
use super::transcript::{Line, Transcript};
use crate::chat_double::{ChatDouble, DoubleInterface, DoubleSettings, Kind, Rules, Update};
use command::Order;

/// The wall clock's time when the world begins.
const EPOCH: i64 = 1_700_000_000_000;

/// Who has something to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Actor {
    People,
    Listener,
    Courier,
    Session(ConversationId),
    Stream(ConversationId),
    Tool(u64),
    Command(InboxId),
}

/// Everything that a crash destroys.
struct Process {
    courier: Courier,
    courier_effects: VecDeque<courier::Effect>,
    courier_wake: Option<Mono>,
    sessions: BTreeMap<ConversationId, Seat>,
    tools: BTreeMap<u64, (ConversationId, InboxId, u32, ToolCall)>,
    commands: BTreeMap<InboxId, Order>,
    next_tool: u64,
    cursor: Option<u64>,
    /// A batch on its way: stored, if it is, but not confirmed.
    batch: Option<Vec<Update>>,
}

/// A session with what is under way for it.
struct Seat {
    session: Session,
    path: InterfacePath,
    trigger: Option<InboxId>,
    /// Where its turn stands.
    place: Option<Place>,
    effects: VecDeque<session::Effect>,
    stream: Option<(AskId, Script)>,
    wake: Option<Mono>,
}

/// One world.
pub(super) struct World<'t> {
    pub(super) double: Arc<ChatDouble>,
    pub(super) till: Till,
    pub(super) store: Arc<dyn Store>,
    pub(super) transcript: &'t Transcript,
    interface: DoubleInterface,
    since: Instant,
    model: Model,
    script: VecDeque<Line>,
    said: Vec<String>,
    people_wait: Option<Mono>,
    boot: u32,
    dice: u64,
    process: Process,
}

impl<'t> World<'t> {
    pub(super) fn new(transcript: &'t Transcript, kind: Kind, store: Arc<dyn Store>, seed: u64) -> Self {
        let double = Arc::new(ChatDouble::new(Rules {
            twice_percent: 20,
            buttons: transcript.buttons,
            ids_die: transcript.ids_die,
            ..Rules::of(kind)
        }));
        double.plan(transcript.faults());
        let since = Instant::now();
        let settings = DoubleSettings {
            progress: transcript.progress,
            batch: 3,
            ..DoubleSettings::since(since)
        };
        Self {
            interface: DoubleInterface::new(Arc::clone(&double), settings),
            double,
            till: Till::default(),
            store,
            transcript,
            since,
            model: Model::default(),
            script: transcript.lines().cloned().collect(),
            said: Vec::new(),
            people_wait: None,
            boot: 0,
            dice: seed | 1,
            process: Process::new(0),
        }
    }

    /// The process is gone; what was under way for it is gone with it.
    pub(super) fn crash(&mut self) {
        self.boot += 1;
        self.double.bot_restarted(self.since.elapsed());
        self.process = Process::new(self.boot);
    }

    /// What every start does.
    pub(super) async fn start(&mut self) -> Result<(), String> {
        let restored = self.store.restore().await.map_err(text)?;
        for slot in restored.slots {
            let limits = self.interface.limits(&slot.path);
            self.tell_courier(courier::Event::Restored(Box::new(slot), limits));
        }
        self.process.commands = restored
            .commands
            .into_iter()
            .map(|row| (row.id, Order::given(row)))
            .collect();
        for (conversation, path) in restored.conversations {
            self.nudge(conversation, path);
        }
        let marks = self
            .store
            .marks(self.interface.account(), "cursor")
            .await
            .map_err(text)?;
        let cursor = marks.into_iter().find_map(|mark| mark.value);
        self.process.cursor = cursor.and_then(|value| String::from_utf8(value).ok()?.parse().ok());
        Ok(())
    }

    /// Performs one effect; `report` says whether the machine that wanted it learns of it. False if nothing is left.
    pub(super) async fn step(&mut self, report: bool) -> Result<bool, String> {
        loop {
            // streams let time pass, and nobody waits for their end
            self.wake();
            let ready = self.ready();
            if let Some(actor) = self.pick(&ready) {
                self.act(actor, report).await?;
                return Ok(true);
            }
            let Some(next) = self.next_wake() else { return Ok(false) };
            tokio::time::advance(next.saturating_sub(self.since.elapsed())).await;
        }
    }

    fn ready(&self) -> Vec<Actor> {
        let mut ready = Vec::new();
        if !self.script.is_empty() && self.people_wait.is_none() {
            ready.push(Actor::People);
        }
        if self.process.batch.is_some() || self.has_updates() {
            ready.push(Actor::Listener);
        }
        if !self.process.courier_effects.is_empty() {
            ready.push(Actor::Courier);
        }
        for (id, seat) in &self.process.sessions {
            if !seat.effects.is_empty() {
                ready.push(Actor::Session(*id));
            }
            if seat.stream.is_some() {
                ready.push(Actor::Stream(*id));
            }
        }
        ready.extend(self.process.tools.keys().map(|nth| Actor::Tool(*nth)));
        let orders = self.process.commands.iter().filter(|(_, order)| order.is_ready());
        ready.extend(orders.map(|(id, _)| Actor::Command(*id)));
        ready
    }

    fn has_updates(&self) -> bool {
        self.double.waiting(self.process.cursor) > 0
    }

    fn pick(&mut self, ready: &[Actor]) -> Option<Actor> {
        self.dice ^= self.dice << 13;
        self.dice ^= self.dice >> 7;
        self.dice ^= self.dice << 17;
        let count = u64::try_from(ready.len()).ok().filter(|count| *count > 0)?;
        ready.get(usize::try_from(self.dice % count).ok()?).copied()
    }

    fn next_wake(&self) -> Option<Mono> {
        let sessions = self.process.sessions.values().filter_map(|seat| seat.wake);
        sessions.chain(self.process.courier_wake).chain(self.people_wait).min()
    }

    fn wake(&mut self) {
        let now = self.since.elapsed();
        let due = |wake: &mut Option<Mono>| wake.take_if(|at| *at <= now).is_some();
        due(&mut self.people_wait);
        if due(&mut self.process.courier_wake) {
            self.tell_courier(courier::Event::Tick);
        }
        let sleepers: Vec<ConversationId> = self
            .process
            .sessions
            .iter_mut()
            .filter_map(|(id, seat)| due(&mut seat.wake).then_some(*id))
            .collect();
        for id in sleepers {
            self.tell(id, session::Event::Tick);
        }
    }

    async fn act(&mut self, actor: Actor, report: bool) -> Result<(), String> {
        match actor {
            Actor::People => self.people(),
            Actor::Listener => self.listener(report).await?,
            Actor::Courier => {
                if let Some(effect) = self.process.courier_effects.pop_front() {
                    self.courier_effect(effect, report).await?;
                }
            }
            Actor::Session(id) => {
                let effect = self
                    .process
                    .sessions
                    .get_mut(&id)
                    .and_then(|seat| seat.effects.pop_front());
                if let Some(effect) = effect {
                    self.session_effect(id, effect, report).await?;
                }
            }
            Actor::Stream(id) => self.stream(id).await,
            Actor::Tool(nth) => self.tool(nth, report),
            Actor::Command(id) => self.command(id, report).await?,
        }
        Ok(())
    }

    fn nudge(&mut self, conversation: ConversationId, path: InterfacePath) {
        self.seat_of(conversation, path);
        self.tell(conversation, session::Event::Nudge);
    }

    /// Sees to it that the conversation has a session.
    fn seat_of(&mut self, conversation: ConversationId, path: InterfacePath) {
        let boot = self.boot;
        self.process.sessions.entry(conversation).or_insert_with(|| Seat {
            session: Session::new(format!("boot-{boot}")),
            path,
            trigger: None,
            place: None,
            effects: VecDeque::new(),
            stream: None,
            wake: None,
        });
    }

    fn tell(&mut self, id: ConversationId, event: session::Event) {
        let now = self.now();
        let Some(seat) = self.process.sessions.get_mut(&id) else {
            return;
        };
        seat.session.handle(event, now);
        while let Some(effect) = seat.session.poll() {
            seat.effects.push_back(effect);
        }
    }

    fn tell_courier(&mut self, event: courier::Event) {
        let now = self.now();
        self.process.courier.handle(event, now);
        while let Some(effect) = self.process.courier.poll() {
            self.process.courier_effects.push_back(effect);
        }
    }

    fn seat(&mut self, id: ConversationId) -> Result<&mut Seat, String> {
        self.process
            .sessions
            .get_mut(&id)
            .ok_or_else(|| "an effect without a session".to_owned())
    }

    fn now(&self) -> Now {
        let mono = self.since.elapsed();
        let wall = EPOCH + i64::try_from(mono.as_millis()).unwrap_or(i64::MAX - EPOCH);
        Now {
            mono,
            wall,
            dice: u32::MAX / 2,
        }
    }

    /// The transcript's name with its platform, for reports.
    pub(super) fn name(&self) -> String {
        format!("{} on {:?}", self.transcript.name, self.double.rules().kind)
    }
}

impl Process {
    fn new(boot: u32) -> Self {
        Self {
            courier: Courier::new(format!("boot-{boot}")),
            courier_effects: VecDeque::new(),
            courier_wake: None,
            sessions: BTreeMap::new(),
            tools: BTreeMap::new(),
            commands: BTreeMap::new(),
            next_tool: 0,
            cursor: None,
            batch: None,
        }
    }
}

fn text(error: impl std::error::Error) -> String {
    error.to_string()
}
