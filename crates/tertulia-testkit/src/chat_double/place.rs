//! Paths of the double's conversations: `interface/chat[/thread]`.

use tertulia_message::path::{InterfacePath, PathError};

use super::calls::Spot;

/// A conversation of the double.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
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

/// A path of more than three levels: the double makes none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a place of this platform")]
pub(super) struct NotAPlace;

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

impl From<&Spot> for Place {
    fn from(spot: &Spot) -> Self {
        let chat = spot.chat.clone();
        match &spot.thread {
            None => Self::Chat { chat },
            Some(thread) => Self::Thread {
                chat,
                thread: thread.clone(),
            },
        }
    }
}

impl From<&Place> for Spot {
    fn from(place: &Place) -> Self {
        match place {
            Place::Chat { chat } => Self::chat(chat),
            Place::Thread { chat, thread } => Self::thread(chat, thread),
        }
    }
}

impl Place {
    /// The path of the place; the name of the interface is configured, and so no part of it.
    pub(super) fn path(&self, interface: &str) -> Result<InterfacePath, PathError> {
        match self {
            Self::Chat { chat } => InterfacePath::build(interface, [chat]),
            Self::Thread { chat, thread } => InterfacePath::build(interface, [chat, thread]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_round_trips() {
        for spot in [Spot::chat("a"), Spot::thread("a/b", "c %"), Spot::thread("1", "2")] {
            let place = Place::from(&spot);
            let path = place.path("loopback").unwrap();
            assert_eq!(Place::try_from(&path), Ok(place.clone()));
            assert_eq!(Spot::from(&place), spot);
        }
        let path = Place::from(&Spot::thread("a/b", "c")).path("loopback").unwrap();
        assert_eq!(path.as_str(), "loopback/a%2Fb/c");
    }

    #[test]
    fn deeper_paths_are_no_places() {
        let path = InterfacePath::parse("loopback/a/b/c").unwrap();
        assert_eq!(Place::try_from(&path), Err(NotAPlace));
    }
}
