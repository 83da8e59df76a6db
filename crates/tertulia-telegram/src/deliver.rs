//! Posts, edits and deletes, and what their failures mean.
//!
//! One platform act each, never tried again. Where a refusal names the part that is not taken, the act is done without that part
//! in the same call: what was refused was surely not done.

mod content;
mod edit;
mod file;
mod outcome;
mod post;

use serde::de::IgnoredAny;
use teloxide::payloads::DeleteMessage;
use teloxide::types::{ChatId, MessageId, ThreadId};
use tertulia_message::{Act, DeliverError, Outbound, Receipt};

use crate::error::CallError;
use crate::place::{MessageRef, Place};
use crate::telegram::Telegram;
pub(crate) use content::LONGEST_TEXT;
use outcome::{Refusal, deliver_error, refusal};

pub(crate) async fn deliver(telegram: &Telegram, outbound: &Outbound) -> Result<Receipt, DeliverError> {
    let place = telegram
        .place(&outbound.path)
        .ok_or_else(|| DeliverError::Malformed("not a place of this interface".to_owned()))?;
    if let Some((after, scope)) = telegram.gates.rest(place.chat) {
        return Err(DeliverError::RateLimited { after, scope });
    }
    let done = match &outbound.act {
        Act::Post(post) => post::post(telegram, place, outbound, post).await.map(MessageRef::id),
        Act::Edit { id, post } => edit::edit(telegram, place, id, post).await.map(MessageRef::id),
        Act::Delete { id } => delete(telegram, place, id).await.map(|()| id.clone()),
    };
    match &done {
        Ok(_) => telegram.signs.delivered(place, matches!(outbound.act, Act::Post(_))),
        // nobody says that the bot is idle there any more
        Err(DeliverError::Moved(_) | DeliverError::Gone(_)) => telegram.signs.end(place),
        Err(_) => {}
    }
    done.map(|id| Receipt { id })
}

/// A message that is not there is deleted; so is one that stayed behind in a group that has moved.
async fn delete(telegram: &Telegram, place: Place, id: &str) -> Result<(), DeliverError> {
    let Some(message) = message_of(place, id) else {
        tracing::debug!(id, "a message that was to be deleted is not in this chat");
        return Ok(());
    };
    let payload = DeleteMessage::new(ChatId(place.chat), message);
    let Err(error) = telegram.api.call::<_, IgnoredAny>(&payload).await else {
        return Ok(());
    };
    if refusal_of(&error) == Some(Refusal::NoMessage) {
        tracing::debug!(id, %error, "a message that was to be deleted is gone, or too old");
        return Ok(());
    }
    Err(told(telegram, place, error))
}

/// The number of a message by which Telegram knows it, if it stands in the place's chat.
fn message_of(place: Place, id: &str) -> Option<MessageId> {
    let message = MessageRef::parse(id).filter(|message| message.chat == place.chat)?;
    i32::try_from(message.message).ok().map(MessageId)
}

/// The topic in Telegram's terms.
pub(crate) fn thread(place: Place) -> Option<ThreadId> {
    let topic = i32::try_from(place.topic?).ok()?;
    Some(ThreadId(MessageId(topic)))
}

fn refusal_of(error: &CallError) -> Option<Refusal> {
    match error {
        CallError::Refused { code, description } => Some(refusal(*code, description)),
        _ => None,
    }
}

fn told(telegram: &Telegram, place: Place, error: CallError) -> DeliverError {
    deliver_error(error, place, &telegram.name, &telegram.gates)
}
