//! A strict double of Discord's REST API and gateway on loopback: it lives in the test and survives the bot that is killed.
//!
//! People act through methods, the bot through HTTP and a WebSocket. What the real server refuses is refused, in its words and
//! with its codes; what it takes although a well-behaved bot does not do it is a violation ([`DiscordDouble::violations`]).
//! Every accepted call is kept ([`DiscordDouble::accepted`]): that is the ground truth of a test.
//!
//! ```no_run
//! # async fn example() -> std::io::Result<()> {
//! use tertulia_testkit::discord_double::{DiscordDouble, Fault, Faults, Order, Said, Settings};
//!
//! let discord = DiscordDouble::start(Settings::default()).await?;
//! let guild = discord.guild("Friends");
//! let (ann, channel) = (discord.person("Ann"), discord.channel(guild, "general"));
//! let question = discord.say(ann, channel, &format!("<@{}> hello", discord.bot_id()));
//! discord.send(ann, discord.conversation(ann), Said::text("look").file("a.txt", "text/plain", b"a".to_vec()));
//! discord.plan(Faults::none().next("create_message", Fault::CutAfter));
//! discord.order(&Order::Reconnect);
//! // point a bot at discord.base_url() and discord.gateway_url() with discord.token(), then:
//! assert_eq!(discord.bot_shows(channel), ["Hello."]);
//! assert!(discord.violations().is_empty());
//! # Ok(())
//! # }
//! ```
//!
//! # What is enforced
//!
//! The rules are those of `../shared/facts/discord.md`, by its headings.
//!
//! - *Messages*: 2000 characters (50035), nothing empty (50006), a nonce of at most 25 characters; with `enforce_nonce` a known
//!   one gives the first message. Ten embeds with their limits, ten files of 10 MiB, 25 MiB in all (40005), five rows of five
//!   buttons. Replies need a message that is there, unless `fail_if_not_exists` is false, and the history permission (160002).
//! - *`allowed_mentions`*: the defaults of messages and of interactions, on every edit too. A ping is a violation unless
//!   [`Settings::pings_are_meant`].
//! - *Threads*: ids as messages have them, one per message (160004), names and times, `SEND_MESSAGES_IN_THREADS`, a post opens
//!   an archived thread, not a locked one (160005), edits and reactions do not (50083); private threads are seen by the added
//!   only; forums take posts through threads only (50008, 50024); the message of type 18, the starter of type 21.
//! - *Intents*: privileged ones that the application lacks (4014), unknown bits (4013), empty contents without
//!   `MESSAGE_CONTENT` except own, private and mentioning messages.
//! - *Gateway*: version and encoding (4012), payloads (4001, 4002), order (4003, 4005), token (4004), shards (4010, 4011),
//!   heartbeats (4009), 120 payloads a minute (4008), RESUME with replay, its bound, 4007 and op 9; 1000 and 1001 end the
//!   session; sessions of a day and `max_concurrency`. Every close code, op 1, 7 and 9, a frozen or dropped connection, and
//!   missing ACKs come by [`Order`].
//! - *Rate limits*: buckets by kind and channel, the global limit, all headers, waits that are not kept, 429 with each scope,
//!   slow mode (20016), late edits (30046), and the count of invalid requests up to the ban.
//! - *Interactions*: three seconds (10062), one first answer (40060), 15 minutes (50027), nothing before the first answer
//!   (10015), and a webhook that answered 404 is not used again.
//! - Permissions (50001, 50013), closed conversations (50007), things that are gone (10003, 10008), the `User-Agent`,
//!   attachments at signed addresses that expire, commands by their rules.

mod door;
mod faults;
mod files;
mod gateway;
mod guild_json;
mod hub;
mod interactions;
mod mentions;
mod message;
mod methods;
mod people;
mod place;
mod rates;
mod refusal;
mod request;
mod route;
mod said;
mod settings;
mod shown;
mod truth;
mod verdict;
mod world;

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio::time::Instant;

pub use faults::{Call, Fault, Faults};
pub use hub::{Order, SessionInfo};
pub use interactions::InteractionState;
pub use place::Permission;
pub use refusal::Scope;
pub use said::Said;
pub use settings::{Privileged, RateLimits, Settings};
pub use shown::Shown;
pub use truth::{Accepted, Counts, Refused};
pub use verdict::Claims;

use crate::chat_double::Violation;
use crate::loopback_server::{CuttableListener, Weather, Wire};
use world::World;

/// The double. It ends when it is dropped. See the module's description.
pub struct DiscordDouble {
    shared: Arc<Shared>,
    address: SocketAddr,
    gateway: SocketAddr,
    _tasks: JoinSet<()>,
}

/// What handlers and test share.
struct Shared {
    world: Mutex<World>,
    /// Whoever waits for events is woken.
    arrivals: Notify,
    weather: Weather,
    since: Instant,
}

impl Shared {
    /// The world, with its clock put right.
    fn world(&self) -> MutexGuard<'_, World> {
        let mut world = self.world.lock().unwrap_or_else(PoisonError::into_inner);
        world.at = self.since.elapsed();
        world
    }
}

impl DiscordDouble {
    /// Listens on two free ports of 127.0.0.1, one for calls and one for the gateway.
    ///
    /// # Errors
    /// There are no such ports.
    pub async fn start(settings: Settings) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let sockets = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let (address, gateway) = (listener.local_addr()?, sockets.local_addr()?);
        let (base, url) = (format!("http://{address}"), format!("ws://{gateway}"));
        let shared = Arc::new(Shared {
            world: Mutex::new(World::new(settings, time_of_day(), base, url)),
            arrivals: Notify::new(),
            weather: Weather::default(),
            since: Instant::now(),
        });
        let service = door::router(Arc::clone(&shared)).into_make_service_with_connect_info::<Wire>();
        let mut tasks = JoinSet::new();
        // serving ends only with the task
        tasks.spawn(async move { drop(axum::serve(CuttableListener::new(listener), service).await) });
        tasks.spawn(gateway::serve(Arc::clone(&shared), sockets));
        Ok(Self {
            shared,
            address,
            gateway,
            _tasks: tasks,
        })
    }

    /// Does something with the world, and wakes whoever waits for events.
    fn act<T>(&self, what: impl FnOnce(&mut World) -> T) -> T {
        let done = what(&mut self.shared.world());
        self.shared.arrivals.notify_waiters();
        done
    }

    /// What stands as `base_url` in the bot's configuration; `/api/v10` comes behind it.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What stands as `gateway_url` in the bot's configuration.
    #[must_use]
    pub fn gateway_url(&self) -> String {
        format!("ws://{}", self.gateway)
    }

    /// The bot's token.
    #[must_use]
    pub fn token(&self) -> String {
        self.shared.world().settings.token.clone()
    }

    /// The number of the bot, and of its application.
    #[must_use]
    pub fn bot_id(&self) -> u64 {
        self.shared.world().bot()
    }

    /// The server's time, from its start.
    #[must_use]
    pub fn now(&self) -> Duration {
        self.shared.world().at
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "numbers carry the time of day, which the bot compares with its own clock"
)]
fn time_of_day() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or_default()
}

/// What goes wrong with calls.
impl DiscordDouble {
    /// Replaces the plan of faults.
    pub fn plan(&self, faults: Faults) {
        self.act(|world| world.plan.faults = faults);
    }

    /// The bot was killed and started anew, and cannot know which waits it was told: its first call into each is no violation.
    pub fn bot_restarted(&self) {
        self.act(|world| {
            let at = world.at;
            world.rates.forgive(at);
        });
    }

    /// Stops answering on both ports: what comes is neither done nor refused, and what is under way stays unanswered.
    pub fn partition(&self) {
        self.shared.weather.partition(true);
    }

    /// Answers again; connections that waited are cut.
    pub fn heal(&self) {
        self.shared.weather.partition(false);
    }

    /// The token is no longer good, or is again: 401, and 4004 for new sessions.
    pub fn lock_out(&self, out: bool) {
        self.act(|world| world.hub.is_locked_out = out);
    }

    /// The tokens of all interactions until now are no longer good.
    pub fn expire_interactions(&self) {
        self.act(|world| {
            world
                .interactions
                .values_mut()
                .for_each(|interaction| interaction.is_expired = true);
        });
    }

    /// The addresses of attachments that were given out until now are dead; reading a message gives new ones.
    pub fn expire_attachments(&self) {
        self.act(|world| world.files.expire());
    }
}

/// What goes wrong with the gateway.
impl DiscordDouble {
    /// Does this at once, at every open connection.
    pub fn order(&self, order: &Order) {
        self.act(|world| {
            for line in world.hub.lines.values() {
                // one that has too many orders is not listening any more
                drop(line.try_send(order.clone()));
            }
        });
    }

    /// Does this at the next new connection, after HELLO.
    pub fn at_connect(&self, order: Order) {
        self.act(|world| world.hub.at_connect.push_back(order));
    }

    /// Does this instead of answering the next IDENTIFY.
    pub fn at_identify(&self, order: Order) {
        self.act(|world| world.hub.at_identify.push_back(order));
    }

    /// Does this instead of answering the next RESUME.
    pub fn at_resume(&self, order: Order) {
        self.act(|world| world.hub.at_resume.push_back(order));
    }

    /// Leaves heartbeats without an answer, or answers them again.
    pub fn ignore_heartbeats(&self, ignored: bool) {
        self.act(|world| world.hub.ignores_heartbeats = ignored);
    }

    /// Keeps events back, or hands out what was kept back.
    pub fn hold_events(&self, held: bool) {
        self.act(|world| world.hub.is_held = held);
    }

    /// No session can be resumed any more; connections are closed.
    pub fn forget_sessions(&self) {
        self.act(|world| world.hub.forget());
    }

    /// So many new sessions are left for today.
    pub fn set_session_starts(&self, left: u64) {
        self.act(|world| world.hub.starts_left = left);
    }

    /// The sessions that can be resumed, or are connected.
    #[must_use]
    pub fn sessions(&self) -> Vec<SessionInfo> {
        self.shared.world().hub.sessions()
    }

    /// True if a session is connected.
    #[must_use]
    pub fn is_connected(&self) -> bool {
        self.sessions().iter().any(|session| session.is_connected)
    }
}

/// The ground truth.
impl DiscordDouble {
    /// Every accepted call in order, those that only read and typing aside.
    #[must_use]
    pub fn accepted(&self) -> Vec<Accepted> {
        self.shared.world().truth.accepted.clone()
    }

    /// Every refused call in order, unknown paths aside.
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
        self.shared.world().truth.counts
    }

    /// How often a call of this name came, whatever came of it.
    #[must_use]
    pub fn calls(&self, name: &str) -> u64 {
        self.shared.world().plan.calls(name)
    }

    /// What a channel or thread shows now, in order.
    #[must_use]
    pub fn shown(&self, channel: u64) -> Vec<Shown> {
        self.shared.world().shown(channel)
    }

    /// The texts of the bot that a channel or thread shows now.
    #[must_use]
    pub fn bot_shows(&self, channel: u64) -> Vec<String> {
        let shown = self.shown(channel).into_iter().filter(|shown| shown.author.is_none());
        shown
            .filter(|shown| !shown.is_loading)
            .map(|shown| shown.text)
            .collect()
    }

    /// True if the bot is shown to be typing.
    #[must_use]
    pub fn is_typing(&self, channel: u64) -> bool {
        self.shared.world().is_typing(channel)
    }

    /// The reactions that the bot has put on a message.
    #[must_use]
    pub fn reactions(&self, message: u64) -> Vec<String> {
        let world = self.shared.world();
        let reactions = world.messages.get(&message).map(|message| message.reactions.clone());
        let mine = reactions
            .unwrap_or_default()
            .into_iter()
            .filter(|(_, person)| *person == world.bot());
        mine.map(|(emoji, _)| emoji).collect()
    }

    /// The bytes of the files of a message.
    #[must_use]
    pub fn files(&self, message: u64) -> Vec<Vec<u8>> {
        let world = self.shared.world();
        let ids = world.messages.get(&message).map(|message| message.files.clone());
        let bytes = ids
            .unwrap_or_default()
            .into_iter()
            .filter_map(|id| world.files.bytes(id).map(<[u8]>::to_vec));
        bytes.collect()
    }

    /// True if a thread is archived.
    #[must_use]
    pub fn is_archived(&self, thread: u64) -> bool {
        let world = self.shared.world();
        let thread = world.channels.get(&thread).and_then(|channel| channel.thread.as_ref());
        thread.is_some_and(|thread| thread.is_archived)
    }

    /// The threads of a channel.
    #[must_use]
    pub fn threads(&self, channel: u64) -> Vec<u64> {
        let world = self.shared.world();
        let threads = world
            .channels
            .values()
            .filter(|thread| thread.is_thread() && thread.parent == Some(channel));
        threads.map(|thread| thread.id).collect()
    }

    /// The commands that are registered, for everywhere or a guild.
    #[must_use]
    pub fn commands(&self, guild: Option<u64>) -> Vec<Value> {
        self.shared.world().registered(guild)
    }

    /// Uses of commands and buttons whose time is over without a first answer.
    #[must_use]
    pub fn unanswered(&self) -> Vec<u64> {
        let world = self.shared.world();
        let (at, deadline) = (world.at, world.settings.interaction_deadline);
        let over = world
            .interactions
            .values()
            .filter(|one| at.saturating_sub(one.since) > deadline);
        over.filter(|one| one.callback.is_none()).map(|one| one.id).collect()
    }

    /// What became of the use of a command or button.
    #[must_use]
    pub fn interaction(&self, id: u64) -> Option<InteractionState> {
        self.shared.world().interaction_state(id)
    }
}
