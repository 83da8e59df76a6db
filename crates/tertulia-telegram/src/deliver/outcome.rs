//! What Telegram's refusals mean, and what follows for a delivery.

use tertulia_message::DeliverError;

use crate::error::CallError;
use crate::gates::Gates;
use crate::place::Place;

/// What a refusal is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refusal {
    /// The message is what it was to become.
    Unchanged,
    /// There is no such message, or it cannot be changed any more.
    NoMessage,
    /// There is no such topic.
    NoTopic,
    /// The message that is answered is not there.
    NoReply,
    /// The message that was to get another text has a caption.
    HasCaption,
    /// The message that was to get another caption has a text.
    HasText,
    /// The buttons are not taken.
    Buttons,
    /// The file is not taken as what it was sent as.
    File,
    /// Files are not wanted there; text may be.
    NoFiles,
    /// Longer than Telegram takes.
    TooLong,
    /// The conversation is no longer there, or does not want us.
    Gone,
    /// We may not write there.
    Forbidden,
    /// Not taken in this form.
    Content,
    /// It says nothing about the conversation and its message: not Telegram's words, or about the bot.
    Elsewhere,
}

/// Telegram's words in lower case, the first that fit count.
///
/// Codes in capitals come from its inner servers, and sentences from the Bot API's; both reach bots behind "Bad Request: ".
const WORDS: &[(Refusal, &[&str])] = &[
    (Refusal::Unchanged, &["message is not modified", "message_not_modified"]),
    (
        Refusal::NoReply,
        &[
            "message to be replied not found",
            "replied message not found",
            "reply_message_id_invalid",
        ],
    ),
    (
        Refusal::NoMessage,
        &[
            "message to edit not found",
            "message can't be edited",
            "message to delete not found",
            "message can't be deleted",
            "message_id_invalid",
            "message_edit_time_expired",
            "message_author_required",
            "message_delete_forbidden",
            "message identifier is not specified",
        ],
    ),
    (Refusal::NoTopic, &["message thread not found"]),
    (Refusal::HasCaption, &["there is no text in the message to edit"]),
    (Refusal::HasText, &["there is no caption in the message to edit"]),
    (
        Refusal::TooLong,
        &[
            "message is too long",
            "message_too_long",
            "caption is too long",
            "caption_too_long",
            "text is too long",
        ],
    ),
    // it comes without the new address, which a service message brings
    (Refusal::Elsewhere, &["group chat was upgraded to a supergroup"]),
    (
        Refusal::Gone,
        &[
            "chat not found",
            "bot was blocked",
            "user is deactivated",
            "kicked",
            "is not a member",
            "can't initiate conversation",
            "can't send messages to bots",
            "peer_id_invalid",
            "chat_id_invalid",
            "channel_private",
            "user_is_blocked",
            "input_user_deactivated",
            "group chat was deactivated",
            "group chat was deleted",
        ],
    ),
    (
        Refusal::Forbidden,
        &["not enough rights to send text", "chat_send_plain_forbidden"],
    ),
    (Refusal::NoFiles, &["not enough rights to send ", "chat_send_"]),
    (
        Refusal::Forbidden,
        &[
            "topic_closed",
            "topic_deleted",
            "not enough rights",
            "have no rights",
            "need administrator rights",
            "chat_write_forbidden",
            "chat_admin_required",
            "chat_restricted",
            "chat_guest_send_forbidden",
            "user_restricted",
            "user_banned_in_channel",
        ],
    ),
    (
        Refusal::Buttons,
        &["button_", "inline keyboard", "reply markup", "reply_markup"],
    ),
    (
        Refusal::File,
        &[
            "photo_",
            "image_process_failed",
            "video_",
            "audio_",
            "voice_messages_forbidden",
            "media_invalid",
            "media_empty",
            "wrong file",
        ],
    ),
];

/// Reads a refusal. Only Telegram's own words may give up a conversation: a proxy or a firewall says 403 as well, and what it
/// says passes.
pub(super) fn refusal(code: u16, description: &str) -> Refusal {
    let words = description.to_lowercase();
    let is_telegrams = !words.is_empty();
    match code {
        // the file is too much for the server in front, which has words of its own
        413 => return Refusal::Content,
        400 | 403 if is_telegrams => {}
        // 401 and 404 mean the token, which an operator is about to replace; the long poll tells about it
        _ => return Refusal::Elsewhere,
    }
    let known = WORDS
        .iter()
        .find(|(_, any)| any.iter().any(|some| words.contains(some)));
    match known {
        Some((refusal, _)) => *refusal,
        None if code == 400 => Refusal::Content,
        None if words.starts_with("forbidden") => Refusal::Forbidden,
        None => Refusal::Elsewhere,
    }
}

/// What a failed call is to the courier. What is in doubt stays in doubt, also for edits: a late one may overtake the next.
pub(super) fn deliver_error(error: CallError, place: Place, interface: &str, gates: &Gates) -> DeliverError {
    match error {
        CallError::NotSent(why) => DeliverError::Lost(why),
        CallError::Unknown(why) => DeliverError::Unsure(why),
        CallError::RateLimited(after) => {
            let (after, scope) = gates.shut(place.chat, after);
            DeliverError::RateLimited { after, scope }
        }
        CallError::Moved(chat) => match place.moved_to(chat).path(interface) {
            Ok(path) => DeliverError::Moved(path),
            Err(error) => DeliverError::Lost(error.to_string()),
        },
        CallError::Refused { code, description } => refused(code, &description),
    }
}

fn refused(code: u16, description: &str) -> DeliverError {
    let why = format!("{code} {description}");
    match refusal(code, description) {
        Refusal::Elsewhere => DeliverError::Lost(why),
        Refusal::NoMessage => DeliverError::Missing(why),
        Refusal::NoTopic | Refusal::Gone => DeliverError::Gone(why),
        Refusal::Forbidden => DeliverError::Refused(why),
        Refusal::TooLong => DeliverError::TooLong,
        Refusal::Unchanged
        | Refusal::NoReply
        | Refusal::HasCaption
        | Refusal::HasText
        | Refusal::Buttons
        | Refusal::File
        | Refusal::NoFiles
        | Refusal::Content => DeliverError::Malformed(why),
    }
}

#[cfg(test)]
mod tests;
