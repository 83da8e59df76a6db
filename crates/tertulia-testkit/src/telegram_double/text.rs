//! Texts and the entities that format them, as the server checks them.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::refusal::Refusal;

/// The longest text of a message, in UTF-16 units.
pub(super) const LONGEST_TEXT: usize = 4096;
/// The longest caption, in UTF-16 units.
pub(super) const LONGEST_CAPTION: usize = 1024;
/// Beyond this many bytes nothing is looked at.
const LONGEST_RAW: usize = 32_768;
/// The server drops what is beyond this, without a word.
const MOST_ENTITIES: usize = 100;

/// What every client may set, and what servers find by themselves.
const KINDS: &[&str] = &[
    "mention",
    "hashtag",
    "cashtag",
    "bot_command",
    "url",
    "email",
    "phone_number",
    "bold",
    "italic",
    "underline",
    "strikethrough",
    "spoiler",
    "blockquote",
    "expandable_blockquote",
    "code",
    "pre",
    "text_link",
    "text_mention",
    "custom_emoji",
    "date_time",
];

/// A text with its entities, trimmed.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Formatted {
    pub(super) text: String,
    pub(super) entities: Vec<Value>,
}

struct Entity {
    kind: String,
    start: usize,
    end: usize,
}

/// How long a text is, in UTF-16 units.
pub(super) fn units(text: &str) -> usize {
    text.encode_utf16().count()
}

/// True if there is nothing to see.
pub(super) fn is_blank(text: &str) -> bool {
    text.chars()
        .all(|c| c.is_whitespace() || c.is_control() || is_invisible(c))
}

fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180e}' | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}')
}

/// Checks a text and its entities; `too_long` are the words for a text beyond `longest` units. Beside it stands what a client
/// should not have sent although the server takes it.
pub(super) fn formatted(
    raw: &str,
    entities: &[Value],
    longest: usize,
    too_long: &str,
) -> Result<(Formatted, Vec<String>), Refusal> {
    if raw.len() > LONGEST_RAW {
        return Err(Refusal::bad("Text is too long"));
    }
    let read: Vec<Entity> = entities
        .iter()
        .map(|entity| read(raw, entity))
        .collect::<Result<_, _>>()?;
    let text = raw.trim();
    if units(text) > longest {
        return Err(Refusal::bad(too_long));
    }
    let faults = faults(&read);
    let cut = units(raw) - units(raw.trim_start());
    let kept = entities
        .iter()
        .zip(&read)
        .filter_map(|(raw, entity)| moved(raw, entity, cut, units(text)));
    let formatted = Formatted {
        text: text.to_owned(),
        entities: kept.take(MOST_ENTITIES).collect(),
    };
    Ok((formatted, faults))
}

/// An entity of the raw text as one of the trimmed text.
fn moved(raw: &Value, entity: &Entity, cut: usize, length: usize) -> Option<Value> {
    let start = entity.start.saturating_sub(cut).min(length);
    let end = entity.end.saturating_sub(cut).min(length);
    let mut moved = raw.clone();
    let object = moved.as_object_mut()?;
    object.insert("offset".to_owned(), json!(start));
    object.insert("length".to_owned(), json!(end - start));
    (start < end).then_some(moved)
}

fn read(text: &str, entity: &Value) -> Result<Entity, Refusal> {
    let bad = |what: &str| Refusal::bad(format!("can't parse MessageEntity: {what}"));
    let kind = entity.get("type").and_then(Value::as_str).unwrap_or_default();
    if !KINDS.contains(&kind) {
        return Err(bad("unsupported type specified"));
    }
    let number = |name: &str| {
        entity
            .get(name)
            .and_then(Value::as_u64)
            .and_then(|n| usize::try_from(n).ok())
    };
    let start = number("offset").ok_or_else(|| bad("Field \"offset\" must be of type Number"))?;
    let length = number("length").ok_or_else(|| bad("Field \"length\" must be of type Number"))?;
    let needed = match kind {
        "text_link" => Some("url"),
        "text_mention" => Some("user"),
        "custom_emoji" => Some("custom_emoji_id"),
        _ => None,
    };
    let is_given = |name: &str| entity.get(name).is_some_and(|value| value.as_str() != Some(""));
    if needed.is_some_and(|name| !is_given(name)) {
        return Err(bad("a field of the type is missing"));
    }
    let end = start.saturating_add(length);
    let mut seams: BTreeSet<usize> = BTreeSet::from([0]);
    seams.extend(text.chars().scan(0, |at, c| {
        *at += c.len_utf16();
        Some(*at)
    }));
    if end > units(text) {
        let what = format!("entity beginning at UTF-16 offset {start} ends after the end of the text");
        return Err(Refusal::bad(what));
    }
    if !seams.contains(&start) || !seams.contains(&end) {
        let what = format!("entity beginning at UTF-16 offset {start} begins or ends in a middle of a UTF-16 symbol");
        return Err(Refusal::bad(what));
    }
    Ok(Entity {
        kind: kind.to_owned(),
        start,
        end,
    })
}

/// What the server mends or drops without a word.
fn faults(entities: &[Entity]) -> Vec<String> {
    let mut faults = Vec::new();
    if entities.len() > MOST_ENTITIES {
        faults.push(format!(
            "{} entities, of which {MOST_ENTITIES} are kept",
            entities.len()
        ));
    }
    for (place, one) in entities.iter().enumerate() {
        if one.start == one.end {
            faults.push(format!("an empty entity {}", one.kind));
        }
        for other in entities.iter().skip(place + 1) {
            faults.extend(clash(one, other));
        }
    }
    faults
}

fn clash(one: &Entity, other: &Entity) -> Option<String> {
    let (outer, inner) = if (one.start, other.end) <= (other.start, one.end) {
        (one, other)
    } else {
        (other, one)
    };
    if inner.start >= outer.end {
        return None;
    }
    let words = |what: &str| {
        Some(format!(
            "{} at {}..{} {what} {} at {}..{}",
            inner.kind, inner.start, inner.end, outer.kind, outer.start, outer.end
        ))
    };
    let is_code = |entity: &Entity| matches!(entity.kind.as_str(), "code" | "pre");
    let is_quote = |entity: &Entity| entity.kind.ends_with("blockquote");
    if inner.end > outer.end {
        words("overlaps with")
    } else if is_code(outer) || (is_code(inner) && !is_quote(outer)) {
        words("may not stand in")
    } else if (is_quote(inner) && is_quote(outer)) || inner.kind == outer.kind {
        words("does not nest in")
    } else {
        None
    }
}

/// Mentions and commands, which the server finds by itself.
pub(super) fn found(text: &str) -> Vec<Value> {
    let mut found = Vec::new();
    let mut at = 0;
    for word in text.split_inclusive(char::is_whitespace) {
        let bare = word.trim_end();
        let tail = |first: char| bare.strip_prefix(first).unwrap_or_default();
        let is_name = |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') && !name.is_empty();
        let (command, to) = tail('/').split_once('@').unwrap_or((tail('/'), "x"));
        let named = tail('@').trim_end_matches([',', '.', ':', '!', '?']);
        if is_name(command) && is_name(to) {
            found.push(json!({"type": "bot_command", "offset": at, "length": units(bare)}));
        } else if is_name(named) {
            found.push(json!({"type": "mention", "offset": at, "length": units(named) + 1}));
        }
        at += units(word);
    }
    found
}

/// The words that an entity covers.
pub(super) fn covered(text: &str, entity: &Value) -> String {
    let number = |name: &str| {
        entity
            .get(name)
            .and_then(Value::as_u64)
            .and_then(|n| usize::try_from(n).ok())
    };
    let (start, length) = (
        number("offset").unwrap_or_default(),
        number("length").unwrap_or_default(),
    );
    let units: Vec<u16> = text.encode_utf16().skip(start).take(length).collect();
    String::from_utf16_lossy(&units)
}

#[cfg(test)]
mod tests;
