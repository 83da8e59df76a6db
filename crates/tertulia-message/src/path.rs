//! Interface paths: the one address of a conversation, `interface/target[/thread]`.

mod build;
mod encoding;
mod level;
mod name;
mod resolve;

use std::borrow::{Borrow, Cow};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

pub use level::PathLevel;
pub use name::InterfaceName;
pub use resolve::resolve;

/// The most characters a path may have, after encoding.
pub const MAX_CHARS: usize = 512;

/// The address of a conversation, such as `telegram_bot/-1001234567890/987`.
///
/// It holds the encoded form: `/`, `%`, white space and control characters inside a segment stand
/// as upper-case percent escapes, everything else as itself. There is one form for every address,
/// the one that [`InterfacePath::build`] writes, so equal addresses are equal strings. An id that
/// begins or ends with white space is kept, encoded; one that is blank is no id, and refused.
///
/// Only the interface that made a path may give its segments a meaning. Cloning is cheap.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InterfacePath(Arc<str>);

/// Why a text or a list of levels is not an interface path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// The first segment is not an [`InterfaceName`].
    #[error("an interface name is a lower-case letter, then lower-case letters, digits and underscores")]
    Interface,
    /// There is an interface and nothing else.
    #[error("a path needs a target after its interface")]
    NoTarget,
    /// A segment is empty or white space only.
    #[error("a segment of a path is empty or blank")]
    Blank,
    /// An absent level is followed by a present one.
    #[error("a level of a path is missing before the last one")]
    Gap,
    /// A text that `build` would have written otherwise, or could not have written at all.
    #[error("a path escapes exactly slashes, percent signs, white space and control characters, in upper-case hex")]
    Encoding,
    /// More than [`MAX_CHARS`] characters.
    #[error("a path has at most {MAX_CHARS} characters")]
    TooLong,
}

impl InterfacePath {
    /// Reads a path in its encoded form.
    ///
    /// # Errors
    /// Everything that [`InterfacePath::build`] would not have written.
    pub fn parse(text: &str) -> Result<Self, PathError> {
        let mut segments = text.split('/');
        InterfaceName::check(segments.next().unwrap_or_default())?;
        let mut targets = segments.peekable();
        if targets.peek().is_none() {
            return Err(PathError::NoTarget);
        }
        for segment in targets {
            let id = encoding::decode(segment).ok_or(PathError::Encoding)?;
            if encoding::is_blank(&id) {
                return Err(PathError::Blank);
            }
            if encoding::encode(&id) != segment {
                return Err(PathError::Encoding);
            }
        }
        Self::within_limit(text)
    }

    fn within_limit(text: &str) -> Result<Self, PathError> {
        if text.chars().count() > MAX_CHARS {
            Err(PathError::TooLong)
        } else {
            Ok(Self(text.into()))
        }
    }

    /// The path in its encoded form.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The configured name of the interface: level 0.
    #[must_use]
    pub fn interface(&self) -> &str {
        self.0.split('/').next().unwrap_or_default()
    }

    /// The id of the chat, room or channel, decoded: level 1.
    #[must_use]
    pub fn target(&self) -> Cow<'_, str> {
        self.level(1).unwrap_or_default()
    }

    /// The last level, decoded, if there are more than interface and target.
    #[must_use]
    pub fn thread(&self) -> Option<Cow<'_, str>> {
        self.levels().skip(2).last()
    }

    /// The level at this place, decoded; 0 is the interface.
    #[must_use]
    pub fn level(&self, place: usize) -> Option<Cow<'_, str>> {
        self.levels().nth(place)
    }

    /// All levels, decoded, the interface first.
    pub fn levels(&self) -> impl Iterator<Item = Cow<'_, str>> {
        self.0
            .split('/')
            .map(|segment| encoding::decode(segment).unwrap_or(Cow::Borrowed(segment)))
    }

    /// The path without its last level; none if only interface and target are there.
    #[must_use]
    pub fn parent(&self) -> Option<Self> {
        let (parent, _) = self.0.rsplit_once('/')?;
        parent.contains('/').then(|| Self(parent.into()))
    }

    /// The path of interface and target alone.
    #[must_use]
    pub fn chat(&self) -> Self {
        let mut chat = self.clone();
        while let Some(parent) = chat.parent() {
            chat = parent;
        }
        chat
    }
}

impl FromStr for InterfacePath {
    type Err = PathError;

    fn from_str(text: &str) -> Result<Self, PathError> {
        Self::parse(text)
    }
}

impl TryFrom<&str> for InterfacePath {
    type Error = PathError;

    fn try_from(text: &str) -> Result<Self, PathError> {
        Self::parse(text)
    }
}

impl AsRef<str> for InterfacePath {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

impl Borrow<str> for InterfacePath {
    fn borrow(&self) -> &str {
        self.as_str()
    }
}

impl fmt::Display for InterfacePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for InterfacePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

#[cfg(test)]
mod tests;
