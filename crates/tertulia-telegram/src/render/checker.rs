//! Telegram's rules for a text with entities, written anew.

use std::ops::Range;

use teloxide::types::{MessageEntity, MessageEntityKind as Kind};

use super::Rendered;

/// An entity with its name and what it covers, for tables: `bold(word)`.
pub(super) fn show(rendered: &Rendered) -> Vec<String> {
    rendered
        .entities
        .iter()
        .map(|entity| {
            let covered = covered(&rendered.text, entity).unwrap();
            match &entity.kind {
                Kind::Pre { language } => format!("pre {}({covered})", language.as_deref().unwrap_or("-")),
                Kind::TextLink { url } => format!("link {url}({covered})"),
                other => format!("{}({covered})", format!("{other:?}").to_lowercase()),
            }
        })
        .collect()
}

fn range(entity: &MessageEntity) -> Range<usize> {
    entity.offset..entity.offset + entity.length
}

fn covered(text: &str, entity: &MessageEntity) -> Option<String> {
    let units: Vec<u16> = text.encode_utf16().collect();
    String::from_utf16(units.get(range(entity))?).ok()
}

fn is_emphasis(kind: &Kind) -> bool {
    matches!(kind, Kind::Bold | Kind::Italic | Kind::Strikethrough | Kind::Spoiler)
}

fn is_code(kind: &Kind) -> bool {
    matches!(kind, Kind::Code | Kind::Pre { .. })
}

fn is_pre(entity: &MessageEntity) -> bool {
    matches!(entity.kind, Kind::Pre { .. })
}

/// What Telegram would refuse, change, or count otherwise.
pub(super) fn faults(rendered: &Rendered) -> Vec<String> {
    let mut faults = text_faults(rendered);
    if rendered.entities.len() > 100 {
        faults.push(format!("{} entities", rendered.entities.len()));
    }
    for (nth, entity) in rendered.entities.iter().enumerate() {
        let holds_pre = rendered.entities[nth + 1..]
            .iter()
            .any(|other| is_pre(other) && other.offset == entity.offset);
        faults.extend(entity_faults(&rendered.text, entity, holds_pre || is_pre(entity)));
        for other in &rendered.entities[nth + 1..] {
            if other.offset < entity.offset {
                faults.push(format!("not in order: {entity:?} {other:?}"));
            }
            faults.extend(pair_faults(entity, other));
        }
    }
    faults
}

fn text_faults(rendered: &Rendered) -> Vec<String> {
    let text = &rendered.text;
    let mut faults = Vec::new();
    if text.ends_with([' ', '\n']) {
        faults.push("blanks at the end".to_owned());
    }
    // Telegram cuts blanks at the start as far as the first entity
    if text.starts_with([' ', '\n']) && rendered.entities.first().is_none_or(|entity| entity.offset > 0) {
        faults.push("blanks at the start".to_owned());
    }
    let changed = text.chars().find(|c| {
        matches!(c, '\0'..='\u{9}' | '\u{B}'..='\u{1F}' | '\u{2028}'..='\u{202E}' | '\u{30A}' | '\u{333}' | '\u{33F}')
    });
    if let Some(changed) = changed {
        faults.push(format!("{changed:?} would be changed"));
    }
    let is_blank = |c: char| {
        matches!(c, ' ' | '\n' | '\u{A0}' | '\u{1680}' | '\u{180E}' | '\u{2000}'..='\u{200F}' | '\u{202F}' | '\u{205F}'
            | '\u{2800}' | '\u{3000}' | '\u{FEFF}' | '\u{FFFC}' | '\u{E0000}'..='\u{E007F}')
    };
    if text.chars().all(is_blank) {
        faults.push("empty".to_owned());
    }
    faults
}

fn entity_faults(text: &str, entity: &MessageEntity, may_be_indented: bool) -> Option<String> {
    let Some(covered) = covered(text, entity) else {
        return Some(format!(
            "outside of the text, or in the midst of a character: {entity:?}"
        ));
    };
    let is_trimmed = covered.trim_end() == covered && (may_be_indented || covered.trim_start() == covered);
    if covered.trim().is_empty() || !is_trimmed {
        return Some(format!("blanks in {entity:?}: {covered:?}"));
    }
    match &entity.kind {
        Kind::TextLink { url } if !matches!(url.scheme(), "http" | "https" | "tg") => Some(format!("links to {url}")),
        Kind::Pre {
            language: Some(language),
        } if language.is_empty() || language.contains(char::is_whitespace) => Some(format!("language {language:?}")),
        _ => None,
    }
}

/// What is wrong with two of which the first begins first, or is the outer one.
fn pair_faults(first: &MessageEntity, second: &MessageEntity) -> Option<String> {
    let (one, two) = (range(first), range(second));
    let is_apart = two.start >= one.end;
    if is_apart {
        return None;
    }
    let fault = |what: &str| Some(format!("{what}: {first:?} {second:?}"));
    if two.end > one.end {
        return fault("they cross");
    }
    if first.kind == second.kind {
        return fault("one kind in itself");
    }
    if is_code(&first.kind) {
        return fault("inside of code");
    }
    if is_code(&second.kind) && first.kind != Kind::Blockquote {
        return fault("code inside of what is no quotation");
    }
    if second.kind == Kind::Blockquote {
        return fault("a quotation inside");
    }
    if is_emphasis(&first.kind) && (!is_emphasis(&second.kind) || two.start > one.start) {
        return fault("would be split");
    }
    None
}
