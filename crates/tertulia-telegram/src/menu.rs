//! The menus of commands that Telegram shows. They decide nothing, so nothing waits for them.

use serde_json::Value;
use teloxide::payloads::{DeleteMyCommands, GetMyCommands, SetMyCommands};
use teloxide::types::{BotCommand, BotCommandScope, ChatId, Recipient};
use tertulia_interface::Inlet;
use tertulia_message::Level;
use tertulia_message::command::{CommandPlace, CommandSpec};

use crate::error::CallError;
use crate::telegram::Telegram;
use crate::wire::MenuEntry;

/// Telegram's bounds: characters of a name and of a description, and commands of a menu.
const LONGEST_NAME: usize = 32;
const LONGEST_DESCRIPTION: usize = 256;
const MOST: usize = 100;

/// Puts up the menus for everybody. What stands there already is not sent again.
pub(crate) async fn publish(telegram: &Telegram, inlet: &Inlet) {
    let is_for_everybody = |spec: &&CommandSpec| spec.level <= Level::User;
    let private = menu(inlet.commands().iter().filter(is_for_everybody));
    let groups = inlet.commands().iter().filter(is_for_everybody);
    let groups = menu(groups.filter(|spec| spec.place == CommandPlace::Anywhere));
    put(telegram, BotCommandScope::AllPrivateChats, private).await;
    put(telegram, BotCommandScope::AllGroupChats, groups).await;
}

/// Gives a private chat all commands, or the menu of everybody.
pub(crate) async fn of_chat(telegram: &Telegram, inlet: &Inlet, chat: i64, is_admin: bool) {
    let scope = BotCommandScope::Chat {
        chat_id: Recipient::Id(ChatId(chat)),
    };
    if is_admin {
        put(telegram, scope, menu(inlet.commands().iter())).await;
        return;
    }
    let delete = DeleteMyCommands {
        scope: Some(scope),
        language_code: None,
    };
    let deleted: Result<Value, CallError> = telegram.api.call(&delete).await;
    if let Err(error) = deleted {
        tracing::debug!(chat, %error, "a menu was not taken away");
    }
}

async fn put(telegram: &Telegram, scope: BotCommandScope, menu: Vec<MenuEntry>) {
    let get = GetMyCommands {
        scope: Some(scope.clone()),
        language_code: None,
    };
    let there: Result<Vec<MenuEntry>, CallError> = telegram.api.call(&get).await;
    if there.is_ok_and(|there| there == menu) {
        return;
    }
    let commands = menu.into_iter();
    let set = SetMyCommands {
        commands: commands
            .map(|entry| BotCommand::new(entry.command, entry.description))
            .collect(),
        scope: Some(scope),
        language_code: None,
    };
    let put: Result<Value, CallError> = telegram.api.call(&set).await;
    if let Err(error) = put {
        tracing::warn!(interface = telegram.name, %error, "the menu of commands was not put up");
    }
}

fn menu<'a>(specs: impl Iterator<Item = &'a CommandSpec>) -> Vec<MenuEntry> {
    specs.filter_map(entry).take(MOST).collect()
}

fn entry(spec: &CommandSpec) -> Option<MenuEntry> {
    let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let (name, help) = (spec.name, spec.help.trim());
    if name.is_empty() || name.len() > LONGEST_NAME || !name.chars().all(is_name) {
        return None;
    }
    let description = if help.is_empty() { name } else { help };
    Some(MenuEntry {
        command: name.to_owned(),
        description: description.chars().take(LONGEST_DESCRIPTION).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(name: &'static str, help: &'static str) -> CommandSpec {
        CommandSpec {
            name,
            level: Level::User,
            arguments: "",
            help,
            place: CommandPlace::Anywhere,
        }
    }

    #[test]
    fn entries_are_what_telegram_takes() {
        let long: &'static str = "ä".repeat(300).leak();
        let specs = [
            spec("help", "what you can do"),
            spec("new", long),
            spec("bare", " "),
            spec("Odd", "x"),
            spec("", "x"),
        ];
        let menu = menu(specs.iter());
        let names: Vec<&str> = menu.iter().map(|entry| entry.command.as_str()).collect();
        assert_eq!(names, ["help", "new", "bare"]);
        let lengths: Vec<usize> = menu.iter().map(|entry| entry.description.chars().count()).collect();
        assert_eq!(lengths, [15, 256, 4]);
    }
}
