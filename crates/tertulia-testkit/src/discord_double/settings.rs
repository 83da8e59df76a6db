//! What sort of application and server a double is.

use std::time::Duration;

/// The application's entry at the server, and how the server behaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The token; three parts with dots between.
    pub token: String,
    /// The bot's name.
    pub username: String,
    /// The number of the bot and of its application.
    pub bot_id: u64,
    /// Which privileged intents are switched on in the application's entry.
    pub privileged: Privileged,
    /// How often the bot has to send a heartbeat.
    pub heartbeat: Duration,
    /// How much later than that a heartbeat may come before the session is ended with 4009.
    pub heartbeat_grace: Duration,
    /// True if events are compressed for whoever asks for it in IDENTIFY.
    pub compress: bool,
    /// How many new sessions are allowed in a day.
    pub session_starts: u64,
    /// How many of them are left.
    pub session_starts_left: u64,
    /// How many new sessions may begin in one `identify_window`.
    pub max_concurrency: u64,
    /// See `max_concurrency`.
    pub identify_window: Duration,
    /// How many events are kept for a session that is not connected.
    pub replay: usize,
    /// For how long a session that is not connected can be resumed.
    pub resumable: Duration,
    /// The limits on calls; none, and no headers about them, if absent.
    pub rates: Option<RateLimits>,
    /// For how long after a wait was told a call into it is forgiven, since it may have been under way.
    pub grace: Duration,
    /// For how long a nonce is remembered.
    pub nonce_memory: Duration,
    /// How long an interaction waits for its first answer.
    pub interaction_deadline: Duration,
    /// How long an interaction's token is good.
    pub interaction_life: Duration,
    /// The largest file, in bytes.
    pub largest_file: usize,
    /// The largest request, in bytes.
    pub largest_request: usize,
    /// For how long the address of an attachment is good.
    pub attachment_life: Duration,
    /// A message of this age is an old one, of which edits are counted.
    pub old_after: Duration,
    /// How often an old message can be edited.
    pub old_edits: u32,
    /// How many of a hundred new messages are told twice.
    pub twice_percent: u8,
    /// True if the bot may ping people, roles and everyone.
    pub pings_are_meant: bool,
}

impl Default for Settings {
    /// All privileged intents, heartbeats every 41.25 s, no limits on calls, nothing twice; everything else as documented.
    fn default() -> Self {
        Self {
            token: "NzAwMDAwMDAwMDAwMDAwMDAx.Gdoubl.double-token_of_nobody-0123456789abcdef".to_owned(),
            username: "double_bot".to_owned(),
            bot_id: 700_000_000_000_000_001,
            privileged: Privileged::all(),
            heartbeat: Duration::from_millis(41_250),
            heartbeat_grace: Duration::from_secs(20),
            compress: false,
            session_starts: 1000,
            session_starts_left: 1000,
            max_concurrency: 1,
            identify_window: Duration::from_secs(5),
            replay: 1000,
            resumable: Duration::from_mins(3),
            rates: None,
            grace: Duration::from_millis(100),
            nonce_memory: Duration::from_mins(3),
            interaction_deadline: Duration::from_secs(3),
            interaction_life: Duration::from_mins(15),
            largest_file: 10 << 20,
            largest_request: 25 << 20,
            attachment_life: Duration::from_hours(24),
            old_after: Duration::from_hours(1),
            old_edits: 3,
            twice_percent: 0,
            pings_are_meant: false,
        }
    }
}

/// Privileged intents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Privileged {
    /// What messages say that are not for the bot.
    pub content: bool,
    /// Who is in a guild.
    pub members: bool,
    /// Who is online.
    pub presences: bool,
}

impl Privileged {
    /// Every one of them.
    #[must_use]
    pub const fn all() -> Self {
        Self {
            content: true,
            members: true,
            presences: true,
        }
    }

    /// None of them.
    #[must_use]
    pub const fn none() -> Self {
        Self {
            content: false,
            members: false,
            presences: false,
        }
    }
}

/// How often the bot may call. Discord publishes the global figure only; the others are what servers were seen to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimits {
    /// The most calls of one kind into one channel in `per`.
    pub limit: u32,
    /// See `limit`.
    pub per: Duration,
    /// The most calls of all kinds in a second, interactions aside.
    pub global: u32,
}

impl Default for RateLimits {
    /// Five calls in five seconds of each kind and channel, fifty in a second.
    fn default() -> Self {
        Self {
            limit: 5,
            per: Duration::from_secs(5),
            global: 50,
        }
    }
}
