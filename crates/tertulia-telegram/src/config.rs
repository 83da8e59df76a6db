//! The section of `bot.toml` for an interface of `kind = "telegram"`.

use tertulia_message::Secret;

/// The address of Telegram's own server.
const OFFICIAL: &str = "https://api.telegram.org";
/// The largest file that a bot may fetch from Telegram's own server, in bytes.
const LARGEST: u64 = 20 << 20;

/// How to reach the platform, and how to behave there.
#[derive(Clone)]
pub struct Config {
    /// The bot's token, as `@BotFather` gives it.
    pub token: Secret,
    /// Where the Bot API is served: Telegram's own server, or one of the operator's. It may hold a password.
    pub base_url: String,
    /// How an answer in the making is shown.
    pub stream: Stream,
    /// Groups and topics in which the bot hears everything, not only what is said to it.
    pub always_on: Vec<AlwaysOn>,
    /// Larger files are not fetched, in bytes.
    pub largest_file: u64,
}

/// How an answer in the making is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Stream {
    /// As a draft in private chats, where the server has drafts; elsewhere as a message that is edited.
    #[default]
    Draft,
    /// As a message that is edited, everywhere.
    Edit,
    /// Not at all: only the finished answer is posted.
    Off,
}

/// A group or a topic in which the bot hears everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AlwaysOn {
    /// The chat's id.
    pub chat: i64,
    /// The topic's id; the whole chat if absent.
    pub thread: Option<i64>,
}

impl AlwaysOn {
    /// Reads `chat` or `chat/topic`, as they stand in interface paths.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (chat, thread) = match text.split_once('/') {
            None => (text, None),
            Some((chat, thread)) => (chat, Some(thread)),
        };
        let thread = match thread {
            None => None,
            Some(thread) => Some(thread.parse().ok().filter(|thread| *thread > 0)?),
        };
        let chat = chat.parse().ok().filter(|chat| *chat != 0)?;
        Some(Self { chat, thread })
    }

    /// True if it covers this place.
    #[must_use]
    pub fn covers(self, chat: i64, thread: Option<i64>) -> bool {
        self.chat == chat && (self.thread.is_none() || self.thread == thread)
    }
}

impl Config {
    /// A bot of Telegram's own server, with everything else as it is when absent.
    #[must_use]
    pub fn official(token: Secret) -> Self {
        Self {
            token,
            base_url: OFFICIAL.to_owned(),
            stream: Stream::default(),
            always_on: Vec::new(),
            largest_file: LARGEST,
        }
    }
}

impl std::fmt::Debug for Config {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Config")
            .field("stream", &self.stream)
            .field("always_on", &self.always_on)
            .field("largest_file", &self.largest_file)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_of_it_holds_no_secret() {
        let config = Config {
            base_url: "http://bot:canary@host".to_owned(),
            ..Config::official(Secret::new("1:canary".to_owned()))
        };
        let telegram = crate::Telegram::new("telegram_bot", config.clone()).unwrap();
        assert!(!format!("{config:?} {telegram:?}").contains("canary"));
    }

    #[test]
    fn places_are_read_as_they_stand_in_paths() {
        let of = |chat, thread| Some(AlwaysOn { chat, thread });
        assert_eq!(AlwaysOn::parse("-100123"), of(-100_123, None));
        assert_eq!(AlwaysOn::parse("-100123/45"), of(-100_123, Some(45)));
        for odd in ["", "x", "0", "-1/", "-1/0", "-1/x", "-1/2/3", "-1/-2"] {
            assert_eq!(AlwaysOn::parse(odd), None, "{odd}");
        }
    }

    #[test]
    fn a_whole_chat_covers_its_topics() {
        let chat = AlwaysOn { chat: -1, thread: None };
        assert!(chat.covers(-1, None) && chat.covers(-1, Some(5)) && !chat.covers(-2, None));
        let topic = AlwaysOn {
            chat: -1,
            thread: Some(5),
        };
        assert!(topic.covers(-1, Some(5)) && !topic.covers(-1, None) && !topic.covers(-1, Some(6)));
    }
}
