//! Slash commands and buttons: what the bot is told, and what it has answered.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};
use tertulia_message::Addressed;

use super::hub::intent;
use super::refusal::insert;
use super::world::World;
use crate::chat_double::RecordAct;

/// Registered commands, by guild (none for everywhere) and number.
pub(super) type Commands = BTreeMap<(Option<u64>, u64), Value>;

/// One use of a command or button.
#[derive(Debug, Clone)]
pub(super) struct Interaction {
    pub(super) id: u64,
    pub(super) token: String,
    pub(super) channel: u64,
    pub(super) person: u64,
    pub(super) since: Duration,
    /// The message whose button was pressed.
    pub(super) pressed: Option<u64>,
    /// The number of the first answer's kind, if there was one.
    pub(super) callback: Option<u64>,
    /// The message that is `@original`.
    pub(super) original: Option<u64>,
    pub(super) is_expired: bool,
    /// True if the webhook answered 404 before.
    pub(super) is_dead: bool,
}

/// What became of an interaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InteractionState {
    /// Its token, a secret of the bot.
    pub token: String,
    /// The number of the first answer's kind: 4 a message, 5 a deferral, 6 and 7 for buttons.
    pub callback: Option<u64>,
    /// The message of the first answer, if it is still there.
    pub original: Option<u64>,
}

impl World {
    pub(super) fn interaction_state(&self, id: u64) -> Option<InteractionState> {
        let interaction = self.interactions.get(&id)?;
        Some(InteractionState {
            token: interaction.token.clone(),
            callback: interaction.callback,
            original: interaction.original.filter(|id| self.messages.contains_key(id)),
        })
    }

    /// A person uses a slash command.
    pub(super) fn slash(&mut self, person: u64, channel: u64, name: &str, options: &[(&str, Value)]) -> Option<u64> {
        let guild = self.channels.get(&channel)?.guild;
        let mut found = self
            .commands
            .iter()
            .filter(|((of, _), command)| command["name"] == name && (of.is_none() || *of == guild));
        let ((_, command), _) = found.next()?;
        let options: Vec<Value> = options
            .iter()
            .map(|(name, value)| json!({"name": name, "type": option_type(value), "value": value}))
            .collect();
        let words: Vec<String> = options.iter().map(|option| word(&option["value"])).collect();
        let data = json!({"id": command.to_string(), "name": name, "type": 1, "options": options});
        let id = self.interact(person, channel, 2, &data, None);
        let text = [&[format!("/{name}")], words.as_slice()].concat().join(" ");
        let act = RecordAct::Said {
            person: person.to_string(),
            addressed: Addressed::Command,
        };
        let spot = self.spot(channel);
        self.truth.record(self.at, spot, id, act, text);
        Some(id)
    }

    /// A person presses a button.
    pub(super) fn press(&mut self, person: u64, message: u64, button: &str) -> Option<u64> {
        let pressed = self.messages.get(&message)?;
        let channel = pressed.channel;
        let is_there = pressed.components.iter().any(|component| holds(component, button));
        let data = json!({"custom_id": button, "component_type": 2, "id": 1});
        is_there.then(|| self.interact(person, channel, 3, &data, Some(message)))
    }

    fn interact(&mut self, person: u64, channel: u64, kind: u8, data: &Value, pressed: Option<u64>) -> u64 {
        let id = self.new_id();
        let interaction = Interaction {
            id,
            token: format!("interaction-{id}-token"),
            channel,
            person,
            since: self.at,
            pressed,
            callback: None,
            original: None,
            is_expired: false,
            is_dead: false,
        };
        let mut body = self.interaction_json(&interaction, kind, data);
        if let Some(message) = pressed.and_then(|id| self.messages.get(&id)) {
            insert(&mut body, "message", self.message_json(message, true));
        }
        self.interactions.insert(id, interaction);
        let guild = self.channels.get(&channel).and_then(|channel| channel.guild);
        self.emit("INTERACTION_CREATE", guild, intent::NONE, &body, None);
        id
    }

    fn interaction_json(&self, interaction: &Interaction, kind: u8, data: &Value) -> Value {
        let channel = self.channels.get(&interaction.channel);
        let guild = channel.and_then(|channel| channel.guild);
        let permissions = channel.map_or(0, |channel| self.permissions(channel)).to_string();
        let mut body = json!({
            "id": interaction.id.to_string(), "application_id": self.bot().to_string(), "type": kind, "data": data,
            "channel_id": interaction.channel.to_string(), "token": interaction.token, "version": 1,
            "app_permissions": permissions, "locale": "en-US", "entitlements": [],
            "authorizing_integration_owners": {"0": guild.unwrap_or_default().to_string()},
            "context": u8::from(guild.is_none()), "attachment_size_limit": self.settings.largest_file,
            "channel": channel.map(|channel| self.channel_json(channel)),
        });
        let user = self.user_json(interaction.person);
        if let Some(guild) = guild {
            let mut member = self.member_json(guild, interaction.person);
            insert(&mut member, "user", user);
            insert(&mut member, "permissions", json!(permissions));
            insert(&mut body, "member", member);
            insert(&mut body, "guild_id", json!(guild.to_string()));
            insert(&mut body, "guild_locale", json!("en-US"));
        } else {
            insert(&mut body, "user", user);
        }
        body
    }
}

/// True if a component is an enabled button of this id, or has one inside.
fn holds(component: &Value, button: &str) -> bool {
    let inside = component["components"].as_array().into_iter().flatten();
    let is_it = component["custom_id"] == button && component["disabled"] != true;
    is_it || inside.into_iter().any(|inner| holds(inner, button))
}

fn option_type(value: &Value) -> u8 {
    match value {
        Value::Bool(_) => 5,
        Value::Number(number) if number.is_i64() || number.is_u64() => 4,
        Value::Number(_) => 10,
        _ => 3,
    }
}

fn word(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
