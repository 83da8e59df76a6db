//! Who the bot is, and where it is.

use serde_json::{Value, json};

use super::{Answer, Done};
use crate::discord_double::place::{Channel, Guild};
use crate::discord_double::refusal::{Refusal, insert};
use crate::discord_double::request::Request;
use crate::discord_double::world::World;

/// So many guilds are a reason for another shard.
const GUILDS_OF_A_SHARD: usize = 1000;
const DAY_MS: u64 = 86_400_000;

impl World {
    pub(super) fn about(&mut self, request: &Request) -> Done {
        match request.route.name {
            "create_dm" => return self.create_dm(request),
            "leave_guild" => {
                let guild = self.asked_guild(request)?.id;
                self.leave(guild);
                return Ok(Answer::Nothing);
            }
            _ => {}
        }
        let body = match request.route.name {
            "get_gateway" => json!({"url": self.gateway}),
            "get_gateway_bot" => self.gateway_bot(),
            "get_me" => self.me(),
            "get_user" => self.user(request)?,
            "get_application" => self.application(),
            "list_my_guilds" => self.guilds.values().map(|guild| self.guild_json(guild)).collect(),
            "get_channel" => self.channel_json(self.seen_channel(request)?),
            "get_guild" => self.guild_json(self.asked_guild(request)?),
            "list_roles" => self.roles_json(self.asked_guild(request)?),
            "list_guild_channels" => self.guild_channels(self.asked_guild(request)?),
            "get_member" => self.member(request)?,
            _ => return Err(Refusal::no_route()),
        };
        Ok(Answer::Json(body))
    }

    fn asked_guild(&self, request: &Request) -> Result<&Guild, Refusal> {
        let guild = request.route.guild.and_then(|guild| self.guilds.get(&guild));
        guild.ok_or_else(|| Refusal::of(404, 10004, "Unknown Guild"))
    }

    fn gateway_bot(&self) -> Value {
        json!({
            "url": self.gateway, "shards": 1 + self.guilds.len() / GUILDS_OF_A_SHARD,
            "session_start_limit": {
                "total": self.settings.session_starts, "remaining": self.hub.starts_left,
                "reset_after": DAY_MS - self.today() % DAY_MS, "max_concurrency": self.settings.max_concurrency,
            },
        })
    }

    fn me(&self) -> Value {
        let mut me = self.user_json(self.bot());
        insert(&mut me, "verified", json!(true));
        insert(&mut me, "mfa_enabled", json!(false));
        insert(&mut me, "email", Value::Null);
        insert(&mut me, "flags", json!(0));
        me
    }

    fn user(&self, request: &Request) -> Result<Value, Refusal> {
        let id = request.route.id.filter(|id| self.people.contains_key(id));
        id.map(|id| self.user_json(id))
            .ok_or_else(|| Refusal::of(404, 10013, "Unknown User"))
    }

    fn application(&self) -> Value {
        let owner = self
            .people
            .values()
            .find(|person| !person.is_bot)
            .map(|person| self.user_json(person.id));
        json!({
            "id": self.bot().to_string(), "name": self.settings.username, "icon": null, "description": "",
            "bot_public": true, "bot_require_code_grant": false, "verify_key": "00", "team": null, "owner": owner,
            "flags": self.application_flags(), "bot": self.user_json(self.bot()), "redirect_uris": [],
            "integration_types_config": {"0": {}}, "approximate_guild_count": self.guilds.len(), "summary": "",
        })
    }

    fn guild_channels(&self, guild: &Guild) -> Value {
        let here = self
            .channels
            .values()
            .filter(|channel| channel.guild == Some(guild.id) && !channel.is_thread());
        here.map(Channel::json).collect()
    }

    fn member(&self, request: &Request) -> Result<Value, Refusal> {
        let guild = self.asked_guild(request)?.id;
        let person = request.route.id.unwrap_or(self.bot());
        if !self.people.contains_key(&person) {
            return Err(Refusal::of(404, 10007, "Unknown Member"));
        }
        let mut member = self.member_json(guild, person);
        insert(&mut member, "user", self.user_json(person));
        Ok(member)
    }
}
