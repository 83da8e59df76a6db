//! The table of commands: what `/help` shows, what menus offer, and who may use what.

use tertulia_message::Level;
use tertulia_message::command::{CommandPlace, CommandSpec};

/// Every command, in the order in which help shows them.
pub const COMMANDS: &[CommandSpec] = &[
    CommandSpec {
        name: "help",
        level: Level::User,
        arguments: "",
        help: "what you can do here",
        place: CommandPlace::Anywhere,
    },
    CommandSpec {
        name: "path",
        level: Level::User,
        arguments: "",
        help: "the address of this conversation",
        place: CommandPlace::Anywhere,
    },
    CommandSpec {
        name: "whoami",
        level: Level::User,
        arguments: "",
        help: "who you are to the bot, and what you may do",
        place: CommandPlace::Anywhere,
    },
];

/// The command of this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static CommandSpec> {
    COMMANDS.iter().find(|command| command.name == name)
}

/// The line that shows how a command is used.
#[must_use]
pub fn usage(command: &CommandSpec) -> String {
    let gap = if command.arguments.is_empty() { "" } else { " " };
    format!("/{}{gap}{} — {}", command.name, command.arguments, command.help)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_words_and_differ() {
        for (nth, command) in COMMANDS.iter().enumerate() {
            assert!(command.name.chars().all(|c| c.is_ascii_lowercase()), "{}", command.name);
            assert!(COMMANDS.iter().skip(nth + 1).all(|other| other.name != command.name));
            assert_eq!(find(command.name), Some(command));
        }
        assert_eq!(find("nothing"), None);
    }
}
