//! Which provider answers: the configured one, else what is found on this machine, else the demo.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use secrecy::SecretString;
use tertulia_core::policy::Deadlines;
use tertulia_engine::ProviderPart;
use tertulia_providers::{Demo, OllamaConfig, OpenAiConfig, ServerConfig};

use super::assemble::{self, Built};
use super::cards::Cards;
use super::ollama_probe;
use crate::config::{AT_ONCE, Configuration, ProviderKind, ProviderSettings, address_problem};
use crate::environment::Environment;
use crate::failure::Failure;

/// OpenAI's model where `OPENAI_MODEL` names none.
const OPENAI_MODEL: &str = "gpt-4o-mini";

/// Variables that are meant for us, and that this version can do nothing with.
const LATER: [(&str, &str); 3] = [
    ("ANTHROPIC_API_KEY", "Anthropic"),
    ("DISCORD_TOKEN", "Discord"),
    ("MATRIX_", "Matrix"),
];

/// The providers, and which of them answers.
pub(super) struct Answering {
    pub(super) built: Built,
    pub(super) name: String,
    /// What the doors offer; nothing where none is open.
    pub(super) cards: Arc<Cards>,
    /// What was found, in sentences, if nothing was configured.
    pub(super) found: Option<Vec<String>>,
}

impl Answering {
    /// Sets up what is configured, or what is found. Of what was there before, what has not changed stays the same; and what
    /// was found is not looked for again.
    pub(super) async fn find(
        configuration: &Configuration,
        environment: &Environment,
        own: Option<SocketAddr>,
        before: Option<&Self>,
    ) -> Result<Self, Failure> {
        let mut settings = configuration.providers.clone();
        let mut found = None;
        if settings.is_empty() {
            let (all, sentences) = match before.and_then(|before| Some((before, before.found.clone()?))) {
                Some((before, sentences)) => (before.built.settings.clone(), sentences),
                None => look_around(environment, own).await?,
            };
            settings = all;
            found = Some(sentences);
        }
        let persona = &configuration.persona;
        let answering = persona.answering(&settings);
        let (name, provider) = answering.ok_or_else(|| Failure::config("there is no provider (providers)"))?;
        let (name, model) = (name.to_owned(), provider.model.clone());
        let nothing = Built::default();
        let parts = assemble::providers(&settings, before.map_or(&nothing, |before| &before.built))?;
        tell(&parts);
        let built = Built { settings, parts };
        // a door that is no longer wanted goes on until the next start
        let cards = match own {
            Some(_) => Cards::new(configuration, &built, (&name, &model)),
            None => Cards::default(),
        };
        cards.learn().await;
        Ok(Self {
            built,
            name,
            cards: Arc::new(cards),
            found,
        })
    }
}

fn tell(parts: &BTreeMap<String, ProviderPart>) {
    for (name, part) in parts {
        let provider = &part.provider;
        tracing::info!(name, provider = provider.describe(), "provider");
        if let Some(setting) = provider.missing_setting() {
            tracing::warn!(
                name,
                setting,
                "a provider cannot be used: a setting is missing or cannot be sent"
            );
        }
    }
}

/// What this machine offers, and what there is to say about it.
async fn look_around(
    environment: &Environment,
    own: Option<SocketAddr>,
) -> Result<(BTreeMap<String, ProviderSettings>, Vec<String>), Failure> {
    if let Some(problem) = environment.get("OPENAI_BASE_URL").and_then(address_problem) {
        return Err(Failure::config(format!("OPENAI_BASE_URL {problem}")));
    }
    if environment.get("OPENAI_BASE_URL").is_some() && environment.get("OPENAI_MODEL").is_none() {
        let problem = "OPENAI_BASE_URL is set, but not the model to ask there: set OPENAI_MODEL";
        return Err(Failure::config(problem));
    }
    let (name, provider, mut sentences) = search(environment, own).await;
    sentences.extend(unusable(environment));
    Ok(([(name.to_owned(), provider)].into(), sentences))
}

/// What is there: OpenAI by its variables, an Ollama on its port, the demo.
async fn search(environment: &Environment, own: Option<SocketAddr>) -> (&'static str, ProviderSettings, Vec<String>) {
    if let Some((provider, sentence)) = open_ai(environment) {
        return ("openai", provider, vec![sentence]);
    }
    if let Some((address, model)) = ollama_probe::first_model(environment, own).await {
        let sentence = format!("An Ollama is at {address}: its model {model} answers.");
        return ("ollama", ollama(address, model), vec![sentence]);
    }
    let sentence = "No language model was found: the built-in demo answers. To get a real one, set OPENAI_API_KEY, \
        start Ollama, or write a bot.toml, and start again.";
    let demo = settings(ProviderKind::Demo(Duration::ZERO), Demo::MODEL.to_owned());
    ("demo", demo, vec![sentence.to_owned()])
}

/// An Ollama, by its own API.
fn ollama(address: SocketAddr, model: String) -> ProviderSettings {
    let config = OllamaConfig::of(ServerConfig {
        model: model.clone(),
        ..ServerConfig::at("ollama", format!("http://{address}"))
    });
    settings(ProviderKind::Ollama(Box::new(config)), model)
}

/// The variables of OpenAI's own clients.
fn open_ai(environment: &Environment) -> Option<(ProviderSettings, String)> {
    let key = environment.get("OPENAI_API_KEY");
    let base_url = environment.get("OPENAI_BASE_URL");
    if key.is_none() && base_url.is_none() {
        return None;
    }
    let model = environment.get("OPENAI_MODEL").unwrap_or(OPENAI_MODEL);
    let config = OpenAiConfig::of(ServerConfig {
        api_key: key.map(SecretString::from),
        model: model.to_owned(),
        ..base_url.map_or_else(OpenAiConfig::official, OpenAiConfig::at).server
    });
    let variable = if base_url.is_some() {
        "OPENAI_BASE_URL"
    } else {
        "OPENAI_API_KEY"
    };
    let sentence = format!("{variable} is set: the model {model} answers (OPENAI_MODEL chooses another).");
    Some((
        settings(ProviderKind::OpenAi(Box::new(config)), model.to_owned()),
        sentence,
    ))
}

fn settings(kind: ProviderKind, model: String) -> ProviderSettings {
    ProviderSettings {
        kind,
        deadlines: Deadlines::default(),
        fallback: Vec::new(),
        prices: BTreeMap::new(),
        at_once: AT_ONCE,
        model,
    }
}

fn unusable(environment: &Environment) -> impl Iterator<Item = String> {
    LATER
        .iter()
        .filter(|(variable, _)| environment.has_prefix(variable))
        .map(|(variable, what)| {
            let shown = if variable.ends_with('_') {
                format!("{variable}*")
            } else {
                (*variable).to_owned()
            };
            format!("{shown} is set, but this version has no {what} yet.")
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn openai_is_taken_from_its_variables() {
        let model = |environment: Environment| open_ai(&environment).map(|(provider, _)| provider.model);
        assert_eq!(model(Environment::default()), None);
        assert_eq!(model([("OPENAI_API_KEY", "k")].into()).as_deref(), Some(OPENAI_MODEL));
        let variables = [("OPENAI_API_KEY", "k"), ("OPENAI_MODEL", "m")];
        assert_eq!(model(variables.into()).as_deref(), Some("m"));
    }

    #[test]
    fn what_cannot_be_used_is_said() {
        let environment = [("MATRIX_PASSWORD", "secret"), ("DISCORD_TOKEN", "secret")].into();
        let sentences: Vec<String> = unusable(&environment).collect();
        assert_eq!(
            sentences,
            [
                "DISCORD_TOKEN is set, but this version has no Discord yet.",
                "MATRIX_* is set, but this version has no Matrix yet."
            ]
        );
    }
}
