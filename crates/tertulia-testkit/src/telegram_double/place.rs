//! Where something stands.

use std::fmt;

/// A chat, or a topic in it, by Telegram's ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct At {
    /// The chat: a person's id for a private chat, negative for everything else.
    pub chat: i64,
    /// The topic; none for General, and where there are no topics.
    pub topic: Option<i64>,
}

impl From<i64> for At {
    fn from(chat: i64) -> Self {
        Self { chat, topic: None }
    }
}

impl From<(i64, i64)> for At {
    fn from((chat, topic): (i64, i64)) -> Self {
        Self {
            chat,
            topic: Some(topic),
        }
    }
}

/// `chat[/topic]`, as in the paths of the daemon.
impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.chat)?;
        self.topic.map_or(Ok(()), |topic| write!(f, "/{topic}"))
    }
}
