//! What the bot does: each call is counted, then gated, then struck by a fault or executed.

use std::time::Duration;

use super::{Access, Message, Platform};
use crate::chat_double::calls::{Call, CallKind, Edited, NewEdit, NewPost, Refusal, Spot};
use crate::chat_double::faults::Fault;
use crate::chat_double::people::Update;
use crate::chat_double::record::RecordAct;
use crate::chat_double::rules::Kind;

const LONGEST_KEY: usize = 200;
/// In bytes.
const LONGEST_TOKEN: usize = 64;
/// In characters.
const LONGEST_NOTE: usize = 200;

impl Platform {
    pub(in crate::chat_double) fn updates(&mut self, at: Duration, after: Option<u64>, most: usize) -> Vec<Update> {
        let handed = self.queue.hand_out(after, most);
        if handed.overreached {
            self.violate(at, "confirmed an update that was never handed out".to_owned());
        }
        self.counts.redelivered += handed.again;
        handed.updates
    }

    pub(in crate::chat_double) fn post(&mut self, at: Duration, post: &NewPost) -> Result<u64, Refusal> {
        let call = self.call(CallKind::Post, &post.spot, &post.text, post.formatted);
        self.perform(at, &call, |platform| platform.execute_post(at, post))
    }

    pub(in crate::chat_double) fn edit(&mut self, at: Duration, edit: &NewEdit) -> Result<Edited, Refusal> {
        let call = self.call(CallKind::Edit, &edit.spot, &edit.text, edit.formatted);
        self.perform(at, &call, |platform| platform.execute_edit(at, edit))
    }

    pub(in crate::chat_double) fn delete(&mut self, at: Duration, spot: &Spot, message: &str) -> Result<(), Refusal> {
        let call = self.call(CallKind::Delete, spot, "", false);
        self.perform(at, &call, |platform| platform.execute_delete(at, spot, message))
    }

    /// A look-up is not gated: nobody gets anything from refusing it.
    pub(in crate::chat_double) fn find(&mut self, at: Duration, post: &NewPost) -> Result<Option<u64>, Refusal> {
        let call = self.call(CallKind::Find, &post.spot, &post.text, post.formatted);
        if self.faults.strike(&call).is_some() {
            return Err(Refusal::CannotTell);
        }
        self.check_key(at, post.key.as_deref());
        match self.rules.kind {
            Kind::Blind => Err(Refusal::CannotTell),
            Kind::Keyed => Ok(post.key.as_ref().and_then(|key| self.keys.get(key)).copied()),
            Kind::Findable => {
                let answers = self.answered_id(post)?;
                let same = |message: &Message| {
                    message.said.is_none() && message.in_reply_to == answers && message.key == post.key
                };
                let found = self
                    .messages
                    .iter()
                    .find(|(_, message)| !message.deleted && same(message));
                Ok(found.map(|(id, _)| *id))
            }
        }
    }

    pub(in crate::chat_double) fn typing(&mut self, at: Duration, spot: &Spot) {
        self.counts.typing += 1;
        if self.gates.holds(at, spot) {
            self.counts.typing_while_limited += 1;
        }
    }

    pub(in crate::chat_double) fn preview(&mut self, at: Duration, spot: &Spot, text: &str) -> Result<(), Refusal> {
        self.access(&spot.chat)?;
        self.check_text(at, text)?;
        self.counts.previews += 1;
        Ok(())
    }

    fn call(&mut self, kind: CallKind, spot: &Spot, text: &str, formatted: bool) -> Call {
        let of_kind = self.calls.entry(kind).or_default();
        *of_kind += 1;
        Call {
            kind,
            nth_of_kind: *of_kind,
            nth: self.calls.values().sum(),
            spot: spot.clone(),
            text: text.to_owned(),
            formatted,
        }
    }

    fn perform<T>(
        &mut self,
        at: Duration,
        call: &Call,
        execute: impl FnOnce(&mut Self) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        if let Some(shut) = self.gates.check(at, &call.spot, self.rules.grace) {
            if shut.violation {
                self.violate(at, format!("{:?} in {} while rate limited", call.kind, call.spot));
            }
            return Err(Refusal::RateLimited {
                after: shut.after,
                scope: shut.scope,
            });
        }
        match self.faults.strike(call) {
            None => execute(self),
            Some(Fault::UnsureExecuted) => execute(self).and(Err(Refusal::Unsure)),
            Some(Fault::Malformed) if !call.formatted => execute(self),
            Some(fault) => Err(self.suffer(at, fault, &call.spot)),
        }
    }

    /// A fault by which nothing is executed.
    fn suffer(&mut self, at: Duration, fault: Fault, spot: &Spot) -> Refusal {
        match fault {
            Fault::RateLimited { after, scope } => {
                self.gates.shut(at, spot, after, scope);
                Refusal::RateLimited { after, scope }
            }
            Fault::Lost => Refusal::Lost,
            Fault::UnsureExecuted | Fault::UnsureNotExecuted => Refusal::Unsure,
            Fault::TooLong => Refusal::TooLong,
            Fault::Malformed => Refusal::Malformed("formatting"),
            Fault::Gone => {
                self.close(&spot.chat, Access::Gone);
                Refusal::Gone
            }
            Fault::Refused => {
                self.close(&spot.chat, Access::Refused);
                Refusal::Refused
            }
            Fault::Moved(to) => {
                self.move_chat(at, &spot.chat, &to, false);
                Refusal::Moved(to)
            }
        }
    }

    fn execute_post(&mut self, at: Duration, post: &NewPost) -> Result<u64, Refusal> {
        self.access(&post.spot.chat)?;
        self.check_text(at, &post.text)?;
        self.check_buttons(at, &post.buttons)?;
        self.check_key(at, post.key.as_deref());
        let in_reply_to = self.answered_id(post)?;
        if let Some(first) = self.repeated(post.key.as_deref()) {
            self.counts.repeated_keys += 1;
            return Ok(first);
        }
        let id = self.insert(Message {
            spot: post.spot.clone(),
            said: None,
            text: post.text.clone(),
            buttons: post.buttons.clone(),
            key: post.key.clone(),
            in_reply_to,
            deleted: false,
        });
        self.remember(post.key.as_ref(), id);
        self.record(at, id, RecordAct::Posted, post.key.clone());
        Ok(id)
    }

    fn execute_edit(&mut self, at: Duration, edit: &NewEdit) -> Result<Edited, Refusal> {
        self.access(&edit.spot.chat)?;
        self.check_text(at, &edit.text)?;
        self.check_buttons(at, &edit.buttons)?;
        self.check_key(at, edit.key.as_deref());
        let (id, message) = self.own(&edit.spot.chat, &edit.message)?;
        if message.deleted {
            return Err(Refusal::NoMessage);
        }
        if message.text == edit.text && message.buttons == edit.buttons {
            self.counts.unchanged_edits += 1;
            return Ok(Edited::NotModified);
        }
        if self.repeated(edit.key.as_deref()).is_some() {
            self.counts.repeated_keys += 1;
            return Ok(Edited::NotModified);
        }
        let (_, message) = self.own(&edit.spot.chat, &edit.message)?;
        edit.text.clone_into(&mut message.text);
        edit.buttons.clone_into(&mut message.buttons);
        self.remember(edit.key.as_ref(), id);
        self.record(at, id, RecordAct::Edited, edit.key.clone());
        Ok(Edited::Changed)
    }

    fn execute_delete(&mut self, at: Duration, spot: &Spot, message: &str) -> Result<(), Refusal> {
        self.access(&spot.chat)?;
        let (id, message) = self.own(&spot.chat, message)?;
        if !message.deleted {
            message.deleted = true;
            self.record(at, id, RecordAct::Deleted, None);
        }
        Ok(())
    }

    /// A message of the bot, also a deleted one.
    fn own(&mut self, chat: &str, message: &str) -> Result<(u64, &mut Message), Refusal> {
        let id: u64 = message.parse().map_err(|_| Refusal::NoMessage)?;
        let message = self.messages.get_mut(&id).ok_or(Refusal::NoMessage)?;
        if message.said.is_some() || message.spot.chat != chat {
            return Err(Refusal::NoMessage);
        }
        Ok((id, message))
    }

    fn answered_id(&self, post: &NewPost) -> Result<Option<u64>, Refusal> {
        let Some(answered) = &post.in_reply_to else {
            return Ok(None);
        };
        let id = answered
            .parse()
            .map_err(|_| Refusal::Malformed("no such message to answer"))?;
        if self.messages.contains_key(&id) {
            Ok(Some(id))
        } else {
            Err(Refusal::Malformed("no such message to answer"))
        }
    }

    fn check_text(&mut self, at: Duration, text: &str) -> Result<(), Refusal> {
        let length = text.encode_utf16().count();
        if length > self.rules.text_limit {
            let limit = self.rules.text_limit;
            self.violate(at, format!("a text of {length} units where {limit} is the limit"));
            return Err(Refusal::TooLong);
        }
        if text.trim().is_empty() {
            self.violate(at, "an empty text".to_owned());
            return Err(Refusal::Malformed("empty"));
        }
        Ok(())
    }

    fn check_buttons(&mut self, at: Duration, tokens: &[String]) -> Result<(), Refusal> {
        let bad = |token: &String| !self.rules.buttons || token.is_empty() || token.len() > LONGEST_TOKEN;
        if let Some(token) = tokens.iter().find(|token| bad(token)) {
            self.violate(at, format!("a button that is not taken: {token}"));
            return Err(Refusal::Malformed("button"));
        }
        Ok(())
    }

    /// Shows whoever pressed a button what came of it, once.
    pub(in crate::chat_double) fn answer_press(&mut self, at: Duration, press: &str, text: &str) {
        let id = press.parse().ok();
        let is_press = |id: &u64| {
            self.messages
                .get(id)
                .is_some_and(|message| message.deleted && message.said.is_some())
        };
        match id.filter(is_press) {
            Some(id) if text.chars().count() <= LONGEST_NOTE => self.pressed.push((id, text.to_owned())),
            _ => self.violate(at, format!("an answer to no press, or a long one: {press}")),
        }
    }

    fn check_key(&mut self, at: Duration, key: Option<&str>) {
        let allowed = |char: char| char.is_ascii_alphanumeric() || "_.-".contains(char);
        let Some(key) = key else { return };
        if key.is_empty() || key.len() > LONGEST_KEY || !key.chars().all(allowed) {
            self.violate(at, format!("a key that no platform need take: {key}"));
        }
    }

    /// The message that a key stands for, on a platform that knows keys.
    fn repeated(&self, key: Option<&str>) -> Option<u64> {
        let keyed = self.rules.kind == Kind::Keyed;
        key.filter(|_| keyed).and_then(|key| self.keys.get(key)).copied()
    }

    fn remember(&mut self, key: Option<&String>, id: u64) {
        if let Some(key) = key {
            self.keys.entry(key.clone()).or_insert(id);
        }
    }
}
