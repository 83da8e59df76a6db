//! A strict double of the Telegram Bot API on loopback: it lives in the test and survives the bot that is killed.
//!
//! It enforces the rules that the real server enforces, in its words; what the real server takes and mends without a word is
//! taken too, and is a violation ([`TelegramDouble::violations`]). Every accepted call is kept
//! ([`TelegramDouble::accepted`]): that is the ground truth of a test.
//!
//! ```no_run
//! # async fn example() -> std::io::Result<()> {
//! use tertulia_testkit::telegram_double::{Fault, Faults, Said, Settings, TelegramDouble};
//!
//! let telegram = TelegramDouble::start(Settings::default()).await?;
//! let ann = telegram.person("Ann");
//! let question = telegram.say(ann, ann, "hello");
//! let forum = telegram.forum("Friends");
//! let topic = telegram.topic(forum, ann, "Games");
//! telegram.send(ann, (forum, topic), Said::text("@double_bot hello"));
//! telegram.plan(Faults::none().next("sendMessage", Fault::CutAfter));
//! // point a bot at telegram.base_url() with telegram.token(), then:
//! assert_eq!(telegram.bot_shows(ann), ["Hello."]);
//! assert!(telegram.violations().is_empty());
//! # Ok(())
//! # }
//! ```

mod chat;
mod door;
mod faults;
mod files;
mod keyboard;
mod menus;
mod methods;
mod params;
mod people;
mod place;
mod poll;
mod queue;
mod rates;
mod refusal;
mod said;
mod settings;
mod shown;
mod text;
mod truth;
mod verdict;
mod world;

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio::time::Instant;

pub use chat::Standing;
pub use faults::{Call, Fault, Faults};
pub use place::At;
pub use said::Said;
pub use settings::{RateLimits, Settings};
pub use shown::{Draft, Shown};
pub use truth::{Accepted, Counts, Refused};
pub use verdict::Claims;

use crate::chat_double::Violation;
use crate::loopback_server::{CuttableListener, Weather, Wire};
use refusal::Refusal;
use world::World;

/// The double. It ends when it is dropped. See the module's description.
pub struct TelegramDouble {
    shared: Arc<Shared>,
    address: SocketAddr,
    _tasks: JoinSet<()>,
}

/// What handlers and test share.
pub(crate) struct Shared {
    token: String,
    has_drafts: bool,
    world: Mutex<World>,
    arrivals: Notify,
    weather: Weather,
    polls: AtomicI64,
    since: Instant,
}

impl Shared {
    fn world(&self) -> MutexGuard<'_, World> {
        self.world.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> Duration {
        self.since.elapsed()
    }

    /// Why this token opens nothing, if it does not.
    fn stranger(&self, token: &str) -> Option<Refusal> {
        let is_token = token
            .split_once(':')
            .is_some_and(|(id, secret)| !id.is_empty() && id.chars().all(|c| c.is_ascii_digit()) && !secret.is_empty());
        if !is_token {
            return Some(Refusal::of(404, "Not Found"));
        }
        let is_ours = token == self.token && !self.weather.is_locked_out();
        (!is_ours).then(|| Refusal::of(401, "Unauthorized"))
    }

    fn knows(&self, method: &str) -> bool {
        self.has_drafts || method != "sendMessageDraft"
    }

    fn polls(&self, more: i64) {
        self.polls.fetch_add(more, Ordering::SeqCst);
    }

    fn is_polled(&self) -> bool {
        self.polls.load(Ordering::SeqCst) > 0
    }
}

impl TelegramDouble {
    /// Listens on a free port of 127.0.0.1.
    ///
    /// # Errors
    /// There is no such port.
    pub async fn start(settings: Settings) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            token: settings.token.clone(),
            has_drafts: settings.drafts,
            world: Mutex::new(World::new(settings)),
            arrivals: Notify::new(),
            weather: Weather::default(),
            polls: AtomicI64::new(0),
            since: Instant::now(),
        });
        let service = door::router(Arc::clone(&shared)).into_make_service_with_connect_info::<Wire>();
        let mut tasks = JoinSet::new();
        // serving ends only with the task
        tasks.spawn(async move { drop(axum::serve(CuttableListener::new(listener), service).await) });
        Ok(Self {
            shared,
            address,
            _tasks: tasks,
        })
    }

    /// Does something with the world, and wakes whoever waits for updates.
    fn act<T>(&self, what: impl FnOnce(&mut World, Duration) -> T) -> T {
        let done = what(&mut self.shared.world(), self.now());
        self.shared.arrivals.notify_waiters();
        done
    }

    /// What stands as `base_url` in the bot's configuration.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The bot's token.
    #[must_use]
    pub fn token(&self) -> &str {
        &self.shared.token
    }

    /// The bot's number.
    #[must_use]
    pub fn bot_id(&self) -> i64 {
        self.shared.world().settings.bot_id()
    }

    /// The server's time, from its start.
    #[must_use]
    pub fn now(&self) -> Duration {
        self.shared.now()
    }
}

/// What goes wrong.
impl TelegramDouble {
    /// Replaces the plan of faults.
    pub fn plan(&self, faults: Faults) {
        self.shared.world().plan.faults = faults;
    }

    /// The bot was killed and started anew, and cannot know which waits it was told: its first call into each is no violation.
    pub fn bot_restarted(&self) {
        self.shared.world().rates.forgive();
    }

    /// Stops answering: what comes is neither done nor refused, and what is under way stays unanswered.
    pub fn partition(&self) {
        self.shared.weather.partition(true);
    }

    /// Answers again; connections that waited are cut.
    pub fn heal(&self) {
        self.shared.weather.partition(false);
    }

    /// Answers every call with 401, or no longer.
    pub fn lock_out(&self, out: bool) {
        self.shared.weather.lock_out(out);
    }

    /// The ids of later updates are so much higher.
    pub fn jump_updates(&self, by: u32) {
        self.shared.world().queue.jump(by);
    }
}

/// The ground truth.
impl TelegramDouble {
    /// Every accepted call in order, calls for updates aside.
    #[must_use]
    pub fn accepted(&self) -> Vec<Accepted> {
        self.shared.world().truth.accepted.clone()
    }

    /// Every refused call in order, those with a wrong token or method aside.
    #[must_use]
    pub fn refused(&self) -> Vec<Refused> {
        self.shared.world().truth.refused.clone()
    }

    /// Everything that a well-behaved bot does not do, in order.
    #[must_use]
    pub fn violations(&self) -> Vec<Violation> {
        self.shared.world().truth.violations.clone()
    }

    /// What was only counted.
    #[must_use]
    pub fn counts(&self) -> Counts {
        let world = self.shared.world();
        Counts {
            redelivered: world.queue.redelivered,
            ..world.truth.counts
        }
    }

    /// How often a method was called, whatever came of it.
    #[must_use]
    pub fn calls(&self, method: &str) -> u64 {
        self.shared.world().plan.calls(method)
    }

    /// How many updates are not confirmed.
    #[must_use]
    pub fn unconfirmed(&self) -> usize {
        self.shared.world().queue.unconfirmed()
    }

    /// What a chat or topic shows now, in order, service messages among it.
    #[must_use]
    pub fn shown(&self, at: impl Into<At>) -> Vec<Shown> {
        self.shared.world().shown(at.into())
    }

    /// The texts of the bot that a chat or topic shows now.
    #[must_use]
    pub fn bot_shows(&self, at: impl Into<At>) -> Vec<String> {
        let shown = self.shown(at).into_iter().filter(|shown| shown.author.is_none());
        shown.map(|shown| shown.text).collect()
    }

    /// The drafts that a private chat shows now.
    #[must_use]
    pub fn drafts(&self, chat: i64) -> Vec<Draft> {
        self.shared.world().shown_drafts(self.now(), chat)
    }

    /// What the bot is shown to be doing now, `typing` for example.
    #[must_use]
    pub fn action(&self, at: impl Into<At>) -> Option<String> {
        self.shared.world().shown_action(self.now(), at.into())
    }

    /// The reactions that the bot has put on a message.
    #[must_use]
    pub fn reactions(&self, chat: i64, message: i64) -> Vec<Value> {
        let world = self.shared.world();
        world.reactions.get(&(chat, message)).cloned().unwrap_or_default()
    }

    /// The bytes of a file.
    #[must_use]
    pub fn file(&self, id: &str) -> Option<Vec<u8>> {
        self.shared.world().files.bytes(id)
    }
}
