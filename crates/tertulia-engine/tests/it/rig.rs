//! An engine between doubles: a chat platform, a door, a store in memory and a scripted provider.

mod attic;
mod door;
mod log;
mod next;
mod provider;
mod store;
mod tools;
mod watched;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tertulia_core::access::AccessRules;
use tertulia_core::courier::RESENT_MARK;
use tertulia_core::policy::Deadlines;
use tertulia_core::preferences::Persona;
use tertulia_core::record::{ConversationId, InboxId};
use tertulia_engine::{Engine, EngineError, Handle, Live, Parts, ProviderPart, Settings};
use tertulia_interface::Interface;
use tertulia_message::{Level, Progress};
use tertulia_ports::Tool;
use tertulia_testkit::chat_double::{
    ChatDouble, DoubleInterface, DoubleSettings, Expected, Judge, Kind, Question, Rules, Said, Spot, Summary,
};
use tertulia_testkit::fake_store::{FakeStore, RowState};
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

pub(crate) use attic::{Along, Attic, Fetched};
pub(crate) use door::Door;
pub(crate) use log::Log;
pub(crate) use next::Next;
pub(crate) use provider::{Piece, Scripted, call, words};
pub(crate) use store::{Mood, Moody};
pub(crate) use tools::TestTool;
pub(crate) use watched::{Stuck, Watched};

/// What every fault notice shows.
pub(crate) const NOTICE: &str = "⚠️";
const EPOCH: i64 = 1_700_000_000_000;
/// How long anything is waited for, in the paused clock's time.
const PATIENCE: Duration = Duration::from_hours(48);

/// An engine between doubles.
pub(crate) struct Rig {
    pub(crate) double: Arc<ChatDouble>,
    pub(crate) chat: Arc<Watched>,
    pub(crate) attic: Arc<Attic>,
    pub(crate) door: Arc<Door>,
    pub(crate) store: Arc<FakeStore>,
    pub(crate) moody: Arc<Moody>,
    pub(crate) provider: Arc<Scripted>,
    pub(crate) tools: Vec<Arc<dyn Tool>>,
    pub(crate) settings: Settings,
    pub(crate) deadlines: Deadlines,
    /// The most questions to a provider at once.
    pub(crate) at_once: usize,
    pub(crate) next: Arc<Next>,
    pub(crate) claimable: bool,
    /// Set where the next engine has no door.
    pub(crate) without_door: bool,
    /// What the next engine begins with, if not the usual.
    pub(crate) begins_with: Option<Live>,
    handle: Option<Handle>,
    progress: Progress,
    since: Instant,
    runs: JoinSet<Result<(), EngineError>>,
    stop: CancellationToken,
}

impl Rig {
    /// Not yet started.
    pub(crate) fn new(kind: Kind) -> Self {
        Self::of(Rules::of(kind))
    }

    /// On a platform with buttons; not yet started.
    pub(crate) fn with_buttons(kind: Kind) -> Self {
        Self::of(Rules {
            buttons: true,
            ..Rules::of(kind)
        })
    }

    fn of(rules: Rules) -> Self {
        let since = Instant::now();
        let double = Arc::new(ChatDouble::new(rules));
        let store = Arc::new(FakeStore::with_clock(Arc::new(move || wall(since))));
        let door = Arc::new(Door::new(Arc::clone(&store)));
        let attic = Arc::default();
        let access = AccessRules {
            interfaces: [("loopback".to_owned(), Level::User), ("door".to_owned(), Level::User)].into(),
            ..AccessRules::default()
        };
        Self {
            chat: Arc::new(watched(&double, since, Progress::Edit, &attic)),
            attic,
            double,
            door,
            moody: Arc::new(Moody::new(Arc::clone(&store))),
            store,
            provider: Arc::new(Scripted::default()),
            tools: Vec::new(),
            settings: Settings {
                access,
                ..Settings::default()
            },
            deadlines: Deadlines::default(),
            at_once: 1024,
            next: Arc::default(),
            claimable: true,
            without_door: false,
            begins_with: None,
            handle: None,
            progress: Progress::Edit,
            since,
            runs: JoinSet::new(),
            stop: CancellationToken::new(),
        }
    }

    /// Running, on a platform of this kind.
    pub(crate) fn started(kind: Kind) -> Self {
        let mut rig = Self::new(kind);
        rig.start();
        rig
    }

    /// From now on answers are shown when they are whole.
    pub(crate) fn hide_progress(&mut self) {
        self.progress = Progress::Hidden;
        self.chat = Arc::new(watched(&self.double, self.since, self.progress, &self.attic));
    }

    /// Starts an engine over what is there.
    pub(crate) fn start(&mut self) {
        let engine = self.engine();
        self.run(engine);
    }

    /// An engine over what is there, not yet running.
    pub(crate) fn engine(&mut self) -> Engine {
        let since = self.since;
        let wall = Arc::new(move || wall(since));
        let engine = Engine::with_wall_clock(self.parts(), wall).unwrap();
        self.handle = Some(engine.handle());
        engine
    }

    pub(crate) fn run(&mut self, engine: Engine) {
        self.stop = CancellationToken::new();
        self.runs.spawn(engine.run(self.stop.clone()));
    }

    /// Of the engine that was made last.
    pub(crate) fn handle(&self) -> Handle {
        self.handle.clone().unwrap()
    }

    fn parts(&self) -> Parts {
        let chat: Arc<dyn Interface> = self.chat.clone();
        let door: Arc<dyn Interface> = self.door.clone();
        let mut interfaces = BTreeMap::from([("loopback".to_owned(), chat), ("door".to_owned(), door)]);
        if self.without_door {
            interfaces.remove("door");
        }
        Parts {
            store: self.moody.clone(),
            interfaces,
            claimable: self.claimable,
            live: self.begins_with.clone().unwrap_or_else(|| self.live()),
            reload: Some(self.next.clone()),
        }
    }

    /// A provider as a part.
    pub(crate) fn part(&self, provider: &Arc<Scripted>) -> ProviderPart {
        ProviderPart {
            provider: provider.clone(),
            model: String::new(),
            deadlines: self.deadlines,
            fallback: Vec::new(),
            prices: BTreeMap::new(),
            at_once: self.at_once,
        }
    }

    /// What can be replaced, as it is at the start.
    pub(crate) fn live(&self) -> Live {
        Live {
            providers: [("scripted".to_owned(), self.part(&self.provider))].into(),
            tools: self.tools.clone(),
            personas: BTreeMap::new(),
            base: Persona {
                provider: Some("scripted".to_owned()),
                ..Persona::default()
            },
            settings: self.settings.clone(),
        }
    }

    /// A soft stop; gives how the run ended.
    pub(crate) async fn stop(&mut self) -> Result<(), EngineError> {
        self.stop.cancel();
        self.ended().await
    }

    /// Waits for the run's own end.
    pub(crate) async fn ended(&mut self) -> Result<(), EngineError> {
        self.runs.join_next().await.unwrap().unwrap()
    }

    /// The process dies here, and a new one starts on what it left.
    pub(crate) async fn crash(&mut self) {
        self.runs.shutdown().await;
        self.restart();
    }

    /// As [`Rig::crash`]; the new process finds its interface like this.
    pub(crate) async fn crash_and_find(&mut self, prepare: impl FnOnce(&Watched)) {
        self.runs.shutdown().await;
        self.double.bot_restarted(self.now());
        self.chat = Arc::new(watched(&self.double, self.since, self.progress, &self.attic));
        prepare(&self.chat);
        self.start();
    }

    /// A new process on what the old one left.
    pub(crate) fn restart(&mut self) {
        self.double.bot_restarted(self.now());
        self.chat = Arc::new(watched(&self.double, self.since, self.progress, &self.attic));
        self.start();
    }

    /// True while the engine runs.
    pub(crate) fn is_running(&mut self) -> bool {
        self.runs.try_join_next().is_none()
    }

    pub(crate) fn now(&self) -> Duration {
        self.since.elapsed()
    }

    /// A person says something to the bot alone.
    pub(crate) fn say(&self, chat: &str, text: &str) {
        self.say_at(Said::direct(chat, "ann", text));
    }

    pub(crate) fn say_at(&self, said: Said) {
        self.double.say(self.now(), said);
    }

    /// What the bot shows in a chat now.
    pub(crate) fn shown(&self, chat: &str) -> Vec<String> {
        self.shown_at(&Spot::chat(chat))
    }

    pub(crate) fn shown_at(&self, spot: &Spot) -> Vec<String> {
        let all = self.double.transcript(&spot.chat, spot.thread.as_deref());
        all.into_iter()
            .filter_map(|(author, text)| author.is_none().then_some(text))
            .collect()
    }

    /// Waits until this holds.
    pub(crate) async fn until(&self, what: &str, holds: impl Fn(&Self) -> bool) {
        let waiting = async {
            let mut looked = 0u32;
            while !holds(self) {
                looked += 1;
                let pause = if looked < 5000 { 5 } else { 5000 };
                tokio::time::sleep(Duration::from_millis(pause)).await;
            }
        };
        let came = tokio::time::timeout(PATIENCE, waiting).await.is_ok();
        let (rows, slots) = (self.store.row_states(), self.store.slots());
        assert!(came, "never: {what}; rows {rows:?}; slots {slots:#?}");
    }

    /// Waits until the bot shows so many messages in a chat, with nothing left to deliver.
    pub(crate) async fn until_shown(&self, chat: &str, count: usize) -> Vec<String> {
        self.until("messages are shown", |rig| rig.shown(chat).len() >= count)
            .await;
        self.until_quiet().await;
        self.shown(chat)
    }

    /// Waits until everything is answered and delivered.
    pub(crate) async fn until_quiet(&self) {
        self.until("all is done", Self::is_quiet).await;
    }

    fn is_quiet(&self) -> bool {
        let done = |(_, state): &(InboxId, RowState)| matches!(state, RowState::Done | RowState::Dropped(_));
        self.double.waiting(Some(self.double.confirmed())) == 0
            && self.store.row_states().iter().all(done)
            && self.store.slots().iter().all(|slot| !slot.is_due())
    }

    /// Judges the platform's ground truth.
    #[track_caller]
    pub(crate) fn judge(&self, expected: &dyn Fn(&Question) -> Expected) -> Summary {
        let judge = Judge {
            resent_mark: RESENT_MARK,
            notices: &[NOTICE],
            expected,
        };
        self.double
            .verdict(&judge)
            .unwrap_or_else(|faults| panic!("{faults:#?}"))
    }

    /// Every question is answered by the scripted provider's echo, once, in its place and in order.
    #[track_caller]
    pub(crate) fn judge_echoes(&self) -> Summary {
        self.judge(&|question| Expected::Equals(provider::echo(&question.text)))
    }

    /// Why a conversation, by its number, is blocked.
    pub(crate) fn blocked(&self, conversation: i64) -> Option<String> {
        self.store.blocked(ConversationId(conversation))
    }
}

fn watched(double: &Arc<ChatDouble>, since: Instant, progress: Progress, attic: &Arc<Attic>) -> Watched {
    let settings = DoubleSettings {
        progress,
        ..DoubleSettings::since(since)
    };
    Watched::new(DoubleInterface::new(Arc::clone(double), settings), Arc::clone(attic))
}

fn wall(since: Instant) -> i64 {
    EPOCH + i64::try_from(since.elapsed().as_millis()).unwrap()
}
