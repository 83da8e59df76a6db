//! People.

use crate::fields::Fields;
use crate::ids::Snowflake;

/// A user, or a bot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    /// Its id.
    pub id: Snowflake,
    /// The name by which it is known in a server; else the one that it shows; else its account's.
    pub name: String,
    /// True for bots, and for Discord itself.
    pub is_bot: bool,
}

impl User {
    /// Reads a user, with what the server of the event knows of it.
    pub(super) fn read(user: &Fields<'_>, member: &Fields<'_>) -> Option<Self> {
        let names = [member.word("nick"), user.word("global_name"), user.word("username")];
        Some(Self {
            id: user.id("id")?,
            name: names.into_iter().flatten().next().unwrap_or_default(),
            is_bot: user.flag("bot") || user.flag("system"),
        })
    }
}
