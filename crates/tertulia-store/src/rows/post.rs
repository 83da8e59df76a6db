//! The column `body` of a slot.

use serde::{Deserialize, Serialize};
use tertulia_message::{Button, FileRef, Markup, Post};

use super::body::FileRow;
use super::json;
use super::markup::{self, BlockRow};
use crate::fault::Fault;

/// The deepest JSON that is written: the reader takes 128 levels, and a row that nobody can read would be lost.
const MAX_DEPTH: usize = 120;

#[derive(Serialize, Deserialize, Default)]
#[serde(default)]
struct PostRow {
    blocks: Vec<BlockRow>,
    files: Vec<FileRow>,
    buttons: Vec<ButtonRow>,
    quote: bool,
}

#[derive(Serialize, Deserialize, Default)]
#[serde(default)]
struct ButtonRow {
    label: String,
    token: String,
}

pub(crate) fn write(post: &Post) -> Result<String, Fault> {
    let text = json(&PostRow::from(post.clone()))?;
    if depth(&text) <= MAX_DEPTH {
        return Ok(text);
    }
    let plain = Markup::text(post.markup.plain());
    json(&PostRow::from(Post {
        markup: plain,
        ..post.clone()
    }))
}

pub(crate) fn read(text: &str) -> Result<Post, Fault> {
    let row: PostRow = serde_json::from_str(text)?;
    let button = |row: ButtonRow| Button {
        label: row.label,
        token: row.token,
    };
    Ok(Post {
        markup: markup::read(row.blocks),
        files: row.files.into_iter().map(FileRef::from).collect(),
        buttons: row.buttons.into_iter().map(button).collect(),
        quote: row.quote,
    })
}

impl From<Post> for PostRow {
    fn from(post: Post) -> Self {
        let button = |button: Button| ButtonRow {
            label: button.label,
            token: button.token,
        };
        Self {
            blocks: markup::write(post.markup.blocks),
            files: post.files.into_iter().map(FileRow::from).collect(),
            buttons: post.buttons.into_iter().map(button).collect(),
            quote: post.quote,
        }
    }
}

/// How deeply a JSON text is nested.
fn depth(text: &str) -> usize {
    let (mut open, mut deepest, mut quoted, mut escaped) = (0_usize, 0, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = quoted,
            b'"' => quoted = !quoted,
            b'[' | b'{' if !quoted => open += 1,
            b']' | b'}' if !quoted => open = open.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(open);
    }
    deepest
}

#[cfg(test)]
mod tests {
    use tertulia_message::{Block, Inline};

    use super::*;

    #[test]
    fn depth_counts_brackets_outside_strings() {
        assert_eq!(depth(r#"{"a":[1,"[[\"{{","\\"],"b":[[]]}"#), 3);
    }

    #[test]
    fn what_is_nested_too_deeply_stays_readable() {
        let mut blocks = vec![Block::Paragraph(vec![Inline::Text("deep".to_owned())])];
        for _ in 0..100 {
            blocks = vec![Block::Quote(blocks)];
        }
        let post = read(&write(&Post::of(Markup { blocks })).unwrap()).unwrap();
        assert!(post.markup.plain().ends_with("deep"));
    }
}
