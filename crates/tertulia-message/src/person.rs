//! Who speaks, and what they may do.

use std::fmt;

/// A person: the platform's immutable id, never a name.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PersonId {
    /// The name of the interface the person is known on, e.g. `telegram_bot`.
    pub interface: String,
    /// The platform's immutable id, e.g. `123456789` or `@me:example.org`.
    pub id: String,
}

impl PersonId {
    /// Joins interface name and platform id.
    #[must_use]
    pub fn new(interface: impl Into<String>, id: impl Into<String>) -> Self {
        Self {
            interface: interface.into(),
            id: id.into(),
        }
    }

    /// Reads the form that `Display` writes: everything before the first `/` is the interface.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (interface, id) = text.split_once('/')?;
        (!interface.is_empty() && !id.is_empty()).then(|| Self::new(interface, id))
    }
}

impl fmt::Display for PersonId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.interface, self.id)
    }
}

/// What a person may do; each level includes the ones below.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    /// Known, but may do nothing yet.
    Guest,
    /// May talk to the bot.
    User,
    /// May use tools that change things.
    Trusted,
    /// Governs the bot.
    Admin,
}

impl Level {
    /// The word used in configuration and commands.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Guest => "guest",
            Self::User => "user",
            Self::Trusted => "trusted",
            Self::Admin => "admin",
        }
    }

    /// Reads the word that [`Level::as_str`] gives.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Guest, Self::User, Self::Trusted, Self::Admin]
            .into_iter()
            .find(|level| level.as_str() == word)
    }
}
