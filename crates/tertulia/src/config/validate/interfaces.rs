//! `[interfaces.<name>]`.

#[cfg(feature = "loopback")]
mod loopback;

use std::collections::BTreeMap;
use std::sync::Arc;

use tertulia_interface::Interface;
use tertulia_message::InterfaceName;

use super::super::error::ConfigError;
use super::super::nearest::hint;
use super::super::settings::Settings;
use crate::control;

/// The name of the door that is there without being asked for, and the kind of all of its like.
const DOOR: &str = "ollama_serve";

/// Kinds that the design has and this version does not.
const LATER: [&str; 3] = ["telegram", "discord", "matrix"];

/// The interfaces that are on.
#[derive(Default)]
pub(super) struct Interfaces {
    /// The Ollama door.
    pub(super) door: Option<InterfaceName>,
    /// Everything that needs no port of ours, ready to listen.
    pub(super) platforms: BTreeMap<String, Arc<dyn Interface>>,
}

impl Interfaces {
    /// Their names.
    pub(super) fn names(&self) -> Vec<&str> {
        let names = self.door.iter().map(InterfaceName::as_str);
        names.chain(self.platforms.keys().map(String::as_str)).collect()
    }
}

/// The names of all that the configuration speaks of, and of the door that is there without it.
pub(super) fn named(settings: &Settings) -> Vec<String> {
    let named = settings.names(&["interfaces"]).into_iter().map(str::to_owned);
    named.chain([DOOR.to_owned()]).collect()
}

pub(super) fn read(settings: &Settings) -> Result<Interfaces, ConfigError> {
    let mut interfaces = Interfaces::default();
    let mut doors = Vec::new();
    for name in settings.names(&["interfaces"]) {
        let parsed = InterfaceName::parse(name).map_err(|error| {
            let problem = format!("is no name of an interface: {error}");
            settings.wrong(&["interfaces", name], problem)
        })?;
        if name == control::NAME {
            let problem = "has a name that is taken: it is the daemon's own, for whoever governs it from the shell";
            return Err(settings.wrong(&["interfaces", name], problem));
        }
        let is_on = settings.flag(&["interfaces", name, "enabled"]) != Some(false);
        match kind(settings, name)? {
            DOOR => {
                check_keys(settings, name, DOOR, &["kind", "enabled"])?;
                doors.push((name, is_on.then_some(parsed)));
            }
            #[cfg(feature = "loopback")]
            "loopback" => {
                let platform = loopback::read(settings, name)?;
                interfaces.platforms.extend(is_on.then(|| (name.to_owned(), platform)));
            }
            other => return Err(unknown_kind(settings, name, other)),
        }
    }
    if let [_, (second, _), ..] = doors.as_slice() {
        let problem = format!("is a second interface of kind {DOOR}, and there is one port for one");
        return Err(settings.wrong(&["interfaces", second], problem));
    }
    interfaces.door = match doors.pop() {
        Some((_, door)) => door,
        None => InterfaceName::parse(DOOR).ok(),
    };
    if interfaces.names().is_empty() {
        return Err(settings.wrong(&["interfaces"], "are all switched off, so nobody could talk to the bot"));
    }
    Ok(interfaces)
}

/// The kind; an interface whose name is a kind needs no other word for it.
fn kind<'a>(settings: &'a Settings, name: &'a str) -> Result<&'a str, ConfigError> {
    let key = ["interfaces", name, "kind"];
    match settings.text(&key) {
        Some(kind) => Ok(kind),
        None if name == DOOR || LATER.contains(&name) => Ok(name),
        None => Err(settings.wrong(&key, format!("is missing; there is {DOOR}"))),
    }
}

fn unknown_kind(settings: &Settings, name: &str, kind: &str) -> ConfigError {
    let problem = if LATER.contains(&kind) {
        format!("is {kind:?}, which is not in this version yet")
    } else {
        let near = hint(kind, [DOOR].into_iter().chain(LATER));
        format!("is {kind:?}, which is not known{near}")
    };
    settings.wrong(&["interfaces", name, "kind"], problem)
}

/// Without the test platform, the schema knows no key that could be wrong here.
fn check_keys(settings: &Settings, name: &str, kind: &str, known: &[&str]) -> Result<(), ConfigError> {
    let keys = settings.names(&["interfaces", name]);
    match keys.into_iter().find(|key| !known.contains(key)) {
        Some(key) => {
            let near = hint(key, known.iter().copied());
            let problem = format!("is not a key of the kind {kind}{near}");
            Err(settings.wrong(&["interfaces", name, key], problem))
        }
        None => Ok(()),
    }
}
