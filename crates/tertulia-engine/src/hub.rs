//! Keeps the sessions and couriers: starts them, hands them their events, and notices their end.

mod lines;
mod moves;
mod shared;
mod waiting;

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use tertulia_core::courier::{self, Report};
use tertulia_core::record::{ConversationId, InboxId, InboxRow};
use tertulia_core::session::{self, Stopped};
use tertulia_message::path::InterfacePath;
use tertulia_message::{Account, SlotId};
use tertulia_ports::StoreError;
use tokio::sync::{mpsc, oneshot};
use tokio::task::{Id, JoinSet};
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

use crate::backing::{self, Backing};
use crate::courier_task::CourierTask;
use crate::error::EngineError;
use crate::give_up;
use crate::pulse::Heart;
use crate::session_task::{Ended, SessionTask};
use lines::Lines;
pub(crate) use shared::{Links, Shared};
use waiting::Waiting;

/// Events that may wait for one session.
const SESSION_EVENTS: usize = 256;
/// Events that may wait for one courier.
const COURIER_EVENTS: usize = 1024;
/// How often a session may panic without getting anywhere before its turn is given up.
const PANICS: u32 = 4;
/// How many hang-ups of unknown requests are remembered.
const HUNG_UP: usize = 1024;
/// How long a soft stop waits for streams, and for everything.
const STREAMS_END: Duration = Duration::from_secs(12);
const ALL_END: Duration = Duration::from_secs(16);

/// What the hub is asked for.
pub(crate) enum Ask {
    /// Something waits in a conversation; the id of a request whose reader may hang up.
    Nudge(ConversationId, InterfacePath, Option<String>),
    /// A request that brings its own history.
    Passing(Box<InboxRow>),
    /// A command that was accepted.
    Command(Box<InboxRow>),
    /// Something is to end; who is told when it is done. Dropped if the session is too busy to hear of it.
    Stop(ConversationId, InterfacePath, StopOrder, oneshot::Sender<Stopped>),
    /// The courier reports to a session.
    Report(ConversationId, SlotId, Report),
    /// The reader of a request has gone.
    HangUp(String),
    /// A conversation has moved.
    Moved(InterfacePath, InterfacePath),
    /// The store is broken: the process has to end.
    Broken(StoreError),
    /// An account's courier.
    Courier(Account, oneshot::Sender<mpsc::Sender<courier::Event>>),
}

/// What is to end.
#[derive(Debug, Clone, Copy)]
pub(crate) enum StopOrder {
    /// Everything that is older than this row.
    All {
        /// The row.
        by: InboxId,
    },
    /// One turn, and nothing else.
    Turn {
        /// The row that orders it.
        by: InboxId,
        /// The turn's trigger.
        turn: InboxId,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Key {
    Stored(ConversationId),
    Passing(i64),
}

struct Handle {
    events: mpsc::Sender<session::Event>,
    path: InterfacePath,
    /// True if it is not where it was when its session began.
    has_moved: bool,
    panics: u32,
}

/// The hub's task.
pub(crate) struct Hub {
    shared: Arc<Shared>,
    asks: mpsc::Receiver<Ask>,
    sessions: HashMap<Key, Handle>,
    waiting: Waiting,
    session_tasks: JoinSet<Ended>,
    session_keys: HashMap<Id, Key>,
    couriers: HashMap<Account, mpsc::Sender<courier::Event>>,
    courier_tasks: JoinSet<Result<(), StoreError>>,
    courier_accounts: HashMap<Id, Account>,
    courier_starts: u64,
    commands: JoinSet<()>,
    /// Whose commands are at work, by task.
    command_keys: HashMap<Id, ConversationId>,
    lines: Lines,
    /// Readers that went before their request was accepted.
    hung_up: VecDeque<String>,
    stop: CancellationToken,
}

impl Hub {
    pub(crate) fn new(shared: Arc<Shared>, asks: mpsc::Receiver<Ask>, stop: CancellationToken) -> Self {
        Self {
            shared,
            asks,
            sessions: HashMap::new(),
            waiting: Waiting::default(),
            session_tasks: JoinSet::new(),
            session_keys: HashMap::new(),
            couriers: HashMap::new(),
            courier_tasks: JoinSet::new(),
            courier_accounts: HashMap::new(),
            courier_starts: 0,
            commands: JoinSet::new(),
            command_keys: HashMap::new(),
            lines: Lines::default(),
            hung_up: VecDeque::new(),
            stop,
        }
    }

    /// Takes up what the process before left, then works until `stop`.
    pub(crate) async fn run(mut self, mut heart: Heart) -> Result<(), EngineError> {
        self.shared.start();
        heart.beat_beside(self.restore()).await?;
        loop {
            tokio::select! {
                () = self.stop.cancelled() => break,
                () = heart.beat() => {}
                Some(ask) = self.asks.recv() => self.ask(ask)?,
                Some(ended) = self.session_tasks.join_next_with_id() => {
                    self.session_ended(ended)?;
                    self.next_waiting();
                }
                Some(ended) = self.courier_tasks.join_next_with_id() => {
                    heart.beat_beside(self.courier_ended(ended)).await?;
                }
                Some(ended) = self.commands.join_next_with_id() => self.command_ended(ended),
            }
        }
        heart.beat_beside(self.wind_up()).await
    }

    async fn restore(&mut self) -> Result<(), EngineError> {
        let restored = backing::patiently(|| self.shared.store.restore()).await?;
        for slot in restored.slots {
            self.restore_slot(slot).await;
        }
        let mut commands: HashMap<ConversationId, Vec<InboxRow>> = HashMap::new();
        for row in restored.commands {
            commands.entry(row.conversation).or_default().push(row);
        }
        for (conversation, path) in restored.conversations {
            match commands.remove(&conversation) {
                Some(rows) => self.restored_commands(rows, conversation, path),
                None => self.nudge(conversation, path),
            }
        }
        for row in commands.into_values().flatten() {
            self.command(row);
        }
        Ok(())
    }

    async fn restore_slot(&mut self, slot: tertulia_core::record::Slot) {
        let Some(interface) = self.shared.interface(slot.path.interface()) else {
            tracing::warn!(path = %slot.path, "a message waits for an interface that is not configured");
            return;
        };
        let limits = interface.limits(&slot.path);
        if let Some(courier) = self.courier(&slot.account) {
            // A courier only ends when its senders are gone, so this cannot fail while we hold one.
            let _ = courier.send(courier::Event::Restored(Box::new(slot), limits)).await;
        }
    }

    fn ask(&mut self, ask: Ask) -> Result<(), EngineError> {
        match ask {
            Ask::Nudge(conversation, path, request) => {
                let key = Key::Stored(conversation);
                let gone = request.and_then(|id| self.request(id, key));
                self.nudge(conversation, path);
                if let Some(id) = gone {
                    self.tell(key, session::Event::HangUp(id));
                }
            }
            Ask::Passing(row) => self.passing(*row),
            Ask::Command(row) => self.command(*row),
            Ask::Stop(conversation, path, order, answer) => self.stop_conversation(conversation, path, order, answer),
            Ask::Report(conversation, slot, report) => {
                self.tell(Key::Stored(conversation), session::Event::Report(slot, report));
            }
            Ask::HangUp(id) => {
                if let Some(key) = self.shared.requests.take(&id) {
                    self.tell(key, session::Event::HangUp(id));
                } else {
                    if self.hung_up.len() >= HUNG_UP {
                        self.hung_up.pop_front();
                    }
                    self.hung_up.push_back(id);
                }
            }
            Ask::Moved(from, to) => self.moved(&from, &to),
            Ask::Broken(error) => return Err(error.into()),
            Ask::Courier(account, reply) => {
                if let Some(courier) = self.courier(&account) {
                    let _ = reply.send(courier);
                }
            }
        }
        Ok(())
    }

    fn nudge(&mut self, conversation: ConversationId, path: InterfacePath) {
        let key = Key::Stored(conversation);
        if !self.sessions.contains_key(&key) {
            if self.sessions.len() >= self.shared.present().live.settings.sessions {
                self.waiting.push(conversation, path);
                return;
            }
            self.start(key, Backing::Stored(conversation), path, 0);
        }
        self.tell(key, session::Event::Nudge);
    }

    /// Sessions have ended: conversations that waited for a place get one.
    fn next_waiting(&mut self) {
        while self.sessions.len() < self.shared.present().live.settings.sessions
            && let Some((conversation, waiter)) = self.waiting.pop()
        {
            let key = Key::Stored(conversation);
            // a stop may have started one, without waiting for a place
            if !self.sessions.contains_key(&key) {
                self.start(key, Backing::Stored(conversation), waiter.path, 0);
            }
            for id in waiter.gone {
                self.tell(key, session::Event::HangUp(id));
            }
            self.tell(key, session::Event::Nudge);
        }
    }

    fn passing(&mut self, row: InboxRow) {
        let key = Key::Passing(row.id.0);
        let (id, path) = (row.ext_id.clone(), row.path.clone());
        let work = shared::work_of(row);
        let gone = self.request(id, key);
        self.start(key, Backing::Passing(Some(Box::new(work))), path, 0);
        self.tell(key, session::Event::Nudge);
        if let Some(id) = gone {
            self.tell(key, session::Event::HangUp(id));
        }
    }

    /// Notes a request whose reader may hang up; gives it back if the reader has gone while it was being accepted.
    /// To be noted before its session is told.
    fn request(&mut self, id: String, key: Key) -> Option<String> {
        if let Some(place) = self.hung_up.iter().position(|gone| *gone == id) {
            self.hung_up.remove(place);
            self.shared.requests.take(&id);
            return Some(id);
        }
        self.shared.requests.note(id, key);
        None
    }

    /// Even where nothing is at work a session has to look: a message may be on its way to it. Commands wait for no place.
    fn stop_conversation(
        &mut self,
        conversation: ConversationId,
        path: InterfacePath,
        order: StopOrder,
        answer: oneshot::Sender<Stopped>,
    ) {
        let key = Key::Stored(conversation);
        if !self.sessions.contains_key(&key) {
            self.start(key, Backing::Stored(conversation), path, 0);
        }
        let Some(handle) = self.sessions.get(&key) else { return };
        let (by, event) = match order {
            StopOrder::All { by } => (by, session::Event::Stop(by)),
            StopOrder::Turn { by, turn } => (by, session::Event::StopTurn { by, turn }),
        };
        self.shared.stops.note(by, key, answer);
        if handle.events.try_send(event).is_err() {
            self.shared.stops.forget(by);
        }
    }

    fn start(&mut self, key: Key, backing: Backing, path: InterfacePath, panics: u32) {
        let (events, receiver) = mpsc::channel(SESSION_EVENTS);
        let mut task = SessionTask::new(
            Arc::clone(&self.shared),
            path.clone(),
            backing,
            receiver,
            self.stop.clone(),
        );
        if panics > 0 {
            task.clear_signs();
        }
        let id = self.session_tasks.spawn(task.run()).id();
        self.session_keys.insert(id, key);
        let handle = Handle {
            events,
            path,
            has_moved: false,
            panics,
        };
        self.sessions.insert(key, handle);
    }

    /// A full queue loses the event: sessions look at the inbox again by themselves.
    fn tell(&mut self, key: Key, event: session::Event) {
        let Some(handle) = self.sessions.get(&key) else {
            if let (Key::Stored(conversation), session::Event::HangUp(id)) = (key, event) {
                self.waiting.hang_up(conversation, id);
            }
            return;
        };
        if let Err(mpsc::error::TrySendError::Full(event)) = handle.events.try_send(event) {
            tracing::debug!(path = %handle.path, ?event, "a session is too busy for an event");
        }
    }

    fn courier(&mut self, account: &Account) -> Option<mpsc::Sender<courier::Event>> {
        if let Some(courier) = self.couriers.get(account) {
            return Some(courier.clone());
        }
        let interface = self.shared.interface(&account.interface)?;
        let (sender, receiver) = mpsc::channel(COURIER_EVENTS);
        self.courier_starts += 1;
        let task = CourierTask::new(Arc::clone(&self.shared), interface, self.courier_starts, receiver);
        let id = self.courier_tasks.spawn(task.run()).id();
        self.courier_accounts.insert(id, account.clone());
        self.couriers.insert(account.clone(), sender.clone());
        Some(sender)
    }

    fn session_ended(&mut self, ended: Result<(Id, Ended), tokio::task::JoinError>) -> Result<(), EngineError> {
        let id = match &ended {
            Ok((id, _)) => *id,
            Err(error) => error.id(),
        };
        let Some(key) = self.session_keys.remove(&id) else {
            return Ok(());
        };
        let Some(handle) = self.sessions.remove(&key) else {
            return Ok(());
        };
        // one that died too often is given up first
        if handle.has_moved && handle.panics < PANICS {
            self.moved_session_ended(&handle.path);
        }
        match ended {
            Ok((_, ended)) => self.quietly_ended(key, handle, ended),
            Err(error) => {
                tracing::error!(path = %handle.path, %error, "a session died; its conversation goes on");
                self.died(key, handle);
                Ok(())
            }
        }
    }

    /// Events that came while it was ending go to a new session.
    fn quietly_ended(&mut self, key: Key, handle: Handle, mut ended: Ended) -> Result<(), EngineError> {
        match ended.result {
            Ok(()) => {}
            Err(error @ StoreError::Broken(_)) => return Err(error.into()),
            Err(error) => {
                tracing::error!(path = %handle.path, %error, "a session contradicted the store; its conversation goes on");
                self.died(key, handle);
                return Ok(());
            }
        }
        let Key::Stored(conversation) = key else { return Ok(()) };
        if let Ok(first) = ended.events.try_recv() {
            self.start(key, Backing::Stored(conversation), handle.path, 0);
            self.tell(key, first);
            while let Ok(event) = ended.events.try_recv() {
                self.tell(key, event);
            }
        } else {
            // whatever was noted has been looked at since, so these are answered
            self.shared.requests.take_all(key);
        }
        Ok(())
    }

    /// The turn is run again, until its attempts are used up and it is reported as interrupted.
    fn died(&mut self, key: Key, handle: Handle) {
        // whoever waits for a stop asks again
        self.shared.stops.forget_all(key);
        match key {
            Key::Stored(conversation) if handle.panics < PANICS => {
                self.start(key, Backing::Stored(conversation), handle.path, handle.panics + 1);
                self.tell(key, session::Event::Nudge);
            }
            Key::Stored(conversation) => {
                let shared = Arc::clone(&self.shared);
                self.commands.spawn(give_up::run(shared, conversation, handle.path));
            }
            Key::Passing(_) => {
                for id in self.shared.requests.take_all(key) {
                    let shared = Arc::clone(&self.shared);
                    let path = handle.path.clone();
                    self.commands
                        .spawn(async move { shared.close_broken(&path, &id).await });
                }
            }
        }
    }

    async fn courier_ended(
        &mut self,
        ended: Result<(Id, Result<(), StoreError>), tokio::task::JoinError>,
    ) -> Result<(), EngineError> {
        let (id, result) = match ended {
            Ok((id, result)) => (id, result),
            Err(error) => {
                tracing::error!(%error, "a courier died; it starts again");
                (error.id(), Ok(()))
            }
        };
        let account = self.courier_accounts.remove(&id);
        if let Err(error) = result {
            return Err(error.into());
        }
        let Some(account) = account else { return Ok(()) };
        self.couriers.remove(&account);
        self.shared.forget_courier(&account);
        let restored = backing::patiently(|| self.shared.store.restore()).await?;
        for slot in restored.slots.into_iter().filter(|slot| slot.account == account) {
            self.restore_slot(slot).await;
        }
        Ok(())
    }

    /// Waits for the sessions' end; they still get what they need, but nothing new is begun.
    async fn sessions_end(&mut self) -> Result<(), EngineError> {
        loop {
            tokio::select! {
                ended = self.session_tasks.join_next() => match ended {
                    None => return Ok(()),
                    Some(Ok(Ended { result: Err(error @ StoreError::Broken(_)), .. })) => return Err(error.into()),
                    Some(_) => {}
                },
                Some(ask) = self.asks.recv() => match ask {
                    // they are on disk, for the next start
                    Ask::Nudge(..) | Ask::Command(_) | Ask::Stop(..) => {}
                    Ask::Passing(row) => self.shared.close_broken(&row.path, &row.ext_id).await,
                    ask => self.ask(ask)?,
                },
            }
        }
    }

    /// Streams get their time, then couriers theirs.
    async fn wind_up(mut self) -> Result<(), EngineError> {
        let begun = Instant::now();
        if let Ok(ended) = timeout_at(begun + STREAMS_END, self.sessions_end()).await {
            ended?;
        }
        self.asks.close();
        let _ = timeout_at(begun + STREAMS_END, async {
            while self.commands.join_next().await.is_some() {}
        })
        .await;
        self.session_tasks.shutdown().await;
        self.couriers.clear();
        self.shared.forget_couriers();
        let _ = timeout_at(begun + ALL_END, async {
            while self.courier_tasks.join_next().await.is_some() {}
        })
        .await;
        self.courier_tasks.shutdown().await;
        Ok(())
    }
}
