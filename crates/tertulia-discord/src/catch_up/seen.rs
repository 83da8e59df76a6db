//! How far a conversation was read, as a mark.

use tertulia_message::Mark;

use crate::ids::Snowflake;

/// How the keys of these marks begin.
pub const PREFIX: &str = "channel/";
/// Stands in place of a thread's channel.
const DIRECT: &str = "direct";

/// How far a conversation was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen {
    /// The channel or the thread.
    pub channel: Snowflake,
    /// The newest message that was handled.
    pub last: Snowflake,
    /// Of a thread its channel.
    pub parent: Option<Snowflake>,
    /// True for a direct conversation, which Discord does not list.
    pub is_direct: bool,
}

impl Seen {
    /// The mark that says so.
    #[must_use]
    pub fn mark(&self) -> Mark {
        let value = match self.parent {
            _ if self.is_direct => format!("{} {DIRECT}", self.last),
            Some(parent) => format!("{} {parent}", self.last),
            None => self.last.to_string(),
        };
        Mark {
            key: format!("{PREFIX}{}", self.channel),
            value: Some(value.into_bytes()),
        }
    }

    /// The mark that removes it, for what is gone.
    #[must_use]
    pub fn removed(channel: Snowflake) -> Mark {
        Mark {
            key: format!("{PREFIX}{channel}"),
            value: None,
        }
    }

    /// Reads a mark; none if it is another.
    #[must_use]
    pub fn read(mark: &Mark) -> Option<Self> {
        let channel = mark.key.strip_prefix(PREFIX)?.parse().ok()?;
        let value = std::str::from_utf8(mark.value.as_deref()?).ok()?;
        let (last, kind) = value.split_once(' ').unwrap_or((value, ""));
        Some(Self {
            channel,
            last: last.parse().ok()?,
            parent: kind.parse().ok(),
            is_direct: kind == DIRECT,
        })
    }

    /// A message was handled; true if the mark moves.
    pub fn handled(&mut self, message: Snowflake) -> bool {
        let moves = message > self.last;
        self.last = self.last.max(message);
        moves
    }
}
