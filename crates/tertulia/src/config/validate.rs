//! From settings to a configuration: everything that one key alone cannot tell.

mod access;
mod interfaces;
mod paths;
mod personas;
mod providers;
mod server;

use tertulia_core::policy::Deadlines;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

pub(crate) use providers::{Service, address_problem, found, kinds};

use super::error::ConfigError;
use super::nearest::{hint, nearest};
use super::secrets::Known;
use super::settings::Settings;
use super::{Configuration, Glance, Limits, LogSettings};
use crate::environment::Environment;

pub(super) fn validate(settings: Settings, environment: &Environment) -> Result<Configuration, ConfigError> {
    let mut secrets = Known::default();
    secrets.add_environment(environment);
    let server = server::read(&settings, environment, &mut secrets)?;
    let interfaces = interfaces::read(&settings, environment, &mut secrets)?;
    let providers = providers::read(&settings, environment, &mut secrets)?;
    let personas = personas::read(&settings, &providers)?;
    Ok(Configuration {
        access: access::read(&settings, &server, &interfaces)?,
        persona: personas.base,
        personas: personas.others,
        tools: tools(&settings, interfaces.platforms.keys())?,
        directory: paths::directory(&settings, environment)?,
        log: log(&settings)?,
        limits: limits(&settings),
        server,
        door: interfaces.door,
        platforms: interfaces.platforms,
        found: interfaces.found,
        providers,
        secrets,
        settings,
    })
}

/// The little that a client of the daemon needs.
pub(super) fn glance(settings: &Settings, environment: &Environment) -> Result<Glance, ConfigError> {
    Ok(Glance {
        directory: paths::directory(settings, environment)?,
        interfaces: interfaces::named(settings, environment),
    })
}

/// Messages can be sent on the interfaces of `chats`.
fn tools<'a>(settings: &Settings, chats: impl Iterator<Item = &'a String>) -> Result<Vec<String>, ConfigError> {
    let mut shipped = tertulia_tools::shipped();
    shipped.extend(tertulia_tools::messages_on(chats.map(String::as_str)));
    let known: Vec<&str> = shipped.iter().map(|tool| tool.spec().offer.name.as_str()).collect();
    let path = ["tools", "enabled"];
    if settings.find(&path).is_none() {
        return Ok(known.into_iter().map(str::to_owned).collect());
    }
    let enabled = settings.texts(&path);
    // switching an interface off is not to make the rest wrong
    let is_off = |name: &str| {
        let interface = name.strip_prefix("message_").unwrap_or_default();
        settings.flag(&["interfaces", interface, "enabled"]) == Some(false)
    };
    let is_known = |name: &str| known.contains(&name) || is_off(name);
    match enabled.iter().find(|name| !is_known(name)) {
        Some(name) => {
            let problem = format!("names {name:?}, which is no tool{}", hint(name, known));
            Err(settings.wrong(&path, problem))
        }
        None => Ok(enabled.to_vec()),
    }
}

fn log(settings: &Settings) -> Result<LogSettings, ConfigError> {
    let format = settings.text(&["log", "format"]).unwrap_or_default();
    let formats = ["text", "json"];
    if !formats.contains(&format) {
        let near = nearest(format, formats).unwrap_or_default();
        let problem = format!("must be text or json, not {format:?}; the nearest is {near}");
        return Err(settings.wrong(&["log", "format"], problem));
    }
    let level = settings.text(&["log", "level"]).unwrap_or_default();
    // a word alone that is no level would be taken for a part of the program, and silence all the others
    let unknown = level
        .split(',')
        .map(str::trim)
        .find(|word| !word.is_empty() && !word.contains(['=', '[']) && word.parse::<LevelFilter>().is_err());
    if let Some(word) = unknown {
        let levels = ["error", "warn", "info", "debug", "trace", "off"];
        let problem = format!("names {word:?}, which is no level{}", hint(word, levels));
        return Err(settings.wrong(&["log", "level"], problem));
    }
    if let Err(error) = EnvFilter::try_new(level) {
        return Err(settings.wrong(&["log", "level"], format!("is no filter for logs ({error})")));
    }
    Ok(LogSettings {
        json: format == "json",
        level: level.to_owned(),
    })
}

fn limits(settings: &Settings) -> Limits {
    let limit = |key| settings.whole(&["limits", key]).unwrap_or_default();
    let small = |key| u32::try_from(limit(key)).unwrap_or(u32::MAX);
    let size = |key| usize::try_from(limit(key)).unwrap_or(usize::MAX);
    Limits {
        queue: small("queue"),
        answer_bytes: size("answer_bytes"),
        rounds: small("rounds"),
        history_entries: small("history_entries"),
        passing_requests: size("passing_requests"),
        conversations: size("conversations"),
    }
}

/// The deadlines of a provider, each as configured or as usual.
fn deadlines(settings: &Settings, provider: &str) -> Deadlines {
    let usual = Deadlines::default();
    let seconds = |key, usual| {
        let seconds = settings.whole(&["providers", provider, "timeouts", key]);
        seconds.map_or(usual, std::time::Duration::from_secs)
    };
    Deadlines {
        first_byte: seconds("first_byte", usual.first_byte),
        idle: seconds("idle", usual.idle),
        total: seconds("total", usual.total),
    }
}
