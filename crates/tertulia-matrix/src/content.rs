//! The contents of events that go out, as JSON; in encrypted rooms the client library encrypts them as they are.

use serde_json::{Map, Value, json};

use crate::relation::Relation;
use crate::render::Rendered;

/// The name under which a content holds its transaction id, for looking it up when the server has forgotten it.
pub(crate) const KEY: &str = "org.tertulia.key";
/// What stands before the body of an edit, for clients that know no edits.
const EDITED: &str = "* ";

/// Longer names of files are cut, in characters.
const LONGEST_NAME: usize = 120;

/// The content of an event.
pub(crate) type Content = Map<String, Value>;

/// A new message.
#[must_use]
pub(crate) fn message(rendered: &Rendered, relation: &Relation, transaction: &str) -> Content {
    let mut content = text(rendered, "");
    if let Some(relation) = relation.json() {
        content.insert("m.relates_to".to_owned(), relation);
    }
    content.insert(KEY.to_owned(), transaction.into());
    content
}

/// A new content of the message with the id `of`, which stays in its thread and keeps what it replies to.
#[must_use]
pub(crate) fn edit(rendered: &Rendered, of: &str, transaction: &str) -> Content {
    let mut content = text(rendered, EDITED);
    // whoever was mentioned is not called again
    content.insert("m.mentions".to_owned(), json!({}));
    content.insert("m.new_content".to_owned(), text(rendered, "").into());
    content.insert(
        "m.relates_to".to_owned(),
        json!({ "rel_type": "m.replace", "event_id": of }),
    );
    content.insert(KEY.to_owned(), transaction.into());
    content
}

/// What a file is called and how large it is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct File<'a> {
    /// Its name.
    pub(crate) name: &'a str,
    /// Its type.
    pub(crate) mime: &'a str,
    /// Its size in bytes.
    pub(crate) size: usize,
    /// Width and height of a picture, where known.
    pub(crate) picture: Option<(u32, u32)>,
}

/// A file as a message of its own. Its `source` is `{"url": ..}`, or `{"file": ..}` with the keys of what was encrypted; the
/// `caption` is what stands in place of the name, as [`caption`] gives it.
#[must_use]
pub(crate) fn file(
    file: &File<'_>,
    caption: Option<Content>,
    source: &Content,
    relation: &Relation,
    transaction: &str,
) -> Content {
    let kind = match file.mime.split('/').next() {
        Some("image") => "m.image",
        Some("audio") => "m.audio",
        Some("video") => "m.video",
        _ => "m.file",
    };
    let name: String = file
        .name
        .chars()
        .filter(|c| !c.is_control())
        .take(LONGEST_NAME)
        .collect();
    let mut info = json!({ "mimetype": file.mime, "size": file.size });
    if let (Some((width, height)), Value::Object(info)) = (file.picture, &mut info) {
        info.insert("w".to_owned(), width.into());
        info.insert("h".to_owned(), height.into());
    }
    let mut content = source.clone();
    content.insert("body".to_owned(), name.as_str().into());
    content.insert("m.mentions".to_owned(), json!({}));
    content.extend(caption.unwrap_or_default());
    content.insert("msgtype".to_owned(), kind.into());
    content.insert("filename".to_owned(), name.into());
    content.insert("info".to_owned(), info);
    if file.mime.starts_with("audio/ogg") {
        // what marks a voice message, which clients play without a name
        content.insert("org.matrix.msc3245.voice".to_owned(), json!({}));
    }
    if let Some(relation) = relation.json() {
        content.insert("m.relates_to".to_owned(), relation);
    }
    content.insert(KEY.to_owned(), transaction.into());
    content
}

/// What is said about a file, to stand in its message.
#[must_use]
pub(crate) fn caption(rendered: &Rendered) -> Content {
    text(rendered, "")
}

/// A sign at a message; its type is `m.reaction`, and it is never encrypted.
#[must_use]
pub(crate) fn reaction(to: &str, sign: &str) -> Content {
    let relation = json!({ "rel_type": "m.annotation", "event_id": to, "key": sign });
    Map::from_iter([("m.relates_to".to_owned(), relation)])
}

/// What a message and its edit have in common. The mentions are always there: without them, clients would look for names.
fn text(rendered: &Rendered, before: &str) -> Content {
    let mut content = Map::new();
    content.insert("msgtype".to_owned(), "m.text".into());
    content.insert("body".to_owned(), format!("{before}{}", rendered.body).into());
    if let Some(html) = &rendered.html {
        content.insert("format".to_owned(), "org.matrix.custom.html".into());
        content.insert("formatted_body".to_owned(), format!("{before}{html}").into());
    }
    let mentions = if rendered.mentions.is_empty() {
        json!({})
    } else {
        json!({ "user_ids": rendered.mentions })
    };
    content.insert("m.mentions".to_owned(), mentions);
    content
}

#[cfg(test)]
mod tests;
