//! `[personas.<name>]`.

use std::collections::BTreeMap;

use super::super::error::ConfigError;
use super::super::nearest::hint;
use super::super::settings::Settings;
use super::super::{Persona, ProviderSettings};

/// The persona that holds where no other does; the others inherit from it.
const BASE: &str = "default";

/// What doors put behind the name of a model that has no persona in it.
const NO_PERSONA: &str = "latest";

/// The personas.
pub(super) struct Personas {
    pub(super) base: Persona,
    pub(super) others: BTreeMap<String, Persona>,
}

pub(super) fn read(
    settings: &Settings,
    providers: &BTreeMap<String, ProviderSettings>,
) -> Result<Personas, ConfigError> {
    let base = persona(settings, providers, BASE)?;
    let answering = base.answering(providers);
    check_model(settings, BASE, base.model.as_ref(), answering)?;
    let mut others = BTreeMap::new();
    for name in settings.names(&["personas"]).into_iter().filter(|&name| name != BASE) {
        check_name(settings, name)?;
        let other = persona(settings, providers, name)?;
        let own = other
            .provider
            .as_ref()
            .map_or(answering, |_| other.answering(providers));
        // a model belongs to a provider: the base's is inherited together with the base's provider
        let is_of_base = own.map(|(name, _)| name) == answering.map(|(name, _)| name);
        let inherited = base.model.as_ref().filter(|_| is_of_base);
        check_model(settings, name, other.model.as_ref().or(inherited), own)?;
        others.insert(name.to_owned(), other);
    }
    Ok(Personas { base, others })
}

fn persona(
    settings: &Settings,
    providers: &BTreeMap<String, ProviderSettings>,
    name: &str,
) -> Result<Persona, ConfigError> {
    let text = |key| settings.text(&["personas", name, key]);
    if let Some(provider) = text("provider")
        && !providers.contains_key(provider)
    {
        let near = hint(provider, providers.keys().map(String::as_str));
        let problem = format!("names {provider:?}, and there is no section providers.{provider}{near}");
        return Err(settings.wrong(&["personas", name, "provider"], problem));
    }
    Ok(Persona {
        provider: text("provider").map(str::to_owned),
        model: text("model").map(str::to_owned),
        system: text("system").map(str::to_owned),
    })
}

/// A provider that has no model of its own must be given one.
fn check_model(
    settings: &Settings,
    persona: &str,
    model: Option<&String>,
    answering: Option<(&str, &ProviderSettings)>,
) -> Result<(), ConfigError> {
    match answering {
        Some((name, provider)) if model.is_none() && provider.needs_model() => Err(settings.wrong(
            &["providers", name, "model"],
            format!("is missing, and personas.{persona}.model is as well"),
        )),
        _ => Ok(()),
    }
}

/// It is a word that people type, and a part of a model's name.
fn check_name(settings: &Settings, name: &str) -> Result<(), ConfigError> {
    let is_word = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_-".contains(&byte));
    let problem = if name == NO_PERSONA {
        format!("cannot be the name of a persona: the model tertulia:{NO_PERSONA} is the one without")
    } else if is_word {
        return Ok(());
    } else {
        "is no name of a persona, which is made of lower-case letters, digits, _ and -, and begins with a letter"
            .to_owned()
    };
    Err(settings.wrong(&["personas", name], problem))
}
