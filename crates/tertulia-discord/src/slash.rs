//! The daemon's commands as Discord's slash commands, and what has to be changed of what is registered.

use serde_json::{Map, Value, json};
use tertulia_message::Level;
use tertulia_message::command::{CommandPlace, CommandSpec};

use crate::fields::{self, Fields};
use crate::ids::Snowflake;

/// Discord's bounds: characters of a name and of a description, and commands of an application.
const LONGEST_NAME: usize = 32;
const LONGEST_DESCRIPTION: usize = 100;
const MOST: usize = 100;
/// The one place of each command at which something is filled in.
const ARGUMENTS: &str = "arguments";
/// Discord's numbers: in servers, and in direct conversations.
const IN_SERVERS: u64 = 0;
const IN_DIRECT: u64 = 1;

/// A slash command as it is to be registered, but for nothing that Discord adds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    name: String,
    description: String,
    /// The usage line and whether something has to be filled in; none if nothing can be.
    arguments: Option<(String, bool)>,
    /// False for what only those who govern a server are shown there; who may use it is decided by us alone.
    is_for_everybody: bool,
    contexts: Vec<u64>,
}

/// A request that brings what is registered closer to what is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// `POST /applications/{application}/commands`; it also replaces one of the same name.
    Create(Value),
    /// `PATCH /applications/{application}/commands/{id}`.
    Edit(Snowflake, Value),
    /// `DELETE /applications/{application}/commands/{id}`.
    Delete(Snowflake),
}

/// The slash commands for a table of commands.
#[must_use]
pub fn commands(table: &[CommandSpec]) -> Vec<Command> {
    table.iter().filter_map(Command::of).take(MOST).collect()
}

/// What has to be changed of what is registered, which is the list that `GET /applications/{application}/commands` gives; none
/// if that is no list. Entries of menus, which are no slash commands, stay.
#[must_use]
pub fn diff(wanted: &[Command], registered: &str) -> Option<Vec<Change>> {
    let there: Vec<(Snowflake, Command)> = fields::list(registered)?.iter().filter_map(Command::read).collect();
    let mut changes = Vec::new();
    for (id, command) in &there {
        if !wanted.iter().any(|one| one.name == command.name) {
            changes.push(Change::Delete(*id));
        }
    }
    for command in wanted {
        match there.iter().find(|(_, one)| one.name == command.name) {
            None => changes.push(Change::Create(command.body())),
            Some((_, one)) if one == command => {}
            Some((id, _)) => changes.push(Change::Edit(*id, command.body())),
        }
    }
    Some(changes)
}

impl Command {
    fn of(spec: &CommandSpec) -> Option<Self> {
        let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "_-".contains(c);
        let name = spec.name;
        if name.is_empty() || name.len() > LONGEST_NAME || !name.chars().all(is_name) {
            return None;
        }
        let usage = spec.arguments.trim();
        Some(Self {
            name: name.to_owned(),
            description: cut(spec.help).unwrap_or_else(|| name.to_owned()),
            // what stands in square brackets may be left out
            arguments: cut(usage).map(|line| (line, !usage.starts_with('['))),
            is_for_everybody: spec.level <= Level::User,
            contexts: match spec.place {
                CommandPlace::Anywhere => vec![IN_SERVERS, IN_DIRECT],
                CommandPlace::Direct => vec![IN_DIRECT],
            },
        })
    }

    /// The body that registers it.
    #[must_use]
    pub fn body(&self) -> Value {
        let option = |(line, is_required): &(String, bool)| json!({"type": 3, "name": ARGUMENTS, "description": line, "required": is_required});
        let options: Vec<Value> = self.arguments.iter().map(option).collect();
        let permissions = if self.is_for_everybody { Value::Null } else { "0".into() };
        let mut body = Map::new();
        body.insert("type".to_owned(), 1.into());
        body.insert("name".to_owned(), self.name.clone().into());
        body.insert("description".to_owned(), self.description.clone().into());
        body.insert("options".to_owned(), options.into());
        body.insert("contexts".to_owned(), self.contexts.clone().into());
        // in servers and with people of servers, not where the bot is not
        body.insert("integration_types".to_owned(), vec![0].into());
        body.insert("default_member_permissions".to_owned(), permissions);
        Value::Object(body)
    }

    /// Reads one that is registered, with its id; none if it is no slash command.
    fn read(command: &Fields<'_>) -> Option<(Snowflake, Self)> {
        if !matches!(command.number("type"), None | Some(1)) {
            return None;
        }
        let options = command.objects("options");
        let contexts = command.raw("contexts").and_then(|json| serde_json::from_str(json).ok());
        let is_plain = options.len() <= 1
            && options
                .iter()
                .all(|option| option.number("type") == Some(3) && option.text("name") == ARGUMENTS);
        let read = Self {
            name: command.text("name"),
            // one with other options differs from all of ours
            description: if is_plain {
                command.text("description")
            } else {
                String::new()
            },
            arguments: options
                .first()
                .map(|option| (option.text("description"), option.flag("required"))),
            is_for_everybody: !command.has("default_member_permissions"),
            contexts: contexts.unwrap_or_default(),
        };
        Some((command.id("id")?, read))
    }
}

/// A text within the bounds of a description; none if it says nothing.
fn cut(text: &str) -> Option<String> {
    let text: String = text.trim().chars().take(LONGEST_DESCRIPTION).collect();
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(name: &'static str, arguments: &'static str, level: Level, place: CommandPlace) -> CommandSpec {
        CommandSpec {
            name,
            level,
            arguments,
            help: "what it does",
            place,
        }
    }

    fn table() -> Vec<CommandSpec> {
        vec![
            spec("help", "", Level::User, CommandPlace::Anywhere),
            spec("model", "<name>", Level::User, CommandPlace::Anywhere),
            spec("allow", "[who]", Level::Admin, CommandPlace::Direct),
        ]
    }

    /// What Discord would list after these were registered.
    fn registered(commands: &[Command]) -> Vec<Value> {
        let with_id = |(nth, command): (usize, &Command)| {
            let mut body = command.body();
            body["id"] = (nth + 1).to_string().into();
            body["version"] = "7".into();
            body["application_id"] = "9".into();
            body["dm_permission"] = true.into();
            body["nsfw"] = false.into();
            if body["options"] == json!([]) {
                body.as_object_mut().unwrap().remove("options");
            }
            body
        };
        commands.iter().enumerate().map(with_id).collect()
    }

    fn json(list: Vec<Value>) -> String {
        Value::Array(list).to_string()
    }

    #[test]
    fn a_command_is_registered_whole() {
        let commands = commands(&table());
        let expected = json!({"type": 1, "name": "allow", "description": "what it does", "contexts": [1], "integration_types": [0],
            "default_member_permissions": "0",
            "options": [{"type": 3, "name": "arguments", "description": "[who]", "required": false}]});
        assert_eq!(commands[2].body(), expected);
        assert_eq!(commands[0].body()["options"], json!([]));
        assert_eq!(commands[0].body()["default_member_permissions"], Value::Null);
        assert_eq!(commands[1].body()["options"][0]["required"], json!(true));
    }

    #[test]
    fn what_is_there_already_is_left_alone() {
        let wanted = commands(&table());
        assert_eq!(diff(&wanted, &json(registered(&wanted))), Some(Vec::new()));
    }

    #[test]
    fn only_what_differs_is_changed() {
        let wanted = commands(&table());
        let mut there = registered(&wanted);
        there[0]["description"] = "old".into();
        there[1]["options"][0]["type"] = 4.into();
        there.remove(2);
        there.push(json!({"id": "70", "type": 1, "name": "gone", "description": "x"}));
        there.push(json!({"id": "71", "type": 3, "name": "menu"}));
        let id = |number| Snowflake::new(number).unwrap();
        let expected = vec![
            Change::Delete(id(70)),
            Change::Edit(id(1), wanted[0].body()),
            Change::Edit(id(2), wanted[1].body()),
            Change::Create(wanted[2].body()),
        ];
        assert_eq!(diff(&wanted, &json(there)), Some(expected));
        assert_eq!(diff(&wanted, "[]").unwrap().len(), 3);
        assert_eq!(diff(&wanted, r#"{"code":0}"#), None);
    }

    #[test]
    fn bounds_are_kept() {
        let long: &'static str = "ä".repeat(300).leak();
        let odd = |name| spec(name, long, Level::User, CommandPlace::Anywhere);
        let mut specs = vec![odd("Odd"), odd(""), odd("a b"), odd(long)];
        specs.extend(std::iter::repeat_n(odd("fine"), 200));
        let commands = commands(&specs);
        assert_eq!(commands.len(), 100);
        let body = commands[0].body();
        assert_eq!(body["options"][0]["description"].as_str().unwrap().chars().count(), 100);
    }
}
