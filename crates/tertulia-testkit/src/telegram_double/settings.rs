//! What sort of bot and server a double is.

use std::time::Duration;

/// The bot's entry at the server, and what the server can do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The token; its digits before the colon are the bot's id.
    pub token: String,
    /// The bot's name without `@`.
    pub username: String,
    /// True if the bot hears only what is said to it in groups.
    pub privacy: bool,
    /// True if the server knows `sendMessageDraft`.
    pub drafts: bool,
    /// True if private chats can have topics.
    pub private_topics: bool,
    /// The limits on calls; none if absent.
    pub rates: Option<RateLimits>,
    /// How many of a hundred updates come again, late and under a new update id.
    pub twice_percent: u8,
    /// For how long after a wait was told a call into it is forgiven, since it may have been under way.
    pub grace: Duration,
}

impl Default for Settings {
    /// Privacy mode, drafts, no topics in private chats, no limits, nothing twice.
    fn default() -> Self {
        Self {
            token: "7000000001:AAdouble-token_of_nobody-0123456789".to_owned(),
            username: "double_bot".to_owned(),
            privacy: true,
            drafts: true,
            private_topics: false,
            rates: None,
            twice_percent: 0,
            grace: Duration::from_millis(100),
        }
    }
}

impl Settings {
    /// The bot's number.
    #[must_use]
    pub fn bot_id(&self) -> i64 {
        let digits = self.token.split(':').next().unwrap_or_default();
        digits.parse().unwrap_or_default()
    }
}

/// How often the bot may call, edits, drafts and chat actions among it. Telegram publishes no exact figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimits {
    /// One call per chat in this time, on average.
    pub every: Duration,
    /// So many calls at once are taken after a silence.
    pub burst: u32,
    /// The most calls into one group in a minute.
    pub per_minute: usize,
    /// The shortest wait that is told, in seconds.
    pub shortest_wait: u64,
}

impl Default for RateLimits {
    /// One call per second and chat with a burst of five, twenty a minute and group.
    fn default() -> Self {
        Self {
            every: Duration::from_secs(1),
            burst: 5,
            per_minute: 20,
            shortest_wait: 1,
        }
    }
}
