//! What holds at a place, in words.

use tertulia_core::preferences::{Key, Resolved, Scope, Source};
use tertulia_message::path::InterfacePath;

use super::super::show::{code, list, sentence};

/// What holds of one key, with where it comes from.
pub(crate) fn held(key: Key, holding: &Resolved, path: &InterfacePath) -> String {
    let (value, from) = one(key, holding);
    format!("{}: {value} ({})", sentence(noun(key)), source(from, path))
}

/// What is set and has no effect; none if all has.
pub(crate) fn stale(holding: &Resolved, path: &InterfacePath) -> Option<String> {
    if holding.stale.is_empty() {
        return None;
    }
    let each = |(scope, key, value): &(Scope, Key, String)| {
        format!("the {} {}, set {}", noun(*key), code(value, 64), place(scope, path))
    };
    let all: Vec<String> = holding.stale.iter().map(each).collect();
    Some(format!(
        "No longer configured, and so without effect: {}.",
        all.join("; ")
    ))
}

/// The value of one key, and where it comes from.
pub(super) fn one(key: Key, holding: &Resolved) -> (String, &Source) {
    let named = |value: &str, otherwise: &str| {
        if value.is_empty() {
            otherwise.to_owned()
        } else {
            code(value, 200)
        }
    };
    match key {
        Key::Provider => (named(&holding.provider.value, "none"), &holding.provider.source),
        Key::Model => (
            named(&holding.model.value, "the one that the provider chooses"),
            &holding.model.source,
        ),
        Key::System => (named(&holding.system.value, "none"), &holding.system.source),
        Key::Persona => (named(&holding.persona.value, "default"), &holding.persona.source),
        Key::Tools => {
            let tools = match &holding.tools.value {
                None => "all".to_owned(),
                Some(tools) if tools.is_empty() => "none".to_owned(),
                Some(tools) => list(tools.iter().map(String::as_str)),
            };
            (tools, &holding.tools.source)
        }
    }
}

/// A value that was set, at most `most` characters of it; of tools every name by itself.
pub(super) fn value(key: Key, set: &str, most: usize) -> String {
    match key {
        Key::Tools if set == "all" || set == "none" => set.to_owned(),
        Key::Tools => list(set.split(' ')),
        _ => code(set, most),
    }
}

pub(super) fn noun(key: Key) -> &'static str {
    match key {
        Key::System => "system prompt",
        key => key.as_str(),
    }
}

pub(super) fn source(source: &Source, path: &InterfacePath) -> String {
    match source {
        Source::Set(scope) => format!("set {}", place(scope, path)),
        Source::Persona => "the persona's".to_owned(),
        Source::Provider => "the provider's own".to_owned(),
        Source::Configuration => "from the configuration".to_owned(),
    }
}

/// Where a scope is, seen from a path.
pub(super) fn place(scope: &Scope, path: &InterfacePath) -> String {
    match scope {
        Scope::Everywhere => "everywhere".to_owned(),
        Scope::Interface(name) => format!("on the interface {}", code(name, 64)),
        Scope::Place(place) if place == path => "here".to_owned(),
        Scope::Place(place) if *place == path.chat() => "for this chat".to_owned(),
        Scope::Place(place) => format!("for {}", code(place.as_str(), 512)),
    }
}
