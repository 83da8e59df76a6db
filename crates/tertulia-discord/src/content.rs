//! The bodies of what goes out. Nobody is ever called by them, and no preview of a link is ever made.

use serde_json::{Map, Value, json};
use tertulia_message::Button;

use crate::ids::Snowflake;

/// No previews: Discord would fetch addresses that a model made up.
const SUPPRESS_EMBEDS: u64 = 1 << 2;
/// Only who asked sees it.
const EPHEMERAL: u64 = 1 << 6;
/// Discord's bounds of buttons: in a row, rows, characters of a label and of a button's own word.
const IN_A_ROW: usize = 5;
const MOST_ROWS: usize = 5;
const LONGEST_LABEL: usize = 80;
const LONGEST_WORD: usize = 100;
/// The most characters of a file's name.
const LONGEST_NAME: usize = 200;

/// A new message.
#[derive(Debug, Clone, Copy, Default)]
pub struct Create<'a> {
    /// What it says; may be empty if files come along.
    pub text: &'a str,
    /// Our own word for it, see [`crate::nonce`]. Discord takes none with answers to interactions.
    pub nonce: Option<&'a str>,
    /// The message that it is shown as a reply to; if that is gone, it is shown alone.
    pub answers: Option<Snowflake>,
    /// Buttons below it.
    pub buttons: &'a [Button],
    /// The names of the files that come along, in their order.
    pub files: &'a [String],
    /// True if only who asked is to see it; only for answers to interactions.
    pub is_private: bool,
}

impl Create<'_> {
    /// The body of the request; with files it is the part `payload_json`, and they are the parts `files[n]`.
    #[must_use]
    pub fn body(&self) -> Value {
        let mut body = said(self.text, self.is_private);
        if let Some(nonce) = self.nonce {
            body.insert("nonce".to_owned(), nonce.into());
            body.insert("enforce_nonce".to_owned(), true.into());
        }
        if let Some(message) = self.answers {
            let reference = json!({"type": 0, "message_id": message, "fail_if_not_exists": false});
            body.insert("message_reference".to_owned(), reference);
        }
        let rows = rows(self.buttons);
        if !rows.is_empty() {
            body.insert("components".to_owned(), rows.into());
        }
        if !self.files.is_empty() {
            body.insert("attachments".to_owned(), attachments(self.files));
        }
        Value::Object(body)
    }
}

/// A new content of a message of ours, or of the answer to an interaction; its files stay, its buttons are these.
#[must_use]
pub fn edit(text: &str, buttons: &[Button]) -> Value {
    let mut body = said(text, false);
    body.insert("components".to_owned(), rows(buttons).into());
    Value::Object(body)
}

/// The first answer to an interaction, due within three seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Callback<'a> {
    /// To a slash command: an answer follows, by an edit.
    Later {
        /// True if only who asked is to see that; it holds for what follows.
        is_private: bool,
    },
    /// To a slash command: this is the answer, which only who asked sees.
    Private(&'a str),
    /// To a press of a button: it was heard, and nothing is shown.
    Heard,
}

impl Callback<'_> {
    /// The body of the request.
    #[must_use]
    pub fn body(self) -> Value {
        match self {
            Self::Later { is_private } => json!({"type": 5, "data": {"flags": if is_private { EPHEMERAL } else { 0 }}}),
            Self::Private(text) => json!({"type": 4, "data": said(text, true)}),
            Self::Heard => json!({"type": 6}),
        }
    }
}

fn said(text: &str, is_private: bool) -> Map<String, Value> {
    let flags = SUPPRESS_EMBEDS | if is_private { EPHEMERAL } else { 0 };
    let mut body = Map::new();
    body.insert("content".to_owned(), text.into());
    // without it Discord looks for mentions in the text, also of everybody, and also when it is edited
    let nobody = json!({"parse": [], "replied_user": false});
    body.insert("allowed_mentions".to_owned(), nobody);
    body.insert("flags".to_owned(), flags.into());
    body
}

fn rows(buttons: &[Button]) -> Vec<Value> {
    let is_one = |button: &&Button| !button.token.is_empty() && button.token.chars().count() <= LONGEST_WORD;
    let buttons: Vec<Value> = buttons
        .iter()
        .filter(is_one)
        .take(IN_A_ROW * MOST_ROWS)
        .map(button)
        .collect();
    let rows = buttons.chunks(IN_A_ROW);
    rows.map(|row| json!({"type": 1, "components": row})).collect()
}

fn button(button: &Button) -> Value {
    let label: String = button.label.trim().chars().take(LONGEST_LABEL).collect();
    let label = if label.is_empty() { "…".to_owned() } else { label };
    json!({"type": 2, "style": 2, "label": label, "custom_id": button.token})
}

fn attachments(names: &[String]) -> Value {
    let of = |(nth, name): (usize, &String)| json!({"id": nth, "filename": file_name(name)});
    names.iter().enumerate().map(of).collect()
}

/// A name without what would lead elsewhere, or hide its end.
#[must_use]
pub fn file_name(name: &str) -> String {
    let is_plain = |c: &char| {
        !c.is_control() && !matches!(c, '/' | '\\' | '"' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
    };
    let name: String = name.chars().filter(is_plain).take(LONGEST_NAME).collect();
    let name = name.trim().trim_start_matches('.');
    if name.is_empty() {
        "file".to_owned()
    } else {
        name.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn buttons(number: usize) -> Vec<Button> {
        let of = |nth| Button {
            label: format!("b{nth}"),
            token: format!("t{nth}"),
        };
        (0..number).map(of).collect()
    }

    #[test]
    fn a_message_is_whole() {
        let files = ["a.png".to_owned(), "../x\u{202e}\"/.txt".to_owned()];
        let create = Create {
            text: "hi",
            nonce: Some("n"),
            answers: Snowflake::new(7),
            buttons: &buttons(1),
            files: &files,
            is_private: false,
        };
        let expected = json!({"content": "hi", "nonce": "n", "enforce_nonce": true, "flags": 4,
            "allowed_mentions": {"parse": [], "replied_user": false},
            "message_reference": {"type": 0, "message_id": "7", "fail_if_not_exists": false},
            "components": [{"type": 1, "components": [{"type": 2, "style": 2, "label": "b0", "custom_id": "t0"}]}],
            "attachments": [{"id": 0, "filename": "a.png"}, {"id": 1, "filename": "x.txt"}]});
        assert_eq!(create.body(), expected);
        let private = Create {
            text: "x",
            is_private: true,
            ..Create::default()
        };
        let expected = json!({"content": "x", "flags": 68, "allowed_mentions": {"parse": [], "replied_user": false}});
        assert_eq!(private.body(), expected);
    }

    #[test]
    fn an_edit_takes_buttons_away_and_calls_nobody() {
        let expected = json!({"content": "x", "flags": 4, "components": [], "allowed_mentions": {"parse": [], "replied_user": false}});
        assert_eq!(edit("x", &[]), expected);
    }

    #[test]
    fn buttons_stand_in_rows_within_bounds() {
        let lengths = |number| -> Vec<usize> {
            let rows = rows(&buttons(number));
            rows.iter()
                .map(|row| row["components"].as_array().unwrap().len())
                .collect()
        };
        assert_eq!((lengths(0), lengths(5), lengths(7)), (vec![], vec![5], vec![5, 2]));
        assert_eq!(lengths(99), vec![5; 5]);
        let odd = [("", "x"), ("x", ""), ("ä", &"y".repeat(101))];
        let odd = odd.map(|(label, token)| Button {
            label: label.repeat(100),
            token: token.to_owned(),
        });
        assert_eq!(
            rows(&odd)[0]["components"],
            json!([{"type": 2, "style": 2, "label": "…", "custom_id": "x"}])
        );
    }

    #[test]
    fn interactions_are_answered_at_once() {
        assert_eq!(
            Callback::Later { is_private: false }.body(),
            json!({"type": 5, "data": {"flags": 0}})
        );
        assert_eq!(
            Callback::Later { is_private: true }.body(),
            json!({"type": 5, "data": {"flags": 64}})
        );
        assert_eq!(Callback::Heard.body(), json!({"type": 6}));
        let private = Callback::Private("no").body();
        assert_eq!((&private["type"], &private["data"]["flags"]), (&json!(4), &json!(68)));
        assert_eq!(private["data"]["allowed_mentions"]["parse"], json!([]));
    }

    proptest! {
        #[test]
        fn names_of_files_lead_nowhere(name in "\\PC{0,300}|[./\\\\ \"a]{0,9}") {
            let name = file_name(&name);
            prop_assert!(!name.is_empty() && !name.starts_with('.') && name.chars().count() <= LONGEST_NAME);
            prop_assert!(!name.contains(['/', '\\', '"', '\n']));
        }
    }
}
