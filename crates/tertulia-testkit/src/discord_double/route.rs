//! Which call a method and a path are.

use percent_encoding::percent_decode_str;

/// A call, and what it is about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Route {
    pub(super) name: &'static str,
    pub(super) channel: Option<u64>,
    pub(super) message: Option<u64>,
    pub(super) guild: Option<u64>,
    /// An account, an interaction, a webhook or a command.
    pub(super) id: Option<u64>,
    /// A token, or an emoji.
    pub(super) word: String,
}

impl Route {
    fn of(name: &'static str) -> Self {
        Self {
            name,
            ..Self::default()
        }
    }

    fn channel(mut self, id: &str) -> Option<Self> {
        self.channel = Some(id.parse().ok()?);
        Some(self)
    }

    fn message(mut self, id: &str) -> Option<Self> {
        self.message = Some(id.parse().ok()?);
        Some(self)
    }

    fn guild(mut self, id: &str) -> Option<Self> {
        self.guild = Some(id.parse().ok()?);
        Some(self)
    }

    fn id(mut self, id: &str) -> Option<Self> {
        self.id = Some(id.parse().ok()?);
        Some(self)
    }

    fn word(mut self, word: &str) -> Self {
        self.word = percent_decode_str(word).decode_utf8_lossy().into_owned();
        self
    }

    /// What its bucket belongs to.
    pub(super) fn major(&self) -> u64 {
        self.channel.or(self.guild).or(self.id).unwrap_or_default()
    }

    /// True for calls whose address is their password, and which the global limit does not know.
    pub(super) fn is_interaction(&self) -> bool {
        self.name == "interaction_callback" || self.name.ends_with("_original") || self.name.ends_with("_followup")
    }

    /// True if it only reads.
    pub(super) fn is_reading(&self) -> bool {
        ["get_", "list_"].iter().any(|prefix| self.name.starts_with(prefix))
    }
}

/// The call at a path below the version.
pub(super) fn route(method: &str, path: &str) -> Option<Route> {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    match parts.as_slice() {
        ["channels", channel, rest @ ..] => in_channel(method, rest)?.channel(channel),
        ["guilds", guild, rest @ ..] => in_guild(method, rest)?.guild(guild),
        ["interactions", id, token, "callback"] if method == "POST" => {
            Some(Route::of("interaction_callback").id(id)?.word(token))
        }
        ["webhooks", id, token, rest @ ..] => Some(of_webhook(method, rest)?.id(id)?.word(token)),
        ["applications", _, "commands", rest @ ..] => of_commands(method, rest),
        ["applications", _, "guilds", guild, "commands", rest @ ..] => of_commands(method, rest)?.guild(guild),
        _ => about(method, &parts),
    }
}

fn about(method: &str, parts: &[&str]) -> Option<Route> {
    Some(match (method, parts) {
        ("GET", ["gateway"]) => Route::of("get_gateway"),
        ("GET", ["gateway", "bot"]) => Route::of("get_gateway_bot"),
        ("GET", ["users", "@me"]) => Route::of("get_me"),
        ("GET", ["users", "@me", "guilds"]) => Route::of("list_my_guilds"),
        ("POST", ["users", "@me", "channels"]) => Route::of("create_dm"),
        ("DELETE", ["users", "@me", "guilds", guild]) => Route::of("leave_guild").guild(guild)?,
        ("GET", ["users", id]) => Route::of("get_user").id(id)?,
        ("GET", ["applications", "@me"] | ["oauth2", "applications", "@me"]) => Route::of("get_application"),
        _ => return None,
    })
}

fn in_channel(method: &str, rest: &[&str]) -> Option<Route> {
    Some(match (method, rest) {
        ("GET", []) => Route::of("get_channel"),
        ("PATCH", []) => Route::of("modify_channel"),
        ("GET", ["messages"]) => Route::of("list_messages"),
        ("POST", ["messages"]) => Route::of("create_message"),
        ("GET", ["messages", id]) => Route::of("get_message").message(id)?,
        ("PATCH", ["messages", id]) => Route::of("edit_message").message(id)?,
        ("DELETE", ["messages", id]) => Route::of("delete_message").message(id)?,
        ("POST", ["typing"]) => Route::of("typing"),
        ("PUT", ["messages", id, "reactions", emoji, "@me"]) => Route::of("add_reaction").message(id)?.word(emoji),
        ("DELETE", ["messages", id, "reactions", emoji, "@me"]) => {
            Route::of("remove_reaction").message(id)?.word(emoji)
        }
        ("POST", ["messages", id, "threads"]) => Route::of("start_thread_from_message").message(id)?,
        ("POST", ["threads"]) => Route::of("start_thread"),
        ("GET", ["threads", "archived", "public"]) => Route::of("list_archived_threads"),
        ("PUT", ["thread-members", "@me"]) => Route::of("join_thread"),
        ("DELETE", ["thread-members", "@me"]) => Route::of("leave_thread"),
        _ => return None,
    })
}

fn in_guild(method: &str, rest: &[&str]) -> Option<Route> {
    Some(match (method, rest) {
        ("GET", []) => Route::of("get_guild"),
        ("GET", ["channels"]) => Route::of("list_guild_channels"),
        ("GET", ["roles"]) => Route::of("list_roles"),
        ("GET", ["threads", "active"]) => Route::of("list_active_threads"),
        ("GET", ["members", "@me"]) => Route::of("get_member"),
        ("GET", ["members", id]) => Route::of("get_member").id(id)?,
        _ => return None,
    })
}

fn of_webhook(method: &str, rest: &[&str]) -> Option<Route> {
    Some(match (method, rest) {
        ("POST", []) => Route::of("create_followup"),
        ("GET", ["messages", "@original"]) => Route::of("get_original"),
        ("PATCH", ["messages", "@original"]) => Route::of("edit_original"),
        ("DELETE", ["messages", "@original"]) => Route::of("delete_original"),
        ("GET", ["messages", id]) => Route::of("get_followup").message(id)?,
        ("PATCH", ["messages", id]) => Route::of("edit_followup").message(id)?,
        ("DELETE", ["messages", id]) => Route::of("delete_followup").message(id)?,
        _ => return None,
    })
}

fn of_commands(method: &str, rest: &[&str]) -> Option<Route> {
    Some(match (method, rest) {
        ("GET", []) => Route::of("list_commands"),
        ("POST", []) => Route::of("create_command"),
        ("PUT", []) => Route::of("overwrite_commands"),
        ("GET", [id]) => Route::of("get_command").id(id)?,
        ("PATCH", [id]) => Route::of("edit_command").id(id)?,
        ("DELETE", [id]) => Route::of("delete_command").id(id)?,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_calls() {
        let emoji = route("PUT", "/channels/5/messages/6/reactions/%F0%9F%91%80/@me").unwrap();
        assert_eq!(
            (emoji.name, emoji.channel, emoji.message),
            ("add_reaction", Some(5), Some(6))
        );
        assert_eq!(emoji.word, "👀");
        let original = route("PATCH", "/webhooks/7/token/messages/@original").unwrap();
        assert!(original.is_interaction() && !original.is_reading());
        assert_eq!((original.id, original.word.as_str()), (Some(7), "token"));
        let commands = route("PUT", "/applications/7/guilds/8/commands").unwrap();
        assert_eq!((commands.name, commands.guild), ("overwrite_commands", Some(8)));
        for nothing in ["/channels/x/messages", "/channels/5/messages/6/x", "/nothing"] {
            assert_eq!(route("GET", nothing), None, "{nothing}");
        }
    }
}
