//! What the gate, sessions, couriers and commands share.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};
use tertulia_core::attachment::Attachments;

use tertulia_core::courier::{self, Report};
use tertulia_core::fault::Fault;
use tertulia_core::record::{ConversationId, InboxId, InboxRow, RowBody, Slot, TurnSettings, Work};
use tertulia_core::session::{OwnTool, Stopped, Surroundings};
use tertulia_interface::Interface;
use tertulia_message::path::InterfacePath;
use tertulia_message::{Account, Ending, Finish, Limits, Reach, Signal, SlotId, Spent};
use tertulia_ports::{Store, StoreError, Tool};
use tokio::sync::{OnceCell, mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::{Ask, Key};
use crate::clock::Clock;
use crate::gate::{Accounts, Claims};
use crate::governed::{Governed, Present};
use crate::listen::Listeners;
use crate::parts::{Parts, Reload};
use crate::pulse::Pulse;
use crate::session_task::{DOOR_DEADLINE, show};

/// What the gate, sessions, couriers and commands share.
pub(crate) struct Shared {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) governed: Governed,
    pub(crate) reload: Option<Arc<dyn Reload>>,
    /// Held while the configuration is read again.
    pub(crate) reloading: tokio::sync::Mutex<()>,
    /// Whether a stranger may become the first admin.
    pub(crate) claimable: bool,
    pub(crate) claims: Claims,
    /// Under which accounts we speak ourselves.
    pub(crate) accounts: Accounts,
    /// Set when it is known what was permitted and set by command.
    pub(crate) prepared: OnceCell<()>,
    /// Held while a command decides by what holds, until what it changes is in force.
    pub(crate) governing: Arc<tokio::sync::Mutex<()>>,
    pub(crate) stops: Stops,
    pub(crate) done: CommandsDone,
    pub(crate) clock: Clock,
    /// This start of the process.
    pub(crate) boot: String,
    pub(crate) requests: Requests,
    /// The wall clock when the work began, in milliseconds since 1970.
    started: OnceLock<i64>,
    stopping: OnceLock<CancellationToken>,
    interfaces: std::collections::BTreeMap<String, Arc<dyn Interface>>,
    pub(crate) listeners: Listeners,
    hub: mpsc::Sender<Ask>,
    pub(crate) hub_pulse: Pulse,
    couriers: RwLock<HashMap<Account, mpsc::Sender<courier::Event>>>,
}

/// How the tasks that are always there are reached.
pub(crate) struct Links {
    pub(crate) hub: mpsc::Sender<Ask>,
    pub(crate) hub_pulse: Pulse,
    pub(crate) listeners: Listeners,
}

impl Shared {
    pub(crate) fn new(parts: Parts, clock: Clock, boot: String, links: Links) -> Self {
        Self {
            store: parts.store,
            governed: Governed::new(parts.live),
            reload: parts.reload,
            reloading: tokio::sync::Mutex::default(),
            claimable: parts.claimable,
            claims: Claims::default(),
            accounts: Accounts::default(),
            prepared: OnceCell::new(),
            governing: Arc::default(),
            stops: Stops::default(),
            done: CommandsDone::default(),
            clock,
            boot,
            requests: Requests::default(),
            started: OnceLock::new(),
            stopping: OnceLock::new(),
            interfaces: parts.interfaces,
            listeners: links.listeners,
            hub: links.hub,
            hub_pulse: links.hub_pulse,
            couriers: RwLock::new(HashMap::new()),
        }
    }

    pub(crate) fn interface(&self, name: &str) -> Option<Arc<dyn Interface>> {
        self.interfaces.get(name).cloned()
    }

    /// True if who asks at this place waits with an open connection for the answer.
    pub(crate) fn is_door(&self, path: &InterfacePath) -> bool {
        let interface = self.interface(path.interface());
        interface.is_some_and(|interface| interface.limits(path).reach == Reach::WhileConnected)
    }

    /// The work begins.
    pub(crate) fn start(&self) {
        self.started.get_or_init(|| self.clock.now().wall);
    }

    /// The wall clock when the work began, in milliseconds since 1970.
    pub(crate) fn started(&self) -> Option<i64> {
        self.started.get().copied()
    }

    /// Notes what stops the engine.
    pub(crate) fn stopped_by(&self, stop: &CancellationToken) {
        self.stopping.get_or_init(|| stop.clone());
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.stopping.get().is_some_and(CancellationToken::is_cancelled)
    }

    /// True if a request waits that a process before has accepted: its reader has gone with that process.
    pub(crate) fn is_stray(&self, row: &InboxRow) -> bool {
        let before = self.started.get().is_some_and(|started| row.accepted_at < *started);
        before && !self.requests.is_open(&row.ext_id)
    }

    /// Asks the hub; false if it is stopping.
    pub(crate) async fn ask(&self, ask: Ask) -> bool {
        self.hub.send(ask).await.is_ok()
    }

    /// A broken store ends the process, whoever finds out.
    pub(crate) async fn failed(&self, error: StoreError) {
        if matches!(error, StoreError::Broken(_)) {
            self.ask(Ask::Broken(error)).await;
        }
    }

    /// Lost if the hub is overloaded: then the answer is only shown when it is complete.
    pub(crate) fn report(&self, conversation: ConversationId, slot: SlotId, report: Report) {
        let _ = self.hub.try_send(Ask::Report(conversation, slot, report));
    }

    /// What is set and permitted moves at once; the rest is lost if the hub is overloaded: then the next delivery is told again.
    pub(crate) fn moved(&self, from: InterfacePath, to: InterfacePath) {
        self.governed.moved(&from, &to);
        let _ = self.hub.try_send(Ask::Moved(from, to));
    }

    /// As [`Shared::moved`], however long the hub is overloaded: nobody else will tell.
    pub(crate) async fn moved_for_sure(&self, from: InterfacePath, to: InterfacePath) {
        self.governed.moved(&from, &to);
        self.ask(Ask::Moved(from, to)).await;
    }

    /// Hands a committed slot to its account's courier. What cannot be handed over is found at the next start.
    pub(crate) async fn to_courier(&self, slot: Slot, limits: Limits) {
        let Some(courier) = self.courier(&slot.account).await else {
            tracing::error!(path = %slot.path, "there is no courier for a message; it goes out after the next start");
            return;
        };
        let _ = courier.send(courier::Event::Wished(Box::new(slot), limits)).await;
    }

    /// Hands a fleeting edit to the courier; false if it is too busy.
    pub(crate) fn live(&self, account: &Account, event: courier::Event) -> bool {
        let couriers = self.couriers.read().unwrap_or_else(PoisonError::into_inner);
        couriers
            .get(account)
            .is_some_and(|courier| courier.try_send(event).is_ok())
    }

    async fn courier(&self, account: &Account) -> Option<mpsc::Sender<courier::Event>> {
        let known = self
            .couriers
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .get(account)
            .cloned();
        if known.is_some() {
            return known;
        }
        let (reply, answer) = oneshot::channel();
        if !self.ask(Ask::Courier(account.clone(), reply)).await {
            return None;
        }
        let courier = answer.await.ok()?;
        self.couriers
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(account.clone(), courier.clone());
        Some(courier)
    }

    pub(crate) fn forget_courier(&self, account: &Account) {
        self.couriers
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(account);
    }

    pub(crate) fn forget_couriers(&self) {
        self.couriers.write().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// The configuration as it was last read.
    pub(crate) fn present(&self) -> Arc<Present> {
        self.governed.present()
    }

    /// What the next turn of a conversation keeps: what it began with, or what holds now. A turn of a process before goes on
    /// with what holds now if its provider is no longer there.
    pub(crate) fn turn_settings(&self, present: &Present, path: &InterfacePath, work: Option<&Work>) -> TurnSettings {
        if let Some(unfinished) = work.and_then(|work| work.unfinished.as_ref()) {
            let provider = &unfinished.settings.provider;
            if present.live.providers.contains_key(provider) {
                return unfinished.settings.clone();
            }
            tracing::warn!(%path, provider, "the provider of an unfinished turn is gone; it goes on with what holds now");
        }
        let asked = work.and_then(|work| work.rows.first()).and_then(|row| match &row.body {
            RowBody::Request(request) => request.model.strip_prefix(PERSONA),
            RowBody::Message(_) | RowBody::Command { .. } => None,
        });
        self.governed.resolve_by(present, path, asked).turn()
    }

    /// What holds for a turn with these settings.
    pub(crate) fn surroundings(present: &Present, limits: Limits, settings: TurnSettings) -> Surroundings {
        let part = present.live.providers.get(&settings.provider);
        let own = |tool: &Arc<dyn Tool>| OwnTool {
            offer: tool.spec().offer.clone(),
            effect: tool.spec().effect,
            speaks: tool.spec().speaks_on.is_some(),
        };
        let rules = &present.live.settings;
        Surroundings {
            limits,
            capabilities: part.map_or(NO_PROVIDER, |part| part.provider.capabilities(&settings.model)),
            tools: present.live.tools.iter().map(own).collect(),
            deadlines: part.map(|part| part.deadlines).unwrap_or_default(),
            prices: part.and_then(|part| part.prices_of(&settings.model)),
            fallbacks: present.live.fallbacks(&settings.provider),
            rounds: rules.rounds,
            answer_bytes: rules.answer_bytes,
            attachments: Attachments::new(),
            settings,
        }
    }

    /// Ends a request whose session died.
    pub(crate) async fn close_broken(&self, path: &InterfacePath, id: &str) {
        let Some(interface) = self.interface(path.interface()) else {
            return;
        };
        let fault = Fault::Internal;
        let finish = Finish::Failed {
            code: fault.code(),
            text: fault.public().to_string(),
        };
        let spent = Spent::default();
        let close = Signal::Close(Ending { finish, spent });
        show(&*interface, path, id, close, DOOR_DEADLINE).await;
    }
}

/// What a door's request puts before the name of a persona, as its model.
const PERSONA: &str = "tertulia:";

const NO_PROVIDER: tertulia_core::provider::Capabilities = tertulia_core::provider::Capabilities {
    conversation: true,
    system: true,
    tool_calls: false,
    vision: false,
    thinking: false,
    format: tertulia_core::provider::Format::Standard,
    max_context: 8192,
};

/// Those who wait until a `/stop` is done, by the row it was given as.
#[derive(Default)]
pub(crate) struct Stops(Mutex<HashMap<InboxId, Waiter>>);

/// Whose session does the stop, and who is told.
type Waiter = (Key, oneshot::Sender<Stopped>);

impl Stops {
    pub(super) fn note(&self, by: InboxId, key: Key, answer: oneshot::Sender<Stopped>) {
        self.lock().insert(by, (key, answer));
    }

    pub(super) fn forget(&self, by: InboxId) {
        self.lock().remove(&by);
    }

    /// A session has died with its stops.
    pub(super) fn forget_all(&self, key: Key) {
        self.lock().retain(|_, (whose, _)| *whose != key);
    }

    pub(crate) fn done(&self, stopped: Stopped) {
        if let Some((_, answer)) = self.lock().remove(&stopped.by) {
            // whoever asked may have given up
            let _ = answer.send(stopped);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<InboxId, Waiter>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Those who wait until a command is done, by its row.
#[derive(Default)]
pub(crate) struct CommandsDone(Mutex<HashMap<InboxId, oneshot::Sender<()>>>);

impl CommandsDone {
    /// Ends when the command is done, or will not be done in this process; to be called before it is begun.
    pub(crate) fn wait(&self, row: InboxId) -> oneshot::Receiver<()> {
        let (done, waiting) = oneshot::channel();
        self.lock().insert(row, done);
        waiting
    }

    /// Nobody may be waiting.
    pub(crate) fn tell(&self, row: InboxId) {
        drop(self.lock().remove(&row));
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<InboxId, oneshot::Sender<()>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Open requests of doors, and where their turns run.
#[derive(Default)]
pub(crate) struct Requests(Mutex<HashMap<String, Key>>);

impl Requests {
    pub(crate) fn note(&self, id: String, key: Key) {
        self.lock().insert(id, key);
    }

    pub(crate) fn take(&self, id: &str) -> Option<Key> {
        self.lock().remove(id)
    }

    pub(crate) fn is_open(&self, id: &str) -> bool {
        self.lock().contains_key(id)
    }

    pub(crate) fn take_all(&self, key: Key) -> Vec<String> {
        let mut open = self.lock();
        let ids: Vec<String> = open
            .iter()
            .filter(|(_, open)| **open == key)
            .map(|(id, _)| id.clone())
            .collect();
        for id in &ids {
            open.remove(id);
        }
        ids
    }

    /// How many requests with a history of their own are open.
    pub(crate) fn passing(&self) -> usize {
        self.lock()
            .values()
            .filter(|key| matches!(key, Key::Passing(_)))
            .count()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, Key>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The work of a request that brings its own history.
pub(super) fn work_of(row: InboxRow) -> Work {
    Work {
        rows: vec![row],
        unfinished: None,
        history: Vec::new(),
        slots: Vec::new(),
        epoch: 0,
    }
}
