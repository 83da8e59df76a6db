//! Slash commands that the bot registers.

use serde_json::{Value, json};

use super::{Answer, Done};
use crate::discord_double::refusal::{Refusal, insert, merge};
use crate::discord_double::request::Request;
use crate::discord_double::world::World;

const MOST: usize = 100;
const MOST_OPTIONS: usize = 25;
const LONGEST_NAME: usize = 32;
const LONGEST_DESCRIPTION: usize = 100;

impl World {
    pub(super) fn of_commands(&mut self, request: &Request) -> Done {
        let guild = request.route.guild;
        let key = (guild, request.route.id.unwrap_or_default());
        let unknown = || Refusal::of(404, 10063, "Unknown application command");
        match request.route.name {
            "list_commands" => Ok(Answer::Json(self.registered(guild).into())),
            "get_command" => self.commands.get(&key).cloned().map(Answer::Json).ok_or_else(unknown),
            "delete_command" => self.commands.remove(&key).map(|_| Answer::Nothing).ok_or_else(unknown),
            "edit_command" => {
                let mut command = self.commands.get(&key).cloned().ok_or_else(unknown)?;
                merge(&mut command, request.body.clone());
                check(&command)?;
                self.commands.insert(key, command.clone());
                Ok(Answer::Json(command))
            }
            "create_command" => self.create_command(request),
            _ => self.overwrite(request),
        }
    }

    pub(in crate::discord_double) fn registered(&self, guild: Option<u64>) -> Vec<Value> {
        let here = self.commands.iter().filter(|((of, _), _)| *of == guild);
        here.map(|(_, command)| command.clone()).collect()
    }

    fn create_command(&mut self, request: &Request) -> Done {
        let guild = request.route.guild;
        check(&request.body)?;
        let known = self
            .commands
            .iter()
            .find(|((of, _), command)| *of == guild && command["name"] == *request.field("name"));
        let known = known.map(|((_, id), _)| *id);
        if known.is_none() && self.registered(guild).len() >= MOST {
            let words = "Maximum number of application commands reached (100)";
            return Err(Refusal::of(400, 30032, words));
        }
        let command = self.register(guild, known, &request.body);
        Ok(if known.is_some() {
            Answer::Json(command)
        } else {
            Answer::Created(command)
        })
    }

    fn overwrite(&mut self, request: &Request) -> Done {
        let guild = request.route.guild;
        let list = request
            .body
            .as_array()
            .cloned()
            .ok_or_else(|| Refusal::form("_", "LIST_TYPE_CONVERT", "Only iterables may be used in a ListType"))?;
        if list.len() > MOST {
            return Err(Refusal::too_long("_", MOST));
        }
        list.iter().try_for_each(check)?;
        let mut names: Vec<String> = list.iter().map(|command| command["name"].to_string()).collect();
        names.sort();
        names.dedup();
        if names.len() < list.len() {
            let words = "Application command names must be unique";
            return Err(Refusal::form("0.name", "APPLICATION_COMMANDS_DUPLICATE_NAME", words));
        }
        let before = std::mem::take(&mut self.commands);
        let (mine, others) = before.into_iter().partition::<Vec<_>, _>(|((of, _), _)| *of == guild);
        self.commands.extend(others);
        let number = |new: &Value| {
            mine.iter()
                .find(|(_, old)| old["name"] == new["name"])
                .map(|((_, id), _)| *id)
        };
        let made: Vec<Value> = list
            .iter()
            .map(|command| self.register(guild, number(command), command))
            .collect();
        Ok(Answer::Json(made.into()))
    }

    fn register(&mut self, guild: Option<u64>, known: Option<u64>, new: &Value) -> Value {
        let id = known.unwrap_or_else(|| self.new_id());
        let mut command = json!({
            "type": 1, "description": "", "options": [], "default_member_permissions": null, "dm_permission": true,
            "nsfw": false, "name_localizations": null, "description_localizations": null,
            "integration_types": [0], "contexts": null,
        });
        merge(&mut command, new.clone());
        let version = self.new_id();
        insert(&mut command, "id", json!(id.to_string()));
        insert(&mut command, "application_id", json!(self.bot().to_string()));
        insert(&mut command, "version", json!(version.to_string()));
        if let Some(guild) = guild {
            insert(&mut command, "guild_id", json!(guild.to_string()));
        }
        self.commands.insert((guild, id), command.clone());
        command
    }
}

fn check(command: &Value) -> Result<(), Refusal> {
    check_named(command, command["type"].as_u64().unwrap_or(1) == 1)?;
    let options = command["options"].as_array().cloned().unwrap_or_default();
    if options.len() > MOST_OPTIONS {
        return Err(Refusal::too_long("options", MOST_OPTIONS));
    }
    let mut is_optional = false;
    for option in &options {
        check_named(option, true)?;
        if option["required"] == true && is_optional {
            let words = "Required options must be placed before non-required options";
            return Err(Refusal::form(
                "options",
                "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID",
                words,
            ));
        }
        is_optional |= option["required"] != true;
    }
    Ok(())
}

/// Names of slash commands and options are lower case, without spaces; each has a description.
fn check_named(named: &Value, is_slash: bool) -> Result<(), Refusal> {
    let name = named["name"].as_str().unwrap_or_default();
    let is_good = |c: char| c.is_alphanumeric() && !c.is_uppercase() || matches!(c, '-' | '_' | '\'');
    if !(1..=LONGEST_NAME).contains(&name.chars().count()) || is_slash && !name.chars().all(is_good) {
        let words = "Command name is invalid";
        return Err(Refusal::form("name", "APPLICATION_COMMAND_INVALID_NAME", words));
    }
    let length = named["description"].as_str().unwrap_or_default().chars().count();
    if is_slash && !(1..=LONGEST_DESCRIPTION).contains(&length) {
        let words = "Must be between 1 and 100 in length.";
        return Err(Refusal::form("description", "BASE_TYPE_BAD_LENGTH", words));
    }
    Ok(())
}
