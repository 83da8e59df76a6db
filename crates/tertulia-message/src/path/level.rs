//! What a level of a path is built from.

use std::borrow::Cow;

/// One level after the interface: an id as text or number, or nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathLevel {
    /// An id as the platform writes it, not encoded.
    Text(String),
    /// A numeric id, rendered in decimal.
    Number(i64),
    /// No level here; allowed only at the end.
    Absent,
}

impl PathLevel {
    /// The id as text, if the level is there.
    pub(super) fn into_id(self) -> Option<String> {
        match self {
            Self::Text(id) => Some(id),
            Self::Number(id) => Some(id.to_string()),
            Self::Absent => None,
        }
    }
}

impl From<&str> for PathLevel {
    fn from(id: &str) -> Self {
        Self::Text(id.to_owned())
    }
}

impl From<String> for PathLevel {
    fn from(id: String) -> Self {
        Self::Text(id)
    }
}

impl From<&String> for PathLevel {
    fn from(id: &String) -> Self {
        Self::Text(id.clone())
    }
}

impl From<Cow<'_, str>> for PathLevel {
    fn from(id: Cow<'_, str>) -> Self {
        Self::Text(id.into_owned())
    }
}

impl From<i64> for PathLevel {
    fn from(id: i64) -> Self {
        Self::Number(id)
    }
}

impl From<i32> for PathLevel {
    fn from(id: i32) -> Self {
        Self::Number(id.into())
    }
}

impl From<u64> for PathLevel {
    fn from(id: u64) -> Self {
        Self::Text(id.to_string())
    }
}

impl<L: Into<PathLevel>> From<Option<L>> for PathLevel {
    fn from(level: Option<L>) -> Self {
        level.map_or(Self::Absent, Into::into)
    }
}
