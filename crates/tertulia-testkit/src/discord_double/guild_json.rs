//! Guilds as events and calls give them: complete, since clients drop an event in which a field is missing.

use serde_json::{Value, json};

use super::place::{Guild, Permission};
use super::refusal::{insert, merge};
use super::world::{World, made};

/// A guild of more members is told without those who are not there.
const LARGE: u64 = 250;

/// What the guilds of the double do not have.
const ABSENT: [&str; 18] = [
    "icon",
    "icon_hash",
    "splash",
    "discovery_splash",
    "afk_channel_id",
    "widget_channel_id",
    "application_id",
    "system_channel_id",
    "rules_channel_id",
    "max_presences",
    "vanity_url_code",
    "description",
    "banner",
    "public_updates_channel_id",
    "safety_alerts_channel_id",
    "incidents_data",
    "hub_type",
    "home_header",
];

/// What is at its lowest level in them.
const ZERO: [&str; 8] = [
    "verification_level",
    "default_message_notifications",
    "explicit_content_filter",
    "mfa_level",
    "system_channel_flags",
    "premium_tier",
    "premium_subscription_count",
    "nsfw_level",
];

impl World {
    /// A guild without its channels.
    pub(super) fn guild_json(&self, guild: &Guild) -> Value {
        let mut body = json!({
            "id": guild.id.to_string(), "name": guild.name, "owner_id": guild.owner.to_string(),
            "roles": self.roles_json(guild), "emojis": [], "stickers": [], "features": [],
            "preferred_locale": "en-US", "afk_timeout": 300, "max_members": 500_000, "region": "deprecated",
            "max_video_channel_users": 25, "max_stage_video_channel_users": 50,
        });
        let flags = ["widget_enabled", "nsfw", "premium_progress_bar_enabled"].map(|name| (name, json!(false)));
        let fields = ABSENT.map(|name| (name, Value::Null));
        for (name, value) in fields.into_iter().chain(ZERO.map(|name| (name, json!(0)))).chain(flags) {
            insert(&mut body, name, value);
        }
        body
    }

    /// What `GUILD_CREATE` says.
    pub(super) fn guild_create(&self, guild: &Guild) -> Value {
        let here = self.channels.values().filter(|channel| channel.guild == Some(guild.id));
        let seen: Vec<_> = here.filter(|channel| self.sees(channel)).collect();
        let channels: Vec<Value> = seen
            .iter()
            .filter(|channel| !channel.is_thread())
            .map(|channel| channel.json())
            .collect();
        let is_active = |thread: &super::place::Thread| !thread.is_archived;
        let threads = seen
            .iter()
            .filter(|channel| channel.thread.as_ref().is_some_and(is_active));
        let threads: Vec<Value> = threads.map(|channel| channel.json()).collect();
        let mut bot = self.member_json(guild.id, self.bot());
        insert(&mut bot, "user", self.user_json(self.bot()));
        let mut body = self.guild_json(guild);
        let more = json!({
            "joined_at": made(guild.id), "large": guild.members > LARGE, "unavailable": false,
            "member_count": guild.members, "voice_states": [], "members": [bot], "channels": channels,
            "threads": threads, "presences": [], "stage_instances": [], "guild_scheduled_events": [],
            "soundboard_sounds": [], "activity_instances": [], "embedded_activities": [],
        });
        merge(&mut body, more);
        body
    }

    pub(super) fn roles_json(&self, guild: &Guild) -> Value {
        let role = |id: u64, name: &str, permissions: u64, position: u64, tags: Value| {
            json!({
                "id": id.to_string(), "name": name, "color": 0, "hoist": false, "managed": position > 0,
                "colors": {"primary_color": 0, "secondary_color": null, "tertiary_color": null},
                "icon": null, "unicode_emoji": null, "mentionable": false, "position": position, "flags": 0,
                "permissions": permissions.to_string(), "tags": tags,
            })
        };
        let tags = json!({"bot_id": self.bot().to_string()});
        json!([
            role(guild.id, "@everyone", Permission::TALK.0, 0, json!({})),
            role(guild.bot_role, &self.settings.username, guild.permissions, 1, tags),
        ])
    }
}
