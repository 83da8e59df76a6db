//! Writes paths from the ids of a platform, and from the two columns of older tables.

use super::{InterfaceName, InterfacePath, PathError, PathLevel, encoding};

impl InterfacePath {
    /// Writes the path of an interface and its levels; absent levels at the end are left out.
    ///
    /// # Errors
    /// A malformed interface name, no level at all, an empty or blank level, an absent level before
    /// a present one, or more than [`super::MAX_CHARS`] characters.
    pub fn build<L: Into<PathLevel>>(interface: &str, levels: impl IntoIterator<Item = L>) -> Result<Self, PathError> {
        InterfaceName::check(interface)?;
        let mut path = interface.to_owned();
        let mut absent = false;
        for level in levels {
            match level.into().into_id() {
                None => absent = true,
                Some(_) if absent => return Err(PathError::Gap),
                Some(id) if encoding::is_blank(&id) => return Err(PathError::Blank),
                Some(id) => {
                    path.push('/');
                    path.push_str(&encoding::encode(&id));
                }
            }
        }
        if path.len() == interface.len() {
            return Err(PathError::NoTarget);
        }
        Self::within_limit(&path)
    }

    /// Writes the path of a conversation that was stored as a pair of columns.
    ///
    /// A thread of `""`, `None`, `none` or `null` is absent, and so is `0` where the name of the
    /// interface begins with `telegram`; an empty chat is absent too.
    ///
    /// # Errors
    /// As [`InterfacePath::build`]; a thread without a chat is a [`PathError::Gap`].
    pub fn from_legacy(interface: &str, chat_id: Option<&str>, thread_id: Option<&str>) -> Result<Self, PathError> {
        let chat = chat_id.filter(|chat| !chat.is_empty());
        let thread = thread_id.filter(|thread| match *thread {
            "" | "None" | "none" | "null" => false,
            "0" => !interface.starts_with("telegram"),
            _ => true,
        });
        Self::build(interface, [chat, thread])
    }
}
