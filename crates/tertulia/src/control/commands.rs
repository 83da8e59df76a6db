//! Which commands of the table the shell offers, and how.

use tertulia_core::commands::COMMANDS;
use tertulia_message::command::CommandSpec;

/// Commands that are about the conversation in which they are given, or that the shell has a word of its own for. At the
/// console nothing is ever said, so there they would do nothing; `at <path> <command>` gives them where something is.
const ELSEWHERE: [&str; 9] = [
    "help", "start", "new", "stop", "retry", "history", "forget", "path", "claim",
];

/// What the shell offers beside the table: the name, and one line of help.
pub(crate) const SHELL_WORDS: [(&str, &str); 2] = [
    ("claim", "print a new code, with which you become the bot's first admin"),
    ("health", "ask every part of the daemon whether it is alive"),
];

/// The commands of the table that the shell offers, in its order.
pub(crate) fn of_shell() -> impl Iterator<Item = &'static CommandSpec> {
    COMMANDS.iter().filter(|command| !ELSEWHERE.contains(&command.name))
}

#[cfg(test)]
mod tests {
    use tertulia_core::commands::find;

    use super::*;

    #[test]
    fn what_is_left_out_is_in_the_table() {
        for name in ELSEWHERE {
            assert!(find(name).is_some(), "{name}");
        }
        assert!(of_shell().any(|command| command.name == "status"));
        assert!(of_shell().all(|command| SHELL_WORDS.iter().all(|(name, _)| *name != command.name)));
    }
}
