//! Paths of Discord's conversations: `interface/channel`, and `interface/parent/thread`; the posts of a forum are threads.

use tertulia_message::path::{InterfacePath, PathError};

use crate::ids::Snowflake;

/// A conversation on Discord.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// The channel, or the direct conversation; of a thread the channel that it belongs to.
    pub channel: Snowflake,
    /// The thread's id; none for the channel itself.
    pub thread: Option<Snowflake>,
}

/// What is no conversation on Discord.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a place of this platform")]
pub struct NotAPlace;

impl TryFrom<&InterfacePath> for Place {
    type Error = NotAPlace;

    fn try_from(path: &InterfacePath) -> Result<Self, NotAPlace> {
        let id = |level: usize| path.level(level).map(|id| id.parse::<Snowflake>());
        match (id(1), id(2), id(3)) {
            (Some(Ok(channel)), None, None) => Ok(Self { channel, thread: None }),
            (Some(Ok(channel)), Some(Ok(thread)), None) => Ok(Self {
                channel,
                thread: Some(thread),
            }),
            _ => Err(NotAPlace),
        }
    }
}

impl Place {
    /// A channel, or a direct conversation.
    #[must_use]
    pub fn channel(channel: Snowflake) -> Self {
        Self { channel, thread: None }
    }

    /// A thread of a channel.
    #[must_use]
    pub fn thread(parent: Snowflake, thread: Snowflake) -> Self {
        Self {
            channel: parent,
            thread: Some(thread),
        }
    }

    /// The channel in Discord's terms, in which messages of the place stand: a thread is one.
    #[must_use]
    pub fn target(self) -> Snowflake {
        self.thread.unwrap_or(self.channel)
    }

    /// True for the place itself and for the threads of a channel.
    #[must_use]
    pub fn covers(self, place: Self) -> bool {
        self.channel == place.channel && (self.thread.is_none() || self.thread == place.thread)
    }

    /// The path of the place; the name of the interface is configured, and so no part of it.
    ///
    /// # Errors
    /// The name of the interface is none.
    pub fn path(self, interface: &str) -> Result<InterfacePath, PathError> {
        let ids = [Some(self.channel), self.thread];
        InterfacePath::build(interface, ids.into_iter().flatten().map(|id| id.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn path(text: &str) -> InterfacePath {
        text.parse().unwrap()
    }

    fn id(number: u64) -> Snowflake {
        Snowflake::new(number).unwrap()
    }

    proptest! {
        #[test]
        fn any_place_round_trips(channel in 1..=u64::MAX, thread in prop::option::of(1..=u64::MAX)) {
            let place = Place { channel: id(channel), thread: thread.map(id) };
            let path = place.path("discord_bot").unwrap();
            prop_assert_eq!(Place::try_from(&path), Ok(place));
        }
    }

    #[test]
    fn the_format_is_frozen() {
        for (place, text) in [
            (Place::channel(id(987_654_321)), "discord_bot/987654321"),
            (
                Place::thread(id(987_654_321), id(1_123_456_789_012_345_678)),
                "discord_bot/987654321/1123456789012345678",
            ),
        ] {
            assert_eq!(place.path("discord_bot").unwrap().as_str(), text);
            assert_eq!(Place::try_from(&path(text)), Ok(place));
        }
    }

    #[test]
    fn nothing_else_is_a_place() {
        for odd in [
            "d/x", "d/0", "d/-1", "d/1/x", "d/1/0", "d/1/2/3", "d/01", "d/1/02", "d/@me",
        ] {
            assert_eq!(Place::try_from(&path(odd)), Err(NotAPlace), "{odd}");
        }
    }

    #[test]
    fn a_channel_covers_its_threads() {
        let (channel, thread) = (Place::channel(id(1)), Place::thread(id(1), id(2)));
        assert_eq!((channel.target(), thread.target()), (id(1), id(2)));
        assert!(channel.covers(channel) && channel.covers(thread) && thread.covers(thread));
        assert!(!thread.covers(channel) && !channel.covers(Place::channel(id(2))));
    }
}
