//! What may be set, and what there is to choose from.

use tertulia_core::nearest::hint;
use tertulia_core::preferences::{Catalog, Key, Resolved};

use super::super::show::{code, is_hidden, list};
use crate::governed::Present;

/// The longest name of a model, in characters.
const MODEL: usize = 200;
/// The longest system prompt, in characters.
const SYSTEM: usize = 8000;
/// How all tools, and none, are written.
const ALL: &str = "all";
const NONE: &str = "none";

/// The value as it is stored.
///
/// # Errors
/// Says why it may not be set.
pub(super) fn checked(key: Key, value: &str, catalog: &Catalog) -> Result<String, String> {
    match key {
        Key::Provider => known(value, "provider", catalog.providers.keys().map(String::as_str)),
        Key::Persona => known(value, "persona", catalog.personas.keys().map(String::as_str)),
        Key::Tools => tools(value, catalog),
        Key::Model if value.chars().count() > MODEL => {
            Err(format!("The name of a model has at most {MODEL} characters."))
        }
        Key::Model if value.contains(is_hidden) => {
            Err("The name of a model has no line breaks, nor other characters that nobody sees.".to_owned())
        }
        Key::System if value.chars().count() > SYSTEM => {
            Err(format!("A system prompt has at most {SYSTEM} characters."))
        }
        Key::Model | Key::System => Ok(value.to_owned()),
    }
}

fn known<'a>(value: &str, kind: &str, names: impl Iterator<Item = &'a str> + Clone) -> Result<String, String> {
    if names.clone().any(|name| name == value) {
        return Ok(value.to_owned());
    }
    let all = list(names.clone());
    let all = if all.is_empty() { "none" } else { &all };
    Err(format!(
        "There is no {kind} {}{}. There is: {all}.",
        code(value, 64),
        hint(value, names)
    ))
}

fn tools(value: &str, catalog: &Catalog) -> Result<String, String> {
    if value == ALL || value == NONE {
        return Ok(value.to_owned());
    }
    let mut wanted: Vec<String> = Vec::new();
    let names = value.split(|letter: char| letter == ',' || letter.is_whitespace());
    for name in names.filter(|name| !name.is_empty()) {
        let name = known(name, "tool", catalog.tools.iter().map(String::as_str))?;
        if !wanted.contains(&name) {
            wanted.push(name);
        }
    }
    if wanted.is_empty() {
        return Err(format!("Name the tools, or say {ALL} or {NONE}."));
    }
    Ok(wanted.join(" "))
}

/// What there is to choose from, and how.
pub(super) fn choices(key: Key, holding: &Resolved, present: &Present) -> String {
    let word = key.as_str();
    let Catalog {
        providers, personas, ..
    } = &present.catalog;
    let mut text = match key {
        Key::Provider => format!("To choose from: {}.", list(providers.keys().map(String::as_str))),
        Key::Persona if personas.is_empty() => return "No other personas are configured.".to_owned(),
        Key::Persona => format!("To choose from: {}.", list(personas.keys().map(String::as_str))),
        Key::Model => {
            let provider = &holding.provider.value;
            let own = providers.get(provider).filter(|own| !own.is_empty());
            let own = own.map_or_else(String::new, |own| format!(" Its own is {}.", code(own, 200)));
            format!("Every model that {} knows can be named.{own}", code(provider, 64))
        }
        Key::System => "Any other text can be set.".to_owned(),
        Key::Tools if present.live.tools.is_empty() => return "No tools are configured.".to_owned(),
        Key::Tools => tool_list(holding, present),
    };
    let value = match key {
        Key::System => "text",
        Key::Tools => "all|none|names",
        _ => "name",
    };
    // a list is over with a blank line, a sentence is not
    let gap = if text.ends_with('\n') { "" } else { " " };
    let how = format!("{gap}`/{word} {value}` sets it here, `/{word} default` unsets it.");
    text += &how;
    text
}

/// Every tool with what it does to the world, and whether it is on.
fn tool_list(holding: &Resolved, present: &Present) -> String {
    let allowed = |name: &String| {
        let tools = holding.tools.value.as_ref();
        tools.is_none_or(|tools| tools.contains(name))
    };
    let lines = present.live.tools.iter().map(|tool| {
        let spec = tool.spec();
        let effect = spec.effect.as_str().replace('_', " ");
        let state = if allowed(&spec.offer.name) { "on" } else { "off" };
        format!("- {}: {effect}, {state} here\n", code(&spec.offer.name, 64))
    });
    format!("{}\n", lines.collect::<String>())
}

#[cfg(test)]
mod tests {
    use tertulia_core::preferences::Persona;

    use super::*;

    fn catalog() -> Catalog {
        Catalog {
            providers: [("local".to_owned(), "small".to_owned())].into(),
            personas: [("pirate".to_owned(), Persona::default())].into(),
            tools: vec!["now".to_owned(), "send".to_owned()],
            ..Catalog::default()
        }
    }

    #[track_caller]
    fn check(key: Key, value: &str, expected: Result<&str, &str>) {
        match (checked(key, value, &catalog()), expected) {
            (Ok(got), Ok(expected)) => assert_eq!(got, expected),
            (Err(got), Err(part)) => assert!(got.contains(part), "{got}"),
            (got, _) => panic!("{value:?}: {got:?}"),
        }
    }

    #[test]
    fn values_are_checked_against_what_there_is() {
        check(Key::Provider, "local", Ok("local"));
        check(Key::Provider, "locl", Err("the nearest is local. There is: `local`."));
        check(Key::Provider, "Local", Err("no provider `Local`"));
        check(Key::Persona, "pirate", Ok("pirate"));
        check(Key::Persona, "pi\u{202e}rate", Err("no persona `pi\u{fffd}rate`"));
        check(Key::Tools, "all", Ok("all"));
        check(Key::Tools, "none", Ok("none"));
        check(Key::Tools, "send, now,send", Ok("send now"));
        check(Key::Tools, "all send", Err("no tool `all`"));
        check(Key::Tools, ", ,", Err("Name the tools"));
        check(Key::Model, "a/b:c", Ok("a/b:c"));
        check(Key::Model, "a\u{7}b", Err("nobody sees"));
        check(Key::Model, "a\u{202e}b", Err("nobody sees"));
        check(Key::Model, &"m".repeat(201), Err("at most 200"));
        check(Key::System, &"ä".repeat(8001), Err("at most 8000"));
        check(Key::System, "Be\nkind \u{202e}", Ok("Be\nkind \u{202e}"));
        assert_eq!(
            checked(Key::System, &"ä".repeat(8000), &catalog()).map(|text| text.len()),
            Ok(16_000)
        );
    }
}
