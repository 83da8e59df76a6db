//! `[interfaces.<name>]`.

#[cfg(feature = "loopback")]
mod loopback;
#[cfg(feature = "matrix")]
mod matrix;
#[cfg(not(feature = "matrix"))]
#[path = "interfaces/without_matrix.rs"]
mod matrix;
mod telegram;

use std::collections::BTreeMap;
use std::sync::Arc;

use tertulia_interface::Interface;
use tertulia_message::InterfaceName;

use super::super::error::ConfigError;
use super::super::nearest::hint;
use super::super::secrets::Known;
use super::super::settings::Settings;
use super::super::{Platform, PlatformKind, TelegramBot};
use crate::control;
use crate::environment::Environment;

/// The name of the door that is there without being asked for, and the kind of all of its like.
const DOOR: &str = "ollama_serve";
const TELEGRAM: &str = "telegram";
const MATRIX: &str = "matrix";
const KINDS: [&str; 3] = [DOOR, TELEGRAM, MATRIX];

/// Kinds that the design has and this version does not.
const LATER: [&str; 1] = ["discord"];

/// The interfaces that are on.
#[derive(Default)]
pub(super) struct Interfaces {
    /// The Ollama door.
    pub(super) door: Option<InterfaceName>,
    /// Everything that needs no port of ours, ready to listen.
    pub(super) platforms: BTreeMap<String, Platform>,
    /// What is there without a word in the configuration, in sentences.
    pub(super) found: Vec<String>,
}

impl Interfaces {
    /// Their names.
    pub(super) fn names(&self) -> Vec<&str> {
        let names = self.door.iter().map(InterfaceName::as_str);
        names.chain(self.platforms.keys().map(String::as_str)).collect()
    }

    fn add_bot(&mut self, name: &str, bot: TelegramBot) {
        let platform = Platform {
            interface: Arc::clone(&bot.interface) as Arc<dyn Interface>,
            kind: PlatformKind::Telegram(bot),
        };
        self.platforms.insert(name.to_owned(), platform);
    }
}

/// The names of all that the configuration speaks of, and of what is there without it.
pub(super) fn named(settings: &Settings, environment: &Environment) -> Vec<String> {
    let named = settings.names(&["interfaces"]).into_iter();
    let found = telegram::is_found(environment).then_some(telegram::USUAL_NAME);
    let account = matrix::is_found(environment).then_some(MATRIX);
    named
        .chain([DOOR])
        .chain(found)
        .chain(account)
        .map(str::to_owned)
        .collect()
}

pub(super) fn read(
    settings: &Settings,
    environment: &Environment,
    known: &mut Known,
) -> Result<Interfaces, ConfigError> {
    let mut interfaces = Interfaces::default();
    let mut accounts = matrix::Accounts::new(settings, environment)?;
    let mut bots = telegram::Bots::new(settings, environment, known);
    let mut doors = Vec::new();
    for name in settings.names(&["interfaces"]) {
        let parsed = parse(settings, name)?;
        let is_on = settings.flag(&["interfaces", name, "enabled"]) != Some(false);
        match kind(settings, name)? {
            DOOR => {
                check_keys(settings, name, DOOR, &["kind", "enabled"])?;
                doors.push((name, is_on.then_some(parsed)));
            }
            TELEGRAM => {
                if let Some(bot) = bots.read(name, is_on)? {
                    interfaces.add_bot(name, bot);
                }
            }
            MATRIX => {
                let account = accounts.read(name, is_on)?;
                interfaces
                    .platforms
                    .extend(account.map(|platform| (name.to_owned(), platform)));
            }
            #[cfg(feature = "loopback")]
            "loopback" => {
                let interface = loopback::read(settings, name)?;
                let platform = Platform {
                    interface,
                    kind: PlatformKind::Loopback,
                };
                interfaces.platforms.extend(is_on.then(|| (name.to_owned(), platform)));
            }
            other => return Err(unknown_kind(settings, name, other)),
        }
    }
    if let Some((bot, sentence)) = bots.found()? {
        interfaces.add_bot(telegram::USUAL_NAME, bot);
        interfaces.found.push(sentence);
    }
    let (account, sentence) = accounts.found()?;
    interfaces
        .platforms
        .extend(account.map(|platform| (MATRIX.to_owned(), platform)));
    interfaces.found.extend(sentence);
    known.join(accounts.known);
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

fn parse(settings: &Settings, name: &str) -> Result<InterfaceName, ConfigError> {
    let parsed = InterfaceName::parse(name).map_err(|error| {
        let problem = format!("is no name of an interface: {error}");
        settings.wrong(&["interfaces", name], problem)
    })?;
    if name == control::NAME {
        let problem = "has a name that is taken: it is the daemon's own, for whoever governs it from the shell";
        return Err(settings.wrong(&["interfaces", name], problem));
    }
    Ok(parsed)
}

/// The kind; an interface whose name is a kind needs no other word for it.
fn kind<'a>(settings: &'a Settings, name: &'a str) -> Result<&'a str, ConfigError> {
    let key = ["interfaces", name, "kind"];
    match settings.text(&key) {
        Some(kind) => Ok(kind),
        None if name == telegram::USUAL_NAME => Ok(TELEGRAM),
        None if KINDS.contains(&name) || LATER.contains(&name) => Ok(name),
        None => Err(settings.wrong(&key, format!("is missing; kinds are {}", KINDS.join(", ")))),
    }
}

fn unknown_kind(settings: &Settings, name: &str, kind: &str) -> ConfigError {
    let problem = if LATER.contains(&kind) {
        format!("is {kind:?}, which is not in this version yet")
    } else {
        let near = hint(kind, KINDS.into_iter().chain(LATER));
        format!("is {kind:?}, which is not known{near}")
    };
    settings.wrong(&["interfaces", name, "kind"], problem)
}

/// The schema knows the keys of all kinds.
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
