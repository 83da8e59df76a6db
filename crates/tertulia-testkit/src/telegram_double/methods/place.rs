//! Where a new message of the bot goes: topic, thread, and what it replies to.

use serde_json::Value;

use super::Call;
use crate::telegram_double::chat::{Chat, Kind, Standing, Topic};
use crate::telegram_double::refusal::Refusal;
use crate::telegram_double::text::units;
use crate::telegram_double::world::World;

const LONGEST_QUOTE: usize = 1024;

/// Where a new message goes.
#[derive(Debug, Clone, Default)]
pub(super) struct Target {
    pub(super) chat: i64,
    pub(super) topic: Option<i64>,
    pub(super) thread: Option<i64>,
    pub(super) reply_to: Option<i64>,
    pub(super) quote: Option<String>,
}

impl World {
    /// Where a new message goes, if the bot may put one there.
    pub(super) fn place(&self, call: &Call<'_>) -> Result<Target, Refusal> {
        let chat = self.target(call)?;
        if chat.standing == Standing::Muted {
            return Err(Refusal::bad("not enough rights to send text messages to the chat"));
        }
        let (reply_to, quote) = reply(call, chat)?;
        let mut target = Target {
            chat: chat.id,
            reply_to,
            quote,
            ..Target::default()
        };
        match call
            .params
            .number::<i64>("message_thread_id")
            .filter(|thread| *thread != 0)
        {
            Some(thread) => enter(chat, thread, &mut target)?,
            None => follow(chat, &mut target),
        }
        let is_closed = target
            .topic
            .is_some_and(|topic| chat.topics.get(&topic) == Some(&Topic::Closed));
        if is_closed && chat.standing != Standing::Admin {
            return Err(Refusal::bad("TOPIC_CLOSED"));
        }
        Ok(target)
    }

    /// Checks a thread for what leaves no message: General has the number 1 there.
    pub(super) fn sign_topic(&self, call: &Call<'_>) -> Result<Option<i64>, Refusal> {
        let chat = self.target(call)?;
        let thread = call
            .params
            .number::<i64>("message_thread_id")
            .filter(|thread| *thread != 0);
        let Some(thread) = thread.filter(|thread| !(chat.is_forum() && *thread == 1)) else {
            return Ok(None);
        };
        let mut target = Target::default();
        enter(chat, thread, &mut target)?;
        Ok(target.topic)
    }
}

/// A thread that the bot names.
fn enter(chat: &Chat, thread: i64, target: &mut Target) -> Result<(), Refusal> {
    let unknown = || Refusal::bad("message thread not found");
    match chat.kind {
        Kind::Supergroup { forum: true } | Kind::Private => {
            let topic = chat.topics.get(&thread).filter(|topic| **topic != Topic::Deleted);
            topic.ok_or_else(unknown)?;
            target.topic = Some(thread);
        }
        Kind::Supergroup { forum: false } => {
            chat.messages.get(&thread).ok_or_else(unknown)?;
            target.thread = Some(chat.root(thread));
        }
        Kind::Group | Kind::Channel => return Err(unknown()),
    }
    Ok(())
}

/// Without a thread a reply stands where the message stands that it is to.
fn follow(chat: &Chat, target: &mut Target) {
    let replied = target.reply_to.and_then(|id| chat.messages.get(&id));
    target.topic = replied.and_then(|message| message.topic);
    if chat.kind == (Kind::Supergroup { forum: false }) {
        target.thread = target.reply_to.map(|id| chat.root(id));
    }
}

fn reply(call: &Call<'_>, chat: &Chat) -> Result<(Option<i64>, Option<String>), Refusal> {
    let mut parameters = call.params.value("reply_parameters")?.unwrap_or_default();
    if let Some(id) = call.params.number::<i64>("reply_to_message_id") {
        let lenient = call.params.is_set("allow_sending_without_reply");
        parameters = serde_json::json!({"message_id": id, "allow_sending_without_reply": lenient});
    }
    if parameters.is_null() {
        return Ok((None, None));
    }
    let id = parameters.get("message_id").and_then(Value::as_i64);
    let id = id.ok_or_else(|| Refusal::bad("message identifier is not specified"))?;
    let lenient = parameters.get("allow_sending_without_reply").and_then(Value::as_bool) == Some(true);
    let elsewhere = parameters
        .get("chat_id")
        .and_then(Value::as_i64)
        .is_some_and(|other| other != chat.id);
    let Some(replied) = chat.messages.get(&id).filter(|_| !elsewhere) else {
        return if lenient {
            Ok((None, None))
        } else {
            Err(Refusal::bad("message to be replied not found"))
        };
    };
    let quote = parameters.get("quote").and_then(Value::as_str).map(str::to_owned);
    if let Some(quote) = &quote
        && (quote.is_empty() || units(quote) > LONGEST_QUOTE || !replied.text.text.contains(quote.as_str()))
    {
        return Err(Refusal::bad("QUOTE_TEXT_INVALID"));
    }
    Ok((Some(id), quote))
}
