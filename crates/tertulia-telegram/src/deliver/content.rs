//! What a message says and offers, in Telegram's terms.

use teloxide::types::{InlineKeyboardButton, InlineKeyboardMarkup, MessageEntity};
use tertulia_message::{Button, DeliverError, Post};

use crate::render::{Rendered, render};

/// The longest text and the longest caption, in UTF-16 units. Telegram's own check counts characters, which are never more.
pub(crate) const LONGEST_TEXT: usize = 4096;
const LONGEST_CAPTION: usize = 1024;
/// Clients show no more buttons in a row.
const IN_A_ROW: usize = 8;

/// Text and buttons of a message.
#[derive(Debug)]
pub(super) struct Content {
    pub(super) text: String,
    pub(super) entities: Vec<MessageEntity>,
    pub(super) keyboard: Option<InlineKeyboardMarkup>,
}

impl Content {
    /// The content of a message of text, or of one with a file, which has a caption or none.
    ///
    /// # Errors
    /// It is too long.
    pub(super) fn of(post: &Post, has_file: bool) -> Result<Self, DeliverError> {
        // only a file goes without words; elsewhere something stands for them
        let has_words = !has_file || !post.markup.is_blank();
        let Rendered { text, entities } = if has_words {
            render(&post.markup)
        } else {
            Rendered {
                text: String::new(),
                entities: Vec::new(),
            }
        };
        let longest = if has_file { LONGEST_CAPTION } else { LONGEST_TEXT };
        if text.encode_utf16().count() > longest {
            return Err(DeliverError::TooLong);
        }
        Ok(Self {
            text,
            entities,
            keyboard: keyboard(&post.buttons),
        })
    }
}

fn keyboard(buttons: &[Button]) -> Option<InlineKeyboardMarkup> {
    let row = |buttons: &[Button]| -> Vec<InlineKeyboardButton> {
        let button = |button: &Button| InlineKeyboardButton::callback(button.label.clone(), button.token.clone());
        buttons.iter().map(button).collect()
    };
    (!buttons.is_empty()).then(|| InlineKeyboardMarkup::new(buttons.chunks(IN_A_ROW).map(row)))
}

#[cfg(test)]
mod tests {
    use tertulia_message::Markup;

    use super::*;

    fn post(text: &str) -> Post {
        Post::of(Markup::text(text))
    }

    #[test]
    fn texts_and_captions_have_their_own_limits() {
        // two UTF-16 units each
        let emoji = |count: usize| post(&"😀".repeat(count));
        let too_long = |post: &Post, has_file| matches!(Content::of(post, has_file), Err(DeliverError::TooLong));
        assert!(!too_long(&emoji(2048), false) && too_long(&emoji(2049), false));
        assert!(!too_long(&emoji(512), true) && too_long(&emoji(513), true));
    }

    #[test]
    fn only_a_file_goes_without_text() {
        for blank in ["", " \n "] {
            assert_eq!(Content::of(&post(blank), true).unwrap().text, "");
            assert!(!Content::of(&post(blank), false).unwrap().text.trim().is_empty());
        }
    }

    #[test]
    fn buttons_stand_in_rows() {
        assert_eq!(keyboard(&[]), None);
        let buttons: Vec<Button> = (0..9)
            .map(|n| Button {
                label: format!("n{n}"),
                token: format!("stop.{n}"),
            })
            .collect();
        let rows = keyboard(&buttons).unwrap().inline_keyboard;
        assert_eq!(rows.iter().map(Vec::len).collect::<Vec<_>>(), [8, 1]);
        assert_eq!(rows[1][0], InlineKeyboardButton::callback("n8", "stop.8"));
    }
}
