//! Typing and reactions.

use super::{Answer, Done};
use crate::discord_double::place::Permission;
use crate::discord_double::refusal::Refusal;
use crate::discord_double::request::Request;
use crate::discord_double::world::World;

impl World {
    pub(super) fn start_typing(&mut self, request: &Request) -> Done {
        let channel = self.seen_channel(request)?;
        self.may_post(channel)?;
        self.typing.insert(channel.id, self.at);
        self.truth.counts.typing += 1;
        Ok(Answer::Nothing)
    }

    pub(super) fn add_reaction(&mut self, request: &Request) -> Done {
        let message = self.seen_message(request)?;
        let channel = self.channel(message.channel)?;
        let is_new = !message.reactions.iter().any(|(emoji, _)| *emoji == request.route.word);
        if !self.may(channel, Permission::READ_MESSAGE_HISTORY)
            || is_new && !self.may(channel, Permission::ADD_REACTIONS)
        {
            return Err(Refusal::missing_permissions());
        }
        if channel.thread.as_ref().is_some_and(|thread| thread.is_archived) {
            return Err(Refusal::of(
                400,
                50083,
                "Tried to perform an operation on an archived thread",
            ));
        }
        // names of emojis are no emojis, and custom ones are `name:id`
        if request.route.word.is_ascii() && !request.route.word.contains(':') {
            return Err(Refusal::of(400, 10014, "Unknown Emoji"));
        }
        let (id, bot) = (message.id, self.bot());
        self.react(bot, id, &request.route.word);
        Ok(Answer::Nothing)
    }

    pub(super) fn remove_reaction(&mut self, request: &Request) -> Done {
        let (id, bot) = (self.seen_message(request)?.id, self.bot());
        let emoji = &request.route.word;
        if let Some(message) = self.messages.get_mut(&id) {
            message
                .reactions
                .retain(|(other, person)| other != emoji || *person != bot);
        }
        self.tell_reaction("MESSAGE_REACTION_REMOVE", bot, id, emoji);
        Ok(Answer::Nothing)
    }
}
