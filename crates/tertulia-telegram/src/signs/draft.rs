//! Drafts: the text of an answer in the making, as it is shown until the message comes.

use serde::Serialize;
use teloxide::types::MessageEntity;
use tertulia_message::Markup;

use crate::deliver::{LONGEST_TEXT, thread};
use crate::place::Place;
use crate::render::{Rendered, render};

/// A text so far.
#[derive(Debug, PartialEq)]
pub(super) struct Draft {
    /// The same for all drafts of a turn.
    pub(super) id: i64,
    pub(super) text: String,
    pub(super) entities: Vec<MessageEntity>,
}

/// The parameters of `sendMessageDraft`, which teloxide does not know.
#[derive(Debug, Serialize)]
pub(super) struct SendMessageDraft<'a> {
    chat_id: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    message_thread_id: Option<i32>,
    draft_id: i64,
    text: &'a str,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    entities: &'a [MessageEntity],
}

impl Draft {
    /// A draft that Telegram takes; none if there is nothing to show yet.
    pub(super) fn of(id: i64, markup: &Markup) -> Option<Self> {
        // zero is no number of a draft
        if markup.is_blank() || id == 0 {
            return None;
        }
        let Rendered { text, entities } = render(markup);
        let (text, entities) = cut(text, entities, LONGEST_TEXT);
        Some(Self { id, text, entities })
    }

    pub(super) fn body(&self, place: Place) -> SendMessageDraft<'_> {
        SendMessageDraft {
            chat_id: place.chat,
            message_thread_id: thread(place).map(|thread| thread.0.0),
            draft_id: self.id,
            text: &self.text,
            entities: &self.entities,
        }
    }
}

/// The first `most` UTF-16 units, with the entities that are still in them.
fn cut(mut text: String, entities: Vec<MessageEntity>, most: usize) -> (String, Vec<MessageEntity>) {
    let mut units = 0;
    let end = text.char_indices().find_map(|(at, c)| {
        let fits = units + c.len_utf16() <= most;
        units += if fits { c.len_utf16() } else { 0 };
        (!fits).then_some(at)
    });
    let Some(end) = end else { return (text, entities) };
    text.truncate(end);
    let within = |mut entity: MessageEntity| {
        entity.length = entity.length.min(units.checked_sub(entity.offset)?);
        (entity.length > 0).then_some(entity)
    };
    (text, entities.into_iter().filter_map(within).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_draft_is_still_valid() {
        let entities = vec![
            MessageEntity::bold(0, 2),
            MessageEntity::code(1, 4),
            MessageEntity::italic(3, 2),
            MessageEntity::italic(4, 1),
        ];
        let of = |most| cut("a😀bc".to_owned(), entities.clone(), most);
        assert_eq!(of(5), ("a😀bc".to_owned(), entities.clone()));
        let bold = MessageEntity::bold(0, 2);
        let (code, italic) = (MessageEntity::code(1, 3), MessageEntity::italic(3, 1));
        assert_eq!(of(4), ("a😀b".to_owned(), vec![bold, code, italic]));
        // never half of a character
        assert_eq!(of(2), ("a".to_owned(), vec![MessageEntity::bold(0, 1)]));
        assert_eq!(of(0), (String::new(), Vec::new()));
    }

    #[test]
    fn nothing_is_no_draft() {
        assert_eq!(Draft::of(7, &Markup::text(" \n")), None);
        assert_eq!(Draft::of(0, &Markup::text("x")), None);
        let long = Draft::of(7, &Markup::text("x".repeat(5_000))).unwrap();
        assert_eq!(long.text.len(), LONGEST_TEXT);
    }

    #[test]
    fn a_draft_names_its_topic_if_it_has_one() {
        let draft = Draft::of(7, &Markup::text("x")).unwrap();
        let of = |topic| serde_json::to_string(&draft.body(Place { chat: 5, topic })).unwrap();
        assert_eq!(of(None), r#"{"chat_id":5,"draft_id":7,"text":"x"}"#);
        assert_eq!(
            of(Some(3)),
            r#"{"chat_id":5,"message_thread_id":3,"draft_id":7,"text":"x"}"#
        );
    }
}
