//! New messages.

use serde_json::{Value, json};

use super::content::Draft;
use super::{Answer, Done};
use crate::chat_double::RecordAct;
use crate::discord_double::message::{Message, kind};
use crate::discord_double::place::{self, Channel, Permission};
use crate::discord_double::refusal::{Refusal, Scope};
use crate::discord_double::request::Request;
use crate::discord_double::world::World;

/// In characters.
const LONGEST_NONCE: usize = 25;

impl World {
    pub(super) fn create_message(&mut self, request: &Request) -> Done {
        let channel = self.seen_channel(request)?.clone();
        self.may_post(&channel)?;
        let nonce = nonce(&request.body)?;
        let enforced = *request.field("enforce_nonce") == true;
        if let Some(known) = nonce
            .as_ref()
            .filter(|_| enforced)
            .and_then(|nonce| self.known(channel.id, nonce))
        {
            self.truth.counts.repeated_nonces += 1;
            self.accept(request, Some(known), Vec::new(), true);
            return Ok(Answer::Json(self.shown_message(known)));
        }
        let draft = self.draft(request, &request.body, None)?;
        if !draft.files.is_empty() && !self.may(&channel, Permission::ATTACH_FILES) {
            return Err(Refusal::missing_permissions());
        }
        let replied = self.replied(request, &channel)?;
        self.keep_slow(&channel)?;
        self.truth.counts.without_nonce += u64::from(nonce.is_none() || !enforced);
        let author = replied
            .and_then(|id| self.messages.get(&id))
            .map(|message| message.author);
        let author = author.filter(|author| *author != self.bot());
        let pings = self.pings(request, &draft, author);
        let id = self.post(&channel, draft, nonce, replied, request.field("flags").as_u64());
        self.accept(request, Some(id), pings, false);
        Ok(Answer::Json(self.shown_message(id)))
    }

    /// Whether the bot may write here.
    pub(super) fn may_post(&self, channel: &Channel) -> Result<(), Refusal> {
        if !crate::discord_double::people::takes_messages(channel) {
            return Err(Refusal::of(400, 50008, "Cannot send messages in a non-text channel"));
        }
        let recipient = channel.recipient.and_then(|person| self.people.get(&person));
        if recipient.is_some_and(|person| person.is_closed || person.is_bot) {
            return Err(Refusal::of(403, 50007, "Cannot send messages to this user"));
        }
        let needed = match &channel.thread {
            Some(thread) if thread.is_locked && !self.may(channel, Permission::MANAGE_THREADS) => {
                return Err(Refusal::of(400, 160_005, "Thread is locked"));
            }
            Some(_) => Permission::SEND_MESSAGES_IN_THREADS,
            None => Permission::SEND_MESSAGES,
        };
        if self.may(channel, needed) {
            Ok(())
        } else {
            Err(Refusal::missing_permissions())
        }
    }

    /// The message that a nonce has made before.
    fn known(&self, channel: u64, nonce: &str) -> Option<u64> {
        let (at, message) = self.nonces.get(&(channel, nonce.to_owned()))?;
        let is_remembered = self.at.saturating_sub(*at) < self.settings.nonce_memory;
        (is_remembered && self.messages.contains_key(message)).then_some(*message)
    }

    /// The message that is replied to.
    fn replied(&self, request: &Request, channel: &Channel) -> Result<Option<u64>, Refusal> {
        let reference = request.field("message_reference");
        let Some(id) = reference["message_id"]
            .as_str()
            .and_then(|id| id.parse().ok())
            .or(reference["message_id"].as_u64())
        else {
            return Ok(None);
        };
        if !self.may(channel, Permission::READ_MESSAGE_HISTORY) {
            return Err(Refusal::of(
                400,
                160_002,
                "Cannot reply without permission to read message history",
            ));
        }
        let wrong = |code: &str, words: &str| Err(Refusal::form("message_reference", code, words));
        match self.messages.get(&id).filter(|message| message.channel == channel.id) {
            Some(message) if matches!(message.kind, kind::REGULAR | kind::REPLY | kind::COMMAND) => Ok(Some(id)),
            Some(_) => wrong(
                "REPLIES_CANNOT_REPLY_TO_SYSTEM_MESSAGE",
                "Cannot reply to a system message",
            ),
            None if reference["fail_if_not_exists"] == false => Ok(None),
            None => wrong("REPLIES_UNKNOWN_MESSAGE", "Unknown message"),
        }
    }

    fn keep_slow(&mut self, channel: &Channel) -> Result<(), Refusal> {
        let at = self.at;
        let is_exempt = channel.guild.is_none() || self.may(channel, Permission::BYPASS_SLOWMODE);
        let free = channel.last_bot_post.map_or(at, |last| last + channel.slow);
        if !is_exempt && free > at {
            let wait = free.saturating_sub(at).as_secs_f64();
            let words = "This action cannot be performed due to slowmode rate limit";
            return Err(Refusal {
                wait: Some((wait, Scope::Shared)),
                ..Refusal::of(429, 20016, words)
            });
        }
        if let Some(channel) = self.channels.get_mut(&channel.id) {
            channel.last_bot_post = Some(at);
        }
        Ok(())
    }

    /// Puts a message of the bot into a channel, and tells of it.
    pub(super) fn post(
        &mut self,
        channel: &Channel,
        draft: Draft,
        nonce: Option<String>,
        replied: Option<u64>,
        flags: Option<u64>,
    ) -> u64 {
        let id = self.new_id();
        self.post_as(id, channel, draft, nonce, replied, flags)
    }

    /// As [`World::post`], under this number.
    pub(super) fn post_as(
        &mut self,
        id: u64,
        channel: &Channel,
        draft: Draft,
        nonce: Option<String>,
        replied: Option<u64>,
        flags: Option<u64>,
    ) -> u64 {
        self.wake(channel.id);
        let files = self.keep_files(channel.id, draft.files);
        if let Some(nonce) = &nonce {
            self.nonces.insert((channel.id, nonce.clone()), (self.at, id));
        }
        let message = Message {
            id,
            channel: channel.id,
            author: self.bot(),
            kind: if replied.is_some() { kind::REPLY } else { kind::REGULAR },
            content: draft.content,
            nonce: nonce.map(Value::from),
            reply_to: replied,
            embeds: draft.embeds,
            components: draft.components,
            files,
            flags: flags.unwrap_or_default(),
            ..Message::default()
        };
        self.typing.remove(&channel.id);
        self.insert_message(message);
        self.record(id, RecordAct::Posted);
        self.tell_message("MESSAGE_CREATE", id);
        id
    }

    pub(super) fn keep_files(&mut self, channel: u64, files: Vec<crate::multipart::Upload>) -> Vec<u64> {
        let keep = |upload| {
            let id = self.new_id();
            self.files.keep(id, channel, upload, None);
            id
        };
        files.into_iter().map(keep).collect()
    }

    pub(super) fn create_dm(&mut self, request: &Request) -> Done {
        let recipient = request.field("recipient_id");
        let person = recipient.as_str().and_then(|id| id.parse().ok()).or(recipient.as_u64());
        let person = person.filter(|person| self.people.contains_key(person) && *person != self.bot());
        let person = person.ok_or_else(|| Refusal::of(400, 50033, "Invalid Recipient(s)"))?;
        let id = self.conversation(person);
        let body = self.channel(id).map(|channel| self.channel_json(channel))?;
        Ok(Answer::Json(body))
    }

    /// Starts a thread in a forum, with its first message.
    pub(super) fn bot_forum_post(&mut self, request: &Request, forum: &Channel) -> Done {
        let inner = request.body.get("message").cloned().unwrap_or_else(|| json!({}));
        let draft = self.draft(request, &inner, None)?;
        let pings = self.pings(request, &draft, None);
        let id = self.new_id();
        self.new_bot_thread(request, id, forum, place::kind::PUBLIC_THREAD)?;
        let thread = self.channel(id)?.clone();
        self.post_as(id, &thread, draft, None, None, None);
        let mut body = self.channel(id)?.json();
        let message = self.shown_message(id);
        crate::discord_double::refusal::insert(&mut body, "message", message);
        self.accept(request, Some(id), pings, false);
        Ok(Answer::Created(body))
    }
}

fn nonce(body: &Value) -> Result<Option<String>, Refusal> {
    let nonce = match body.get("nonce").unwrap_or(&Value::Null) {
        Value::Null => return Ok(None),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    if nonce.chars().count() > LONGEST_NONCE {
        return Err(Refusal::too_long("nonce", LONGEST_NONCE));
    }
    Ok(Some(nonce))
}
