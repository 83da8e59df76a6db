//! The calls of the bot.

mod about;
mod answering;
mod commands;
mod content;
mod editing;
mod reading;
mod sending;
mod signs;
mod threads;

use serde_json::Value;

use super::message::Message;
use super::place::Channel;
use super::refusal::Refusal;
use super::request::Request;
use super::truth::Accepted;
use super::world::World;

/// The answer to a call that was done.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Answer {
    /// 200.
    Json(Value),
    /// 201.
    Created(Value),
    /// 204.
    Nothing,
}

type Done = Result<Answer, Refusal>;

impl World {
    /// Does what is asked.
    pub(super) fn perform(&mut self, request: &Request) -> Done {
        let (name, before) = (request.route.name, self.truth.accepted.len());
        let answer = match name {
            "create_message" => self.create_message(request),
            "edit_message" => self.edit_message(request),
            "delete_message" => self.delete_message(request),
            "get_message" => self.get_message(request),
            "list_messages" => self.list_messages(request),
            "typing" => self.start_typing(request),
            "add_reaction" => self.add_reaction(request),
            "remove_reaction" => self.remove_reaction(request),
            "start_thread_from_message" => self.start_thread_from_message(request),
            "start_thread" => self.start_thread(request),
            "modify_channel" => self.modify_channel(request),
            "join_thread" | "leave_thread" => self.membership(request),
            "list_archived_threads" => self.archived_threads(request),
            "list_active_threads" => Ok(self.active_threads(request)),
            _ if request.route.is_interaction() => self.of_interaction(request),
            _ if name.ends_with("_command") || name.ends_with("_commands") => self.of_commands(request),
            _ => self.about(request),
        }?;
        // what makes a message has written it down already, with what it made
        let is_written = self.truth.accepted.len() > before;
        if !is_written && !request.route.is_reading() && name != "typing" {
            self.accept(request, None, Vec::new(), false);
        }
        Ok(answer)
    }

    /// Writes a call into the ground truth.
    fn accept(&mut self, request: &Request, message: Option<u64>, pings: Vec<String>, is_repeated: bool) {
        let made = message.and_then(|id| self.messages.get(&id));
        let accepted = Accepted {
            n: self.truth.accepted.len() as u64 + 1,
            at: self.at,
            name: request.route.name,
            channel: request.route.channel.or(made.map(|made| made.channel)),
            message: message.or(request.route.message),
            content: made.map(|made| made.content.clone()).unwrap_or_default(),
            body: request.body.clone(),
            files: request.files.iter().map(|file| file.name.clone()).collect(),
            pings,
            is_repeated,
        };
        self.truth.accepted.push(accepted);
    }

    /// The channel of a call, if the bot can see it.
    fn seen_channel(&self, request: &Request) -> Result<&Channel, Refusal> {
        let channel = self.channel(request.route.channel.unwrap_or_default())?;
        if self.sees(channel) {
            Ok(channel)
        } else {
            Err(Refusal::missing_access())
        }
    }

    /// The message of a call, if it is in the channel of the call.
    fn seen_message(&self, request: &Request) -> Result<&Message, Refusal> {
        let channel = self.seen_channel(request)?.id;
        let id = request.route.message.unwrap_or_default();
        let message = self.messages.get(&id).filter(|message| message.channel == channel);
        message
            .filter(|message| !message.is_ephemeral())
            .ok_or_else(Refusal::unknown_message)
    }

    /// A message as calls give it.
    fn shown_message(&self, id: u64) -> Value {
        let sees = self.settings.privileged.content;
        self.messages
            .get(&id)
            .map(|message| self.message_json(message, sees))
            .unwrap_or_default()
    }
}
