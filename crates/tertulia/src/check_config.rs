//! `tertulia check-config`: what would run, and where each setting comes from.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;

use reqwest::Url;

use crate::config::{Configuration, Given, Persona, Platform, PlatformKind, Settings, Shape, Sources};
use crate::environment::Environment;
use crate::failure::Failure;
use crate::run::assemble;

/// Prints it, or fails with the sentence that `run` would fail with.
pub(crate) fn run(file: Option<PathBuf>) -> Result<(), Failure> {
    let sources = Sources { file, port: None };
    let configuration = Configuration::read(&sources, &Environment::of_process())
        .map_err(|error| Failure::config(error.to_string()))?;
    let text = report(&configuration)?;
    let written = std::io::stdout().lock().write_all(text.as_bytes());
    written.map_err(|error| Failure::broken(format!("standard output is closed: {error}")))
}

fn report(configuration: &Configuration) -> Result<String, Failure> {
    let mut lines = vec![
        match configuration.settings.file() {
            Some(file) => format!("configuration: {}", file.display()),
            None => "configuration: no file".to_owned(),
        },
        format!("state: {}", configuration.directory.display()),
    ];
    if let Some(door) = &configuration.door {
        let tokens = match configuration.server.tokens.len() {
            0 => "no token".to_owned(),
            1 => "one token".to_owned(),
            many => format!("{many} tokens"),
        };
        lines.push(format!(
            "interface {door}: Ollama's API on {}, {tokens}",
            configuration.server.address
        ));
    }
    lines.extend(configuration.platforms.iter().map(platform));
    lines.extend(configuration.found.iter().map(|sentence| format!("found: {sentence}")));
    lines.extend(providers(configuration)?);
    lines.extend(configuration.personas.iter().map(persona));
    lines.push(match configuration.tools.as_slice() {
        [] => "tools: none".to_owned(),
        tools => format!("tools: {}", tools.join(", ")),
    });
    let mut text = lines.join("\n");
    text.push_str("\n\nsettings:\n");
    text.push_str(&settings(&configuration.settings));
    Ok(text)
}

fn platform((name, platform): (&String, &Platform)) -> String {
    match &platform.kind {
        PlatformKind::Telegram(bot) => {
            format!("interface {name}: a Telegram bot at {}", without_secrets(&bot.base_url))
        }
        #[cfg(feature = "matrix")]
        PlatformKind::Matrix(account) => {
            let who = account.user.as_deref().unwrap_or("a Matrix account, by its token,");
            format!("interface {name}: {who} at {}", without_secrets(&account.homeserver))
        }
        #[cfg(feature = "loopback")]
        PlatformKind::Loopback => format!("interface {name}"),
    }
}

fn providers(configuration: &Configuration) -> Result<Vec<String>, Failure> {
    if configuration.providers.is_empty() {
        let line = "provider: none is configured; the environment is searched at start, and a demo answers if nothing is there";
        return Ok(vec![line.to_owned()]);
    }
    let answering = configuration.persona.answering(&configuration.providers);
    let mut lines = Vec::new();
    for (name, part) in assemble::providers(&configuration.providers, &assemble::Built::default())? {
        let answers = if answering.is_some_and(|(answering, _)| answering == name) {
            " (answers)"
        } else {
            ""
        };
        let missing = part
            .provider
            .missing_setting()
            .map(|setting| format!("; {setting} is not set"));
        lines.push(format!(
            "provider {name}{answers}: {}{}",
            part.provider.describe(),
            missing.unwrap_or_default()
        ));
    }
    Ok(lines)
}

/// `persona poet: asks near for m`; what is not told is as in `personas.default`.
fn persona((name, persona): (&String, &Persona)) -> String {
    let provider = persona.provider.as_ref().map(|provider| format!("asks {provider}"));
    let model = persona.model.as_ref().map(|model| format!("with the model {model}"));
    let system = persona
        .system
        .as_ref()
        .map(|_| "has a system prompt of its own".to_owned());
    let facts: Vec<String> = provider.into_iter().chain(model).chain(system).collect();
    if facts.is_empty() {
        format!("persona {name}: as personas.default")
    } else {
        format!("persona {name}: {}", facts.join(", "))
    }
}

fn settings(settings: &Settings) -> String {
    let mut text = String::new();
    for (key, setting) in settings.all() {
        let shown = match (&setting.given, setting.shape) {
            (_, Shape::Secret) => "(secret)".to_owned(),
            (Given::Text(address), Shape::Url) => format!("{:?}", without_secrets(address)),
            (Given::Text(text), _) => format!("{text:?}"),
            (Given::Whole(number), _) => number.to_string(),
            (Given::Number(number), _) => number.to_string(),
            (Given::Flag(flag), _) => flag.to_string(),
            (Given::Texts(texts), _) => format!("{texts:?}"),
        };
        // writing to a string does not fail
        let _ = writeln!(text, "  {key} = {shown}  ({})", setting.origin);
    }
    text
}

/// An address without what may be secret in it.
fn without_secrets(address: &str) -> String {
    let Ok(mut url) = Url::parse(address) else {
        return "(not an address)".to_owned();
    };
    let hidden = [url.set_username(""), url.set_password(None)];
    url.set_query(None);
    url.set_fragment(None);
    if hidden.iter().any(Result::is_err) {
        "(an address)".to_owned()
    } else {
        url.to_string()
    }
}
