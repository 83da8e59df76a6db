//! New messages: of text, or with a file.

use serde::{Deserialize, Serialize};
use teloxide::payloads::SendMessage;
use teloxide::types::{ChatId, InlineKeyboardMarkup, LinkPreviewOptions, MessageId, ReplyParameters, ThreadId};
use tertulia_message::{Attachment, DeliverError, Outbound, Post};

use super::content::Content;
use super::file::{self, Kind};
use super::outcome::Refusal;
use super::{message_of, refusal_of, thread, told};
use crate::error::CallError;
use crate::place::{MessageRef, Place};
use crate::telegram::Telegram;

/// What Telegram answers to a message: that message.
#[derive(Debug, Deserialize)]
struct Sent {
    message_id: i64,
}

/// The parts of a message that it can do without.
#[derive(Debug, Clone, PartialEq)]
struct Form {
    topic: Option<ThreadId>,
    reply: Option<ReplyParameters>,
    keyboard: Option<InlineKeyboardMarkup>,
    kind: Kind,
}

pub(super) async fn post(
    telegram: &Telegram,
    place: Place,
    outbound: &Outbound,
    post: &Post,
) -> Result<MessageRef, DeliverError> {
    let file = file::the_one(&outbound.files)?;
    let content = Content::of(post, file.is_some())?;
    let mut form = Form {
        topic: thread(place),
        reply: reply(place, outbound, post),
        keyboard: content.keyboard.clone(),
        kind: file.map_or(Kind::Document, Kind::of),
    };
    telegram.signs.make_way(place).await;
    loop {
        let error = match send(telegram, place, &content, file, &form).await {
            Ok(Sent { message_id: message }) => {
                let chat = place.chat;
                return Ok(MessageRef { chat, message });
            }
            Err(error) => error,
        };
        if !refusal_of(&error).is_some_and(|refusal| form.gives_way(refusal, place)) {
            return Err(told(telegram, place, error));
        }
        tracing::debug!(chat = place.chat, %error, "sent again without what was refused");
    }
}

/// In groups an answer shows to whom it is given. In private chats that would only repeat what stands right above.
/// A press of a button is no message, and one that stayed behind in a group that has moved cannot be answered.
fn reply(place: Place, outbound: &Outbound, post: &Post) -> Option<ReplyParameters> {
    if place.is_private() || !post.quote {
        return None;
    }
    let answered: MessageId = message_of(place, &outbound.re.as_ref()?.id)?;
    Some(ReplyParameters::new(answered).allow_sending_without_reply())
}

impl Form {
    /// Leaves out what was refused; false if that was not among what can be left out. Each part goes once, so this ends.
    fn gives_way(&mut self, refusal: Refusal, place: Place) -> bool {
        match refusal {
            // some servers do not find the topics of private chats; people read one conversation there anyway
            Refusal::NoTopic if place.is_private() => self.topic.take().is_some(),
            Refusal::NoReply => self.reply.take().is_some(),
            Refusal::Buttons => self.keyboard.take().is_some(),
            Refusal::File if self.kind != Kind::Document => {
                self.kind = Kind::Document;
                true
            }
            _ => false,
        }
    }
}

async fn send(
    telegram: &Telegram,
    place: Place,
    content: &Content,
    file: Option<&Attachment>,
    form: &Form,
) -> Result<Sent, CallError> {
    match file {
        None => telegram.api.call(&message(place, content, form)).await,
        Some(file) => {
            let body = upload(place, content, file, form);
            telegram.api.upload(form.kind.method(), body).await
        }
    }
}

fn message(place: Place, content: &Content, form: &Form) -> SendMessage {
    let mut message = SendMessage::new(ChatId(place.chat), content.text.clone());
    message.entities = Some(content.entities.clone()).filter(|entities| !entities.is_empty());
    message.link_preview_options = Some(no_preview());
    message.message_thread_id = form.topic;
    message.reply_parameters.clone_from(&form.reply);
    message.reply_markup = form.keyboard.clone().map(Into::into);
    message
}

/// A page's picture below an answer that merely names the page would be more than the answer.
pub(super) fn no_preview() -> LinkPreviewOptions {
    LinkPreviewOptions {
        is_disabled: true,
        url: None,
        prefer_small_media: false,
        prefer_large_media: false,
        show_above_text: false,
    }
}

fn upload(place: Place, content: &Content, file: &Attachment, form: &Form) -> reqwest::multipart::Form {
    let body = reqwest::multipart::Form::new()
        .text("chat_id", place.chat.to_string())
        .part(form.kind.field(), file::part(file));
    let text = Some(&content.text).filter(|text| !text.is_empty());
    let entities = Some(&content.entities).filter(|entities| !entities.is_empty());
    let fields = [
        ("message_thread_id", form.topic.map(|topic| topic.to_string())),
        ("caption", text.cloned()),
        ("caption_entities", entities.and_then(json)),
        ("reply_parameters", form.reply.as_ref().and_then(json)),
        ("reply_markup", form.keyboard.as_ref().and_then(json)),
    ];
    fields.into_iter().fold(body, |body, (name, value)| match value {
        Some(value) => body.text(name, value),
        None => body,
    })
}

/// Numbers, texts and lists of them: this never fails.
fn json(value: &impl Serialize) -> Option<String> {
    serde_json::to_string(value).ok()
}

#[cfg(test)]
mod tests {
    use tertulia_message::{Act, Markup, ReplyRef};

    use super::*;

    fn outbound(re: &str) -> Outbound {
        Outbound {
            path: "telegram_bot/-100".parse().unwrap(),
            key: "k".to_owned(),
            re: Some(ReplyRef {
                id: re.to_owned(),
                token: None,
            }),
            act: Act::Post(Post::default()),
            files: Vec::new(),
        }
    }

    #[test]
    fn only_messages_of_the_same_group_are_answered_by_replies() {
        let quoted = Post {
            quote: true,
            ..Post::of(Markup::text("x"))
        };
        let of = |chat, re: &str, post: &Post| {
            let place = Place { chat, topic: None };
            reply(place, &outbound(re), post).map(|reply| reply.message_id.0)
        };
        assert_eq!(of(-100, "-100/7", &quoted), Some(7));
        for re in ["-50/7", "press/7", "update/7", "", "-100/99999999999"] {
            assert_eq!(of(-100, re, &quoted), None, "{re}");
        }
        assert_eq!(of(-100, "-100/7", &Post::default()), None);
        assert_eq!(of(100, "100/7", &quoted), None);
    }

    #[test]
    fn each_part_gives_way_once() {
        let full = Form {
            topic: Some(ThreadId(MessageId(4))),
            reply: Some(ReplyParameters::new(MessageId(7))),
            keyboard: Some(InlineKeyboardMarkup::default()),
            kind: Kind::Photo,
        };
        let [private, group] = [9, -9].map(|chat| Place { chat, topic: Some(4) });
        for refusal in [Refusal::NoTopic, Refusal::NoReply, Refusal::Buttons, Refusal::File] {
            let mut form = full.clone();
            assert!(form.gives_way(refusal, private), "{refusal:?}");
            assert_ne!(form, full);
            assert!(!form.gives_way(refusal, private), "{refusal:?}");
        }
        for refusal in [Refusal::NoTopic, Refusal::Content, Refusal::Gone, Refusal::TooLong] {
            let mut form = full.clone();
            assert!(!form.gives_way(refusal, group), "{refusal:?}");
            assert_eq!(form, full);
        }
    }
}
