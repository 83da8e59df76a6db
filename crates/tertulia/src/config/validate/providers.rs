//! `[providers.<name>]`.

use std::collections::BTreeMap;
use std::time::Duration;

use reqwest::Url;
use secrecy::SecretString;
use tertulia_providers::{AbilityOverrides, OllamaConfig, OpenAiConfig, Overrides, ServerConfig};

use super::super::error::ConfigError;
use super::super::nearest::hint;
use super::super::secrets::{self, Known, Place};
use super::super::settings::Settings;
use super::super::{AT_ONCE, ProviderKind, ProviderSettings};
use crate::environment::Environment;

const OPENAI: &str = "openai";
const OLLAMA: &str = "ollama";
const DEMO: &str = "demo";
const KINDS: [&str; 3] = [OPENAI, OLLAMA, DEMO];

/// Kinds that the design has and this version does not.
const LATER: [&str; 6] = [
    "anthropic",
    "deepseek",
    "openrouter",
    "google",
    "huggingface",
    "replicate",
];

/// Keys that not every kind has.
const SERVER_KEYS: [&str; 5] = ["base_url", "api_key_file", "api_key", "capabilities", "models"];
const OLLAMA_KEYS: [&str; 2] = ["num_ctx", "keep_alive"];
const DEMO_KEYS: [&str; 1] = ["pause_ms"];

pub(super) fn read(
    settings: &Settings,
    environment: &Environment,
    known: &mut Known,
) -> Result<BTreeMap<String, ProviderSettings>, ConfigError> {
    let mut providers = BTreeMap::new();
    for name in settings.names(&["providers"]) {
        let kind = match kind(settings, name)? {
            DEMO => {
                refuse_keys(settings, name, DEMO, &SERVER_KEYS)?;
                refuse_keys(settings, name, DEMO, &OLLAMA_KEYS)?;
                let pause = settings.whole(&["providers", name, "pause_ms"]).unwrap_or_default();
                ProviderKind::Demo(Duration::from_millis(pause))
            }
            OLLAMA => {
                refuse_keys(settings, name, OLLAMA, &DEMO_KEYS)?;
                ProviderKind::Ollama(Box::new(ollama(settings, environment, known, name)?))
            }
            _ => {
                refuse_keys(settings, name, OPENAI, &DEMO_KEYS)?;
                refuse_keys(settings, name, OPENAI, &OLLAMA_KEYS)?;
                ProviderKind::OpenAi(Box::new(open_ai(settings, environment, known, name)?))
            }
        };
        let provider = ProviderSettings {
            kind,
            deadlines: super::deadlines(settings, name),
            fallback: Vec::new(),
            prices: BTreeMap::new(),
            at_once: AT_ONCE,
            model: settings
                .text(&["providers", name, "model"])
                .unwrap_or_default()
                .to_owned(),
        };
        providers.insert(name.to_owned(), provider);
    }
    Ok(providers)
}

/// The kind; a provider whose name is a kind needs no other word for it.
fn kind<'a>(settings: &'a Settings, name: &'a str) -> Result<&'a str, ConfigError> {
    let key = ["providers", name, "kind"];
    let all = || KINDS.iter().chain(&LATER).copied();
    let kind = match settings.text(&key) {
        Some(kind) => kind,
        None if all().any(|kind| kind == name) => name,
        None => return Err(settings.wrong(&key, format!("is missing; kinds are {}", KINDS.join(", ")))),
    };
    if LATER.contains(&kind) {
        let problem = format!(
            "is {kind:?}, which is not in this version yet; a server of OpenAI's shape is {OPENAI:?} with a base_url"
        );
        return Err(settings.wrong(&key, problem));
    }
    if !KINDS.contains(&kind) {
        return Err(settings.wrong(&key, format!("is {kind:?}, which is not known{}", hint(kind, all()))));
    }
    Ok(kind)
}

fn refuse_keys(settings: &Settings, name: &str, kind: &str, foreign: &[&str]) -> Result<(), ConfigError> {
    match settings
        .names(&["providers", name])
        .into_iter()
        .find(|key| foreign.contains(key))
    {
        Some(key) => {
            let problem = format!("is not a key of the kind {kind}");
            Err(settings.wrong(&["providers", name, key], problem))
        }
        None => Ok(()),
    }
}

fn open_ai(
    settings: &Settings,
    environment: &Environment,
    known: &mut Known,
    name: &str,
) -> Result<OpenAiConfig, ConfigError> {
    let mut server = server(settings, environment, known, name, OpenAiConfig::official().server)?;
    if settings.text(&["providers", name, "base_url"]).is_none() && server.api_key.is_none() {
        server.api_key = environment.get("OPENAI_API_KEY").map(SecretString::from);
        if let Some(key) = &server.api_key {
            known.add(key);
        }
    }
    Ok(OpenAiConfig::of(server))
}

fn ollama(
    settings: &Settings,
    environment: &Environment,
    known: &mut Known,
    name: &str,
) -> Result<OllamaConfig, ConfigError> {
    let server = server(settings, environment, known, name, OllamaConfig::local().server)?;
    let key = ["providers", name, "keep_alive"];
    let keep_alive = settings.text(&key);
    if let Some(text) = keep_alive.filter(|text| !is_duration(text)) {
        let problem = format!("must be a time such as \"5m\", \"300\" seconds, or \"-1\" for ever, not {text:?}");
        return Err(settings.wrong(&key, problem));
    }
    Ok(OllamaConfig {
        server,
        num_ctx: settings.whole(&["providers", name, "num_ctx"]),
        keep_alive: keep_alive.map(str::to_owned),
    })
}

/// Whether an Ollama takes it for a duration, as it would refuse every question otherwise: whole seconds, or numbers with
/// units, as in `1h30m`.
fn is_duration(text: &str) -> bool {
    let text = text.trim();
    if text.parse::<i64>().is_ok() {
        return true;
    }
    let mut rest = text.strip_prefix(['-', '+']).unwrap_or(text);
    let has_parts = !rest.is_empty();
    let is_of_number = |letter: char| letter.is_ascii_digit() || letter == '.';
    while !rest.is_empty() {
        let behind = rest.trim_start_matches(is_of_number);
        let number = rest.strip_suffix(behind).unwrap_or_default();
        let next = behind.trim_start_matches(|letter| !is_of_number(letter));
        let unit = behind.strip_suffix(next).unwrap_or_default();
        if number.parse::<f64>().is_err() || !["ns", "us", "µs", "ms", "s", "m", "h"].contains(&unit) {
            return false;
        }
        rest = next;
    }
    has_parts
}

/// What every kind has that speaks to a server.
fn server(
    settings: &Settings,
    environment: &Environment,
    known: &mut Known,
    name: &str,
    usual: ServerConfig,
) -> Result<ServerConfig, ConfigError> {
    let place = Place {
        section: &["providers", name],
        file_key: "api_key_file",
        key: "api_key",
        credential: &format!("{name}_api_key"),
    };
    let text = |key| settings.text(&["providers", name, key]);
    let api_key = secrets::read(&place, settings, environment)?;
    if let Some(key) = &api_key {
        known.add(key);
    }
    let base_url = text("base_url").map_or(usual.base_url, str::to_owned);
    known.add_url(&base_url);
    if let Some(problem) = address_problem(&base_url) {
        return Err(settings.wrong(&["providers", name, "base_url"], problem));
    }
    let connect = settings.whole(&["providers", name, "timeouts", "connect"]);
    Ok(ServerConfig {
        name: name.to_owned(),
        base_url,
        api_key,
        model: text("model").unwrap_or_default().to_owned(),
        connect_timeout: connect.map_or(usual.connect_timeout, Duration::from_secs),
        capabilities: capabilities(settings, name),
    })
}

/// What is wrong with the address of a provider, if something is; to stand behind the name of its setting.
pub(crate) fn address_problem(address: &str) -> Option<&'static str> {
    let is_address = Url::parse(address).is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    (!is_address).then_some("must be an http or https address such as http://127.0.0.1:11434/v1")
}

fn capabilities(settings: &Settings, name: &str) -> Overrides {
    let models = settings.names(&["providers", name, "models"]).into_iter();
    Overrides {
        all: abilities(settings, &["providers", name, "capabilities"]),
        models: models
            .map(|model| {
                (
                    model.to_owned(),
                    abilities(settings, &["providers", name, "models", model]),
                )
            })
            .collect(),
    }
}

fn abilities(settings: &Settings, section: &[&str]) -> AbilityOverrides {
    let flag = |key| settings.flag(&[section, &[key]].concat());
    AbilityOverrides {
        conversation: flag("supports_conversation"),
        system: flag("supports_system_messages"),
        tool_calls: flag("supports_tool_calls"),
        vision: flag("supports_vision"),
        thinking: flag("supports_thinking"),
        max_context: settings.whole(&[section, &["max_context_length"]].concat()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_what_an_ollama_takes_for_one() {
        for good in ["5m", "300", "-1", "0", "-1m", "1h30m", "1.5h", " 10s ", "250ms"] {
            assert!(is_duration(good), "{good}");
        }
        for bad in ["", " ", "forever", "5 m", "5x", "m", "1.2.3s", "1h30", "-", "1.5"] {
            assert!(!is_duration(bad), "{bad}");
        }
    }
}
