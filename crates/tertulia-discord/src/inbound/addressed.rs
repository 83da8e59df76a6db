//! Whether a message is meant for the bot, and how its name stands in it.

use tertulia_message::Addressed;

use super::{Around, Reader, Scene};
use crate::wire::Message;

impl Reader<'_> {
    /// How the bot is addressed by a message with these words.
    pub(super) fn addressed(&self, message: &Message, around: &Around<'_>, scene: Scene, text: &str) -> Addressed {
        if scene.is_direct {
            return Addressed::Direct;
        }
        if self.is_command(text) {
            return Addressed::Command;
        }
        let is_ours = || {
            let thread = scene.place.thread.and_then(|thread| self.known.channel(thread));
            thread.is_some_and(|thread| thread.owner == Some(self.known.me()))
        };
        if around.is_our_thread || self.is_reply_to_us(message) || is_ours() {
            return Addressed::Reply;
        }
        if self.is_mentioned(message, scene) || self.config.is_always_on(scene.place) {
            return Addressed::Mention;
        }
        Addressed::None
    }

    /// True for a command of the daemon that is typed as text: the daemon reads those itself.
    fn is_command(&self, text: &str) -> bool {
        let word = text
            .trim_start()
            .strip_prefix('/')
            .and_then(|rest| rest.split_whitespace().next());
        let name = word.map(str::to_ascii_lowercase);
        name.is_some_and(|name| self.commands.iter().any(|command| command.name == name))
    }

    fn is_reply_to_us(&self, message: &Message) -> bool {
        let author = message.answered.as_ref().and_then(|answered| answered.author.as_ref());
        author.is_some_and(|author| author.id == self.known.me())
    }

    /// By the name of the bot, or by that of the role that the server made for it. Everybody is not the bot.
    fn is_mentioned(&self, message: &Message, scene: Scene) -> bool {
        let is_named = message.mentions.iter().any(|user| user.id == self.known.me());
        let role = self.known.our_role(scene.guild);
        let has_role = role.is_some_and(|role| message.mentioned_roles.contains(&role));
        is_named || has_role || self.names(scene).iter().any(|name| message.content.contains(name))
    }

    /// The text without the bot's name before or behind it. Nothing but the name is a call without words, and stays.
    pub(super) fn without_our_name<'t>(&self, text: &'t str, scene: Scene) -> &'t str {
        let names = self.names(scene);
        let before = names
            .iter()
            .find_map(|name| text.trim_start().strip_prefix(name.as_str()));
        let rest = before.map(|rest| rest.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, ',' | ':')));
        let behind = || {
            let before = names
                .iter()
                .find_map(|name| text.trim_end().strip_suffix(name.as_str()));
            before.map(str::trim_end)
        };
        rest.or_else(behind)
            .filter(|rest| !rest.trim().is_empty())
            .unwrap_or(text)
    }

    /// The bot as it stands in texts.
    fn names(&self, scene: Scene) -> Vec<String> {
        let me = self.known.me();
        let role = self.known.our_role(scene.guild).map(|role| format!("<@&{role}>"));
        [format!("<@{me}>"), format!("<@!{me}>")]
            .into_iter()
            .chain(role)
            .collect()
    }
}
