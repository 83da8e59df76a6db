//! Paths of Matrix's conversations: `interface/room[/thread]`, the thread by the event that it began with.

use tertulia_message::path::{InterfacePath, PathError};

use crate::ids;

/// A conversation on Matrix.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    room: String,
    thread: Option<String>,
}

/// What is no conversation on Matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a place of this platform")]
pub struct NotAPlace;

impl TryFrom<&InterfacePath> for Place {
    type Error = NotAPlace;

    fn try_from(path: &InterfacePath) -> Result<Self, NotAPlace> {
        if path.level(3).is_some() {
            return Err(NotAPlace);
        }
        let thread = path.level(2).map(std::borrow::Cow::into_owned);
        Self::new(path.target().into_owned(), thread)
    }
}

impl Place {
    /// A room, or a thread in it.
    ///
    /// # Errors
    /// The ids are not of a room and of an event.
    pub fn new(room: impl Into<String>, thread: Option<String>) -> Result<Self, NotAPlace> {
        let room = room.into();
        if !ids::is_room(&room) || thread.as_deref().is_some_and(|root| !ids::is_event(root)) {
            return Err(NotAPlace);
        }
        Ok(Self { room, thread })
    }

    /// The room's id.
    #[must_use]
    pub fn room(&self) -> &str {
        &self.room
    }

    /// The event that the thread began with; none for the room itself.
    #[must_use]
    pub fn thread(&self) -> Option<&str> {
        self.thread.as_deref()
    }

    /// The path of the place; the name of the interface is configured, and so no part of it.
    ///
    /// # Errors
    /// An id of another server may be blank, or so long in its escaped form that no path can hold it.
    pub fn path(&self, interface: &str) -> Result<InterfacePath, PathError> {
        InterfacePath::build(
            interface,
            [Some(&self.room), self.thread.as_ref()].into_iter().flatten(),
        )
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn path(text: &str) -> InterfacePath {
        text.parse().unwrap()
    }

    /// What a room's name may be on some other server: anything but a colon and a NUL.
    fn odd_name() -> impl Strategy<Value = String> {
        "[^:\\x00]{1,40}"
    }

    proptest! {
        #[test]
        fn any_place_round_trips(
            room in prop_oneof![odd_name().prop_map(|name| format!("!{name}:host.org:8448")), "![A-Za-z0-9_-]{43}"],
            thread in prop::option::of(prop_oneof!["\\$[A-Za-z0-9+/]{43}", "\\$[A-Za-z0-9_-]{43}",
                odd_name().prop_map(|name| format!("${name}:[::1]:8448"))]),
        ) {
            let place = Place::new(room, thread).unwrap();
            match place.path("matrix") {
                Ok(path) => prop_assert_eq!(Place::try_from(&path), Ok(place)),
                Err(error) => prop_assert_eq!(error, PathError::TooLong),
            }
        }
    }

    #[track_caller]
    fn check(room: &str, thread: Option<&str>, text: &str) {
        let place = Place::new(room, thread.map(str::to_owned)).unwrap();
        assert_eq!(place.path("matrix").unwrap().as_str(), text);
        assert_eq!(Place::try_from(&path(text)), Ok(place));
    }

    #[test]
    fn the_format_is_frozen() {
        let v1 = "!ARlQiADSfQtcdliJOI:localhost";
        check(v1, None, "matrix/!ARlQiADSfQtcdliJOI:localhost");
        check(
            v1,
            Some("$179602822910sTYQt:localhost"),
            "matrix/!ARlQiADSfQtcdliJOI:localhost/$179602822910sTYQt:localhost",
        );
        check(
            "!JeSACQXXuIaHfdFqBz:localhost",
            Some("$/lOt9U8//ws+D58OHWR32LkFlHqFURTHYFUL9GyrtyE"),
            "matrix/!JeSACQXXuIaHfdFqBz:localhost/$%2FlOt9U8%2F%2Fws+D58OHWR32LkFlHqFURTHYFUL9GyrtyE",
        );
        check(
            "!YB72YacBKatT7m7eTwA8Unbw8U3XOi07fD2eFbJpGWw",
            Some("$9H_jn7HEGP7-kaB6G5gN388hqnj8JdsxdMFiFAR-yk4"),
            "matrix/!YB72YacBKatT7m7eTwA8Unbw8U3XOi07fD2eFbJpGWw/$9H_jn7HEGP7-kaB6G5gN388hqnj8JdsxdMFiFAR-yk4",
        );
        check(
            "!fCKpQPngGgiQLSVktH:[::1]:8448",
            None,
            "matrix/!fCKpQPngGgiQLSVktH:[::1]:8448",
        );
        check("!a%2Fb/../\n é:host", None, "matrix/!a%252Fb%2F..%2F%0A%20é:host");
    }

    #[test]
    fn nothing_else_is_a_place() {
        for odd in [
            "m/x",
            "m/#alias:host",
            "m/@user:host",
            "m/$event",
            "m/!r:h/!r:h",
            "m/!r:h/$e/$f",
            "m/!",
        ] {
            assert_eq!(Place::try_from(&path(odd)), Err(NotAPlace), "{odd}");
        }
    }

    #[test]
    fn what_no_path_can_hold_is_an_error() {
        let place = Place::new(format!("!{}", "/".repeat(254)), None).unwrap();
        assert_eq!(place.path("matrix"), Err(PathError::TooLong));
    }
}
