//! Which provider answers: the configured one, else what is found on this machine, else the demo.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;

use tertulia_engine::ProviderPart;
use tertulia_providers::Demo;

use super::assemble::{self, Built};
use super::cards::Cards;
use super::ollama_probe;
use crate::config::{self, Configuration, ProviderSettings, Service, address_problem};
use crate::environment::Environment;
use crate::failure::Failure;

/// Variables that are meant for us, and that this version can do nothing with.
const LATER: [(&str, &str); 2] = [("DISCORD_TOKEN", "Discord"), ("MATRIX_", "Matrix")];

/// The providers, and which of them answers.
pub(super) struct Answering {
    pub(super) built: Built,
    pub(super) name: String,
    /// What the doors offer; nothing where none is open.
    pub(super) cards: Arc<Cards>,
    /// What was found, in sentences, if nothing was configured.
    pub(super) found: Option<Vec<String>>,
}

/// The settings of the providers, from the configuration or from this machine.
pub(crate) struct Chosen {
    pub(crate) settings: BTreeMap<String, ProviderSettings>,
    /// The one that answers.
    pub(crate) name: String,
    /// What was found, in sentences, if nothing was configured.
    pub(crate) found: Option<Vec<String>>,
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
        let is_found = |before: &&Self| before.found.is_some() && configuration.providers.is_empty();
        let chosen = match before.filter(is_found) {
            Some(before) => Chosen {
                settings: before.built.settings.clone(),
                name: before.name.clone(),
                found: before.found.clone(),
            },
            None => Chosen::find(configuration, environment, own).await?,
        };
        let Chosen { settings, name, found } = chosen;
        let model = settings.get(&name).map(|provider| provider.model.clone());
        let nothing = Built::default();
        let parts = assemble::providers(&settings, before.map_or(&nothing, |before| &before.built))?;
        tell(&parts);
        let built = Built { settings, parts };
        // a door that is no longer wanted goes on until the next start
        let cards = match own {
            Some(_) => Cards::new(configuration, &built, (&name, &model.unwrap_or_default())),
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

impl Chosen {
    /// Takes what is configured, or looks around; `own` is our own address, which is no Ollama.
    pub(crate) async fn find(
        configuration: &Configuration,
        environment: &Environment,
        own: Option<SocketAddr>,
    ) -> Result<Self, Failure> {
        let settings = &configuration.providers;
        if settings.is_empty() {
            return look_around(environment, own).await;
        }
        let (name, _) = configuration
            .persona
            .answering(settings)
            .ok_or_else(|| Failure::config("there is no provider (providers)"))?;
        Ok(Self {
            name: name.to_owned(),
            settings: settings.clone(),
            found: None,
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

/// What this machine offers, and what there is to say about it: the first that is found answers, the others wait to be chosen.
async fn look_around(environment: &Environment, own: Option<SocketAddr>) -> Result<Chosen, Failure> {
    check_open_ai(environment)?;
    let mut found = Vec::new();
    for (kind, service) in config::kinds() {
        let one = match service {
            Some(service) => hosted(environment, kind, service),
            None if kind == "ollama" => ollama(environment, own).await,
            None => None,
        };
        found.extend(one);
    }
    if found.is_empty() {
        found.push(demo());
    }
    let name = found.first().map(|found| found.kind.to_owned()).unwrap_or_default();
    let said = found
        .iter()
        .enumerate()
        .map(|(place, found)| found.sentence(place == 0));
    let sentences = said.chain(unusable(environment)).collect();
    let settings = found.iter().map(|found| {
        let given: Vec<(&str, &str)> = found.given.iter().map(|(key, value)| (*key, value.as_str())).collect();
        let settings = config::found(found.kind, &given).map_err(|error| Failure::config(error.to_string()))?;
        Ok((found.kind.to_owned(), settings))
    });
    Ok(Chosen {
        settings: settings.collect::<Result<_, Failure>>()?,
        name,
        found: Some(sentences),
    })
}

/// A provider that was found.
struct Found {
    kind: &'static str,
    /// Its settings.
    given: Vec<(&'static str, String)>,
    /// How it was found, and how it is called if it answers.
    clue: String,
    /// What else there is to say if it answers.
    hint: String,
    model: String,
}

impl Found {
    fn sentence(&self, answers: bool) -> String {
        let Self {
            kind,
            clue,
            hint,
            model,
            ..
        } = self;
        match (answers, *kind) {
            (true, "demo") => format!("{clue}: {hint}"),
            (true, _) => format!("{clue}: the model {model} answers{hint}."),
            (false, _) => format!("{clue} as well: /provider {kind} asks its model {model}{hint}."),
        }
    }
}

/// An address without a model, or one that is none, was surely meant otherwise.
fn check_open_ai(environment: &Environment) -> Result<(), Failure> {
    let Some(base_url) = environment.get("OPENAI_BASE_URL") else {
        return Ok(());
    };
    if let Some(problem) = address_problem(base_url) {
        return Err(Failure::config(format!("OPENAI_BASE_URL {problem}")));
    }
    match environment.get("OPENAI_MODEL") {
        Some(_) => Ok(()),
        None => Err(Failure::config(
            "OPENAI_BASE_URL is set, but not the model to ask there: set OPENAI_MODEL",
        )),
    }
}

/// A service whose key is in the variable of its own clients; for OpenAI's shape also a server without a key.
fn hosted(environment: &Environment, kind: &'static str, service: Service) -> Option<Found> {
    let key_variable = service
        .key_variables
        .iter()
        .find(|variable| environment.get(variable).is_some());
    let key = key_variable.and_then(|variable| environment.get(variable));
    let base_url = environment.get("OPENAI_BASE_URL").filter(|_| kind == "openai");
    let variable = match base_url {
        Some(_) => "OPENAI_BASE_URL",
        None => key_variable?,
    };
    let model = environment.get(service.model_variable).unwrap_or(service.usual_model);
    let given = [("model", Some(model)), ("api_key", key), ("base_url", base_url)];
    Some(Found {
        kind,
        given: given
            .into_iter()
            .filter_map(|(key, value)| Some((key, value?.to_owned())))
            .collect(),
        clue: format!("{variable} is set"),
        hint: format!(" ({} chooses another)", service.model_variable),
        model: model.to_owned(),
    })
}

/// An Ollama, by its own API.
async fn ollama(environment: &Environment, own: Option<SocketAddr>) -> Option<Found> {
    let (address, model) = ollama_probe::first_model(environment, own).await?;
    Some(Found {
        kind: "ollama",
        given: vec![("model", model.clone()), ("base_url", format!("http://{address}"))],
        clue: format!("An Ollama is at {address}"),
        hint: String::new(),
        model,
    })
}

fn demo() -> Found {
    Found {
        kind: "demo",
        given: vec![("model", Demo::MODEL.to_owned())],
        clue: "No language model was found".to_owned(),
        hint: "the built-in demo answers. To get a real one, set OPENAI_API_KEY or another provider's variable, start Ollama, \
            or write a bot.toml, and start again."
            .to_owned(),
        model: Demo::MODEL.to_owned(),
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

    const ALL: [(&str, &str); 5] = [
        ("OPENAI_API_KEY", "canary"),
        ("ANTHROPIC_API_KEY", "canary"),
        ("GOOGLE_API_KEY", "canary"),
        ("ANTHROPIC_MODEL", "m"),
        // nothing listens there
        ("OLLAMA_HOST", "127.0.0.1:9"),
    ];

    async fn chosen<const N: usize>(variables: [(&str, &str); N]) -> Chosen {
        look_around(&variables.into(), None)
            .await
            .unwrap_or_else(|failure| panic!("{failure}"))
    }

    #[tokio::test]
    async fn the_first_that_is_found_answers_and_the_others_wait() {
        let chosen = chosen(ALL).await;
        assert_eq!(chosen.name, "openai");
        let models = chosen
            .settings
            .iter()
            .map(|(name, found)| (name.as_str(), found.model.as_str()));
        let expected = [
            ("anthropic", "m"),
            ("google", "gemini-2.5-flash"),
            ("openai", "gpt-4o-mini"),
        ];
        assert_eq!(models.collect::<Vec<_>>(), expected);
        let has_key = |found: &ProviderSettings| found.kind.server().is_some_and(|server| server.api_key.is_some());
        assert!(chosen.settings.values().all(has_key));
        assert_eq!(
            chosen.found.unwrap(),
            [
                "OPENAI_API_KEY is set: the model gpt-4o-mini answers (OPENAI_MODEL chooses another).",
                "ANTHROPIC_API_KEY is set as well: /provider anthropic asks its model m (ANTHROPIC_MODEL chooses another).",
                "GOOGLE_API_KEY is set as well: /provider google asks its model gemini-2.5-flash (GEMINI_MODEL chooses another).",
            ]
        );
    }

    #[tokio::test]
    async fn where_nothing_is_found_the_demo_answers() {
        let chosen = chosen([("OLLAMA_HOST", "127.0.0.1:9")]).await;
        assert_eq!(chosen.name, "demo");
        let sentences = chosen.found.unwrap();
        assert!(
            sentences[0].contains("the built-in demo answers. To get a real one"),
            "{sentences:?}"
        );
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
