//! Paths of the platform's conversations: `interface/chat[/thread]`.

use tertulia_message::path::{InterfacePath, PathError};

/// A conversation of the platform.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    /// A chat.
    Chat {
        /// Its id.
        chat: String,
    },
    /// A thread in a chat.
    Thread {
        /// The chat's id.
        chat: String,
        /// The thread's id.
        thread: String,
    },
}

/// A path of more than three levels: the platform has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a place of this platform")]
pub(crate) struct NotAPlace;

impl TryFrom<&InterfacePath> for Place {
    type Error = NotAPlace;

    fn try_from(path: &InterfacePath) -> Result<Self, NotAPlace> {
        let chat = path.target().into_owned();
        match (path.level(2), path.level(3)) {
            (None, _) => Ok(Self::Chat { chat }),
            (Some(thread), None) => Ok(Self::Thread {
                chat,
                thread: thread.into_owned(),
            }),
            _ => Err(NotAPlace),
        }
    }
}

impl Place {
    /// A place by the platform's own ids.
    pub(crate) fn of(chat: &str, thread: Option<&str>) -> Self {
        let chat = chat.to_owned();
        match thread.map(str::to_owned) {
            None => Self::Chat { chat },
            Some(thread) => Self::Thread { chat, thread },
        }
    }

    /// The chat's id.
    pub(crate) fn chat(&self) -> &str {
        match self {
            Self::Chat { chat } | Self::Thread { chat, .. } => chat,
        }
    }

    /// The thread's id.
    pub(crate) fn thread(&self) -> Option<&str> {
        match self {
            Self::Chat { .. } => None,
            Self::Thread { thread, .. } => Some(thread),
        }
    }

    /// The path of the place; the name of the interface is configured, and so no part of it.
    pub(crate) fn path(&self, interface: &str) -> Result<InterfacePath, PathError> {
        match self {
            Self::Chat { chat } => InterfacePath::build(interface, [chat]),
            Self::Thread { chat, thread } => InterfacePath::build(interface, [chat, thread]),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_place_round_trips(chat in "\\PC{1,20}", thread in prop::option::of("\\PC{1,20}")) {
            let place = Place::of(&chat, thread.as_deref());
            match place.path("loopback") {
                Ok(path) => prop_assert_eq!(Place::try_from(&path), Ok(place)),
                Err(error) => prop_assert_eq!(error, PathError::Blank),
            }
        }
    }

    #[test]
    fn every_place_round_trips_in_a_frozen_format() {
        let places = [
            (Place::of("a", None), "loopback/a"),
            (Place::of("a/b", Some("c %")), "loopback/a%2Fb/c%20%25"),
            (Place::of("1", Some("2")), "loopback/1/2"),
        ];
        for (place, text) in places {
            let path = place.path("loopback").unwrap();
            assert_eq!(path.as_str(), text);
            assert_eq!(Place::try_from(&path), Ok(place));
        }
    }

    #[test]
    fn deeper_paths_are_no_places() {
        let path = InterfacePath::parse("loopback/a/b/c").unwrap();
        assert_eq!(Place::try_from(&path), Err(NotAPlace));
    }
}
