//! Edits: the whole new content of a message of ours.

use serde::de::IgnoredAny;
use teloxide::payloads::{EditMessageCaption, EditMessageText};
use teloxide::types::{ChatId, InlineKeyboardMarkup, MessageId};
use tertulia_message::{DeliverError, Post};

use super::content::Content;
use super::outcome::Refusal;
use super::post::no_preview;
use super::{message_of, refusal_of, told};
use crate::error::CallError;
use crate::place::{MessageRef, Place};
use crate::telegram::Telegram;

/// How the message is to be edited. Its id does not tell whether it has a text or a caption.
#[derive(Debug, Clone, PartialEq)]
struct Form {
    is_caption: bool,
    /// What it has was learnt from a refusal.
    is_told: bool,
    /// Without one, a keyboard that is there goes away.
    keyboard: Option<InlineKeyboardMarkup>,
}

pub(super) async fn edit(telegram: &Telegram, place: Place, id: &str, post: &Post) -> Result<MessageRef, DeliverError> {
    let gone = || DeliverError::Missing("it stands in another chat".to_owned());
    let message = message_of(place, id).ok_or_else(gone)?;
    let mut form = Form {
        is_caption: !post.files.is_empty(),
        is_told: false,
        keyboard: None,
    };
    let content = Content::of(post, form.is_caption)?;
    form.keyboard.clone_from(&content.keyboard);
    let edited = MessageRef {
        chat: place.chat,
        message: i64::from(message.0),
    };
    loop {
        let Err(error) = change(telegram, place, message, &content, &form).await else {
            return Ok(edited);
        };
        match refusal_of(&error) {
            Some(Refusal::Unchanged) => return Ok(edited),
            Some(refusal) if form.gives_way(refusal) => {}
            _ => return Err(told(telegram, place, error)),
        }
    }
}

impl Form {
    /// Changes what was refused; false if that cannot be changed. Each part changes once, so this ends.
    fn gives_way(&mut self, refusal: Refusal) -> bool {
        match refusal {
            Refusal::HasCaption | Refusal::HasText if !self.is_told => {
                self.is_caption = refusal == Refusal::HasCaption;
                self.is_told = true;
                true
            }
            Refusal::Buttons => self.keyboard.take().is_some(),
            _ => false,
        }
    }
}

async fn change(
    telegram: &Telegram,
    place: Place,
    message: MessageId,
    content: &Content,
    form: &Form,
) -> Result<IgnoredAny, CallError> {
    let chat = ChatId(place.chat);
    let entities = Some(content.entities.clone()).filter(|entities| !entities.is_empty());
    if form.is_caption {
        let mut edit = EditMessageCaption::new(chat, message);
        edit.caption = Some(content.text.clone());
        edit.caption_entities = entities;
        edit.reply_markup.clone_from(&form.keyboard);
        return telegram.api.call(&edit).await;
    }
    let mut edit = EditMessageText::new(chat, message, content.text.clone());
    edit.entities = entities;
    edit.link_preview_options = Some(no_preview());
    edit.reply_markup.clone_from(&form.keyboard);
    telegram.api.call(&edit).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_message_has_is_learnt_once() {
        let mut form = Form {
            is_caption: false,
            is_told: false,
            keyboard: Some(InlineKeyboardMarkup::default()),
        };
        assert!(form.gives_way(Refusal::HasCaption) && form.is_caption);
        assert!(!form.gives_way(Refusal::HasText) && form.is_caption);
        assert!(form.gives_way(Refusal::Buttons) && form.keyboard.is_none());
        assert!(!form.gives_way(Refusal::Buttons));
        assert!(!form.gives_way(Refusal::NoMessage));
    }
}
