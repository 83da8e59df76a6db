//! The platforms under which a bot is killed: what people do there, and how the judge sees it.

mod loopback;
mod telegram;

use anyhow::{Result, anyhow};
use tertulia_testkit::chat_double::{Kind, Summary};

use super::scene::Setting;
use loopback::Loopback;
use telegram::Telegram;

/// What a message that tells of a failure shows.
const NOTICES: &[&str] = &["⚠️"];

/// Which platform it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum On {
    /// The platform that only tests use, of a kind.
    Loopback(Kind),
    /// Telegram.
    Telegram,
}

/// A platform that outlives the bot.
pub(super) enum Platform {
    Loopback(Loopback),
    Telegram(Telegram),
}

impl Platform {
    pub(super) async fn start(setting: Setting) -> Result<Self> {
        Ok(match setting.on {
            On::Loopback(kind) => Self::Loopback(Loopback::start(kind, setting).await?),
            On::Telegram => Self::Telegram(Telegram::start(setting).await?),
        })
    }

    /// The section of its interface, and who may speak there.
    pub(super) fn config(&self, setting: Setting) -> String {
        match self {
            Self::Loopback(loopback) => loopback.config(setting),
            Self::Telegram(telegram) => telegram.config(setting),
        }
    }

    /// The secret of its interface, as a variable.
    pub(super) fn variable(&self) -> Option<(&'static str, String)> {
        match self {
            Self::Loopback(_) => None,
            Self::Telegram(telegram) => Some(telegram.variable()),
        }
    }

    /// Somebody says the nth thing.
    pub(super) fn say(&self, nth: usize, setting: Setting) {
        match self {
            Self::Loopback(loopback) => loopback.say(nth, setting),
            Self::Telegram(telegram) => telegram.say(nth, setting),
        }
    }

    /// The bot is about to start anew.
    pub(super) fn bot_restarted(&self) {
        match self {
            Self::Loopback(loopback) => loopback.server.bot_restarted(),
            Self::Telegram(telegram) => telegram.double.bot_restarted(),
        }
    }

    /// How much has happened, and whether the bot has read everything.
    pub(super) fn progress(&self) -> (usize, bool) {
        match self {
            Self::Loopback(loopback) => loopback.progress(),
            Self::Telegram(telegram) => telegram.progress(),
        }
    }

    /// What the judge says.
    pub(super) fn judge(&self) -> Result<Summary> {
        let verdict = match self {
            Self::Loopback(loopback) => loopback.verdict(),
            Self::Telegram(telegram) => telegram.verdict(),
        };
        verdict.map_err(|faults| anyhow!("{}", faults.join("\n")))
    }
}

/// The nth thing that somebody says: now and then a question for a tool, or a command.
fn words(nth: usize) -> String {
    match nth % 5 {
        1 => "time".to_owned(),
        4 => "/path".to_owned(),
        _ => format!("word {nth:04}."),
    }
}

/// What has to stand in the answer to that, exactly once.
fn answer(words: &str, path: &str) -> String {
    match words {
        "/path" => format!("This conversation's path is {path}."),
        "time" => "The tool now says:".to_owned(),
        word => format!("You said: {word}"),
    }
}
