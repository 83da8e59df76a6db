//! `[providers.<name>]`.

mod abilities;
mod address;
mod anthropic;
mod chain;
mod chat;
mod deepseek;
mod demo;
mod google;
mod huggingface;
mod kind;
mod media;
mod ollama;
mod openai;
mod openrouter;
mod prices;
mod replicate;
mod section;

use std::collections::BTreeMap;

use tertulia_providers::Demo;

pub(crate) use address::problem as address_problem;
pub(crate) use kind::{Service, kinds};

use crate::config::error::ConfigError;
use crate::config::nearest::hint;
use crate::config::secrets::Known;
use crate::config::settings::Settings;
use crate::config::{AT_ONCE, ProviderKind, ProviderSettings};
use crate::environment::Environment;
use kind::{KINDS, Kind};
use section::Section;

/// The providers, each checked, and whether they fit together.
pub(super) fn read(
    settings: &Settings,
    environment: &Environment,
    known: &mut Known,
) -> Result<BTreeMap<String, ProviderSettings>, ConfigError> {
    let mut providers = BTreeMap::new();
    for name in settings.names(&["providers"]) {
        let section = Section {
            name,
            kind: kind(settings, name)?,
            settings,
            environment,
        };
        providers.insert(name.to_owned(), one(&section, known)?);
    }
    chain::check(settings, &providers)?;
    Ok(providers)
}

/// A provider that no configuration names: its name is its kind, and these are its settings.
pub(crate) fn found(kind: &str, given: &[(&str, &str)]) -> Result<ProviderSettings, ConfigError> {
    let given = given.iter().map(|(key, value)| (["providers", kind, *key], *value));
    let settings = Settings::of_texts(given);
    let section = Section {
        name: kind,
        kind: self::kind(&settings, kind)?,
        settings: &settings,
        environment: &Environment::default(),
    };
    one(&section, &mut Known::default())
}

fn one(section: &Section<'_>, known: &mut Known) -> Result<ProviderSettings, ConfigError> {
    section.refuse_foreign_keys()?;
    let is_no_name = |model: &str| model.trim() != model || model.contains(char::is_control);
    if section.text("model").is_some_and(is_no_name) {
        return Err(section.wrong("model", "must be one line, without white space around it"));
    }
    let at_once = section.whole("at_once").map(usize::try_from);
    let kind = (section.kind.read)(section, known)?;
    let usual = match kind {
        ProviderKind::Demo(_) => Demo::MODEL,
        _ => "",
    };
    Ok(ProviderSettings {
        kind,
        deadlines: super::deadlines(section.settings, section.name),
        fallback: section.settings.texts(&section.path("fallback")).to_vec(),
        prices: prices::read(section)?,
        at_once: at_once.and_then(Result::ok).unwrap_or(AT_ONCE),
        model: section.text("model").unwrap_or(usual).to_owned(),
    })
}

/// The kind; a provider whose name is a kind needs no other word for it.
fn kind(settings: &Settings, name: &str) -> Result<&'static Kind, ConfigError> {
    let key = ["providers", name, "kind"];
    let word = settings.text(&key);
    let wanted = word.unwrap_or(name);
    if let Some(kind) = KINDS.iter().find(|kind| kind.name == wanted) {
        return Ok(kind);
    }
    let known = || KINDS.iter().map(|kind| kind.name);
    let all = known().collect::<Vec<_>>().join(", ");
    let problem = match word {
        Some(word) => format!(
            "is {word:?}, which is not known{}; kinds are {all}",
            hint(word, known())
        ),
        None => format!("is missing; kinds are {all}"),
    };
    Err(settings.wrong(&key, problem))
}
