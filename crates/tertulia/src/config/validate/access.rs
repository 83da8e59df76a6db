//! `[access]`: who may speak where.

use tertulia_core::access::{AccessRules, is_handle, is_name};
use tertulia_message::path::InterfacePath;
use tertulia_message::{Level, PersonId};

use super::super::ServerSettings;
use super::super::error::ConfigError;
use super::super::nearest::hint;
use super::super::schema::level;
use super::super::settings::Settings;
use super::interfaces::Interfaces;
use crate::control;

/// The keys that list people, and the level that each gives; where someone is in several, the highest holds.
const LISTS: [(&str, Level); 3] = [
    ("users", Level::User),
    ("trusted", Level::Trusted),
    ("admins", Level::Admin),
];

pub(super) fn read(
    settings: &Settings,
    server: &ServerSettings,
    interfaces: &Interfaces,
) -> Result<AccessRules, ConfigError> {
    let names = interfaces.names();
    let mut rules = AccessRules::default();
    for (list, level) in LISTS {
        let key = ["access", list];
        for entry in settings.texts(&key) {
            let person = person(entry, &names).map_err(|problem| settings.wrong(&key, problem))?;
            rules.people.insert(person, level);
        }
    }
    for chat in settings.names(&["access", "chats"]) {
        let key = ["access", "chats", chat];
        let path = place(chat, &names).map_err(|problem| settings.wrong(&key, problem))?;
        rules
            .places
            .extend(settings.text(&key).and_then(level).map(|level| (path, level)));
    }
    if let Some(door) = &interfaces.door {
        rules.interfaces.insert(door.as_str().to_owned(), Level::User);
    }
    for name in settings.names(&["access", "interfaces"]) {
        let key = ["access", "interfaces", name];
        is_configured(name, &names).map_err(|problem| settings.wrong(&key, problem))?;
        let level = settings.text(&key).and_then(level).unwrap_or(Level::Guest);
        let is_door = interfaces.door.as_ref().is_some_and(|door| door.as_str() == name);
        if is_door && level > Level::User && server.tokens.is_empty() {
            let problem = "gives everybody on this machine more than the level user, so server.token_file must be set";
            return Err(settings.wrong(&key, problem));
        }
        rules.interfaces.insert(name.to_owned(), level);
    }
    // whoever the kernel lets in there could write this configuration
    rules.interfaces.insert(control::NAME.to_owned(), Level::Admin);
    Ok(rules)
}

fn person(entry: &str, interfaces: &[&str]) -> Result<PersonId, String> {
    let form = "people are listed as interface/id";
    let Some(person) = PersonId::parse(entry) else {
        return Err(format!("lists {entry:?}, but names can change hands: {form}"));
    };
    is_configured(&person.interface, interfaces)?;
    if is_name(&person) {
        return Err(format!(
            "lists {entry:?}, which is a name, and names can change hands: {form}, with the id that never changes"
        ));
    }
    Ok(person)
}

fn place(entry: &str, interfaces: &[&str]) -> Result<InterfacePath, String> {
    let path = InterfacePath::parse(entry).map_err(|error| format!("is no interface path: {error}"))?;
    is_configured(path.interface(), interfaces)?;
    if is_handle(&path.target()) {
        return Err("is a name, and names can change hands: chats are listed as interface/id".to_owned());
    }
    Ok(path)
}

fn is_configured(interface: &str, interfaces: &[&str]) -> Result<(), String> {
    if interfaces.contains(&interface) {
        return Ok(());
    }
    let near = hint(interface, interfaces.iter().copied());
    Err(format!(
        "names the interface {interface:?}, which is not configured{near}"
    ))
}
