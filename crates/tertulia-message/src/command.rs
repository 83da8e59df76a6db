//! What a command is: its name, who may use it, where it works, and how it is explained.

use crate::person::Level;

/// One command, as menus and help show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommandSpec {
    /// The name without the slash, `[a-z]+`.
    pub name: &'static str,
    /// Who may use it.
    pub level: Level,
    /// Its arguments, as the usage line shows them; empty if it takes none.
    pub arguments: &'static str,
    /// One line of help.
    pub help: &'static str,
    /// Where it works.
    pub place: CommandPlace,
}

/// Where a command works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandPlace {
    /// Everywhere.
    Anywhere,
    /// Only in a direct conversation.
    Direct,
}
