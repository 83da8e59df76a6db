//! The table of commands: what `/help` shows, what menus offer, and who may use what.

use tertulia_message::Level::{Admin, Guest, User};
use tertulia_message::command::CommandPlace::{Anywhere, Direct};
use tertulia_message::command::CommandSpec;

/// Hands the table to a macro: `name(level, place, arguments, help)`, in the order in which help shows them. From it the
/// engine knows which files do the commands.
#[macro_export]
macro_rules! every_command {
    ($use:ident) => {
        $use! {
            help(User, Anywhere, "[command]", "what you can do here");
            start(User, Anywhere, "", "say hello");
            new(User, Anywhere, "", "begin anew: what was said so far is no longer told to the model");
            stop(User, Anywhere, "", "stop the answer that is being written, and drop what waits");
            retry(User, Anywhere, "", "answer the last message again");
            history(User, Anywhere, "[lines]", "what was said here");
            export(User, Anywhere, "", "this conversation as a file");
            forget(User, Anywhere, "[chat] [yes]", "delete what was said here, for good");
            status(User, Anywhere, "", "what holds here, and where it comes from");
            whoami(User, Anywhere, "", "who you are to the bot, and what you may do");
            path(User, Anywhere, "", "the address of this conversation");
            persona(User, Anywhere, "[--thread|--chat|--interface|--all] [name|default]", "who the bot is here");
            provider(User, Anywhere, "[--thread|--chat|--interface|--all] [name|default]", "which provider answers here");
            model(User, Anywhere, "[--thread|--chat|--interface|--all] [name|default]", "which model answers here");
            system(User, Anywhere, "[--thread|--chat|--interface|--all] [text|default]", "what conversations here begin with");
            tools(User, Anywhere, "[--thread|--chat|--interface|--all] [all|none|names|default]", "which tools the model may use here");
            claim(Guest, Direct, "<code>", "become the first admin, with the code that the start has printed");
            allow(Admin, Anywhere, "list | person <interface/id> | chat|thread [path|here] [level|default] [for <time>]", "let somebody, or everybody in a chat, speak to the bot; times are 30m, 12h, 7d");
            deny(Admin, Anywhere, "person <interface/id> | chat|thread [path|here] [for <time>]", "shut somebody, or a chat, out; times are 30m, 12h, 7d");
            chats(Admin, Direct, "[lines]", "the conversations, the latest first");
            say(Admin, Anywhere, "<path> <text>", "say something in another conversation");
            at(Admin, Direct, "<path> <command>", "give a command about another conversation");
            usage(Admin, Direct, "[days]", "what the models have cost");
            deadletters(Admin, Direct, "[retry|drop <id|all>]", "messages that could not be delivered");
            reload(Admin, Anywhere, "", "read the configuration again");
        }
    };
}

macro_rules! table {
    ($($name:ident($level:expr, $place:expr, $arguments:literal, $help:literal);)*) => {
        &[$(CommandSpec {
            name: stringify!($name),
            level: $level,
            arguments: $arguments,
            help: $help,
            place: $place,
        },)*]
    };
}

/// Every command, in the order in which help shows them.
pub const COMMANDS: &[CommandSpec] = every_command!(table);

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
