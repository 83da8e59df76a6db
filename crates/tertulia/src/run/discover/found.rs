//! What this machine offers where nothing is configured: services by their clients' variables, an Ollama, or else the demo.

use std::net::SocketAddr;

use tertulia_providers::Demo;

use super::Chosen;
use crate::config::{self, Service, address_problem};
use crate::environment::Environment;
use crate::failure::Failure;
use crate::run::ollama_probe;

/// Variables that are meant for us, and that this version can do nothing with.
const LATER: [(&str, &str); 1] = [("DISCORD_TOKEN", "Discord")];

/// The kind that is looked for on its port.
const OLLAMA: &str = "ollama";

/// What this machine offers, and what there is to say about it: the first that is found answers, the others wait to be chosen.
pub(super) async fn look_around(environment: &Environment, own: Option<SocketAddr>) -> Result<Chosen, Failure> {
    check_open_ai(environment)?;
    let mut found = Vec::new();
    for (kind, service) in config::kinds() {
        let one = match service {
            Some(service) => hosted(environment, kind, service)?,
            None if kind == OLLAMA => ollama(environment, own).await,
            None => None,
        };
        found.extend(one);
    }
    let lacks_ollama = !found.iter().any(|found| found.kind == OLLAMA);
    if found.is_empty() {
        found.push(demo());
    }
    let name = found.first().map(|found| found.kind.to_owned()).unwrap_or_default();
    let said = found
        .iter()
        .enumerate()
        .map(|(place, found)| found.sentence(place == 0));
    let silent = lacks_ollama.then(|| silent_ollama(environment)).flatten();
    let sentences = said.chain(silent).chain(unusable(environment)).collect();
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
///
/// # Errors
/// The key can be none.
fn hosted(environment: &Environment, kind: &'static str, service: Service) -> Result<Option<Found>, Failure> {
    let key_variable = service
        .key_variables
        .iter()
        .find(|variable| environment.get(variable).is_some());
    let key = key_variable.and_then(|variable| environment.get(variable));
    let base_url = environment.get("OPENAI_BASE_URL").filter(|_| kind == "openai");
    let variable = match (base_url, key_variable) {
        (Some(_), _) => "OPENAI_BASE_URL",
        (None, Some(variable)) => *variable,
        (None, None) => return Ok(None),
    };
    if let (Some(variable), Some(key)) = (key_variable, key) {
        config::key_of_variable(variable, key).map_err(|error| Failure::config(error.to_string()))?;
    }
    let model = environment.get(service.model_variable).unwrap_or(service.usual_model);
    let given = [("model", Some(model)), ("api_key", key), ("base_url", base_url)];
    Ok(Some(Found {
        kind,
        given: given
            .into_iter()
            .filter_map(|(key, value)| Some((key, value?.to_owned())))
            .collect(),
        clue: format!("{variable} is set"),
        hint: format!(" ({} chooses another)", service.model_variable),
        model: model.to_owned(),
    }))
}

/// An Ollama, by its own API.
async fn ollama(environment: &Environment, own: Option<SocketAddr>) -> Option<Found> {
    let (address, model) = ollama_probe::first_model(environment, own).await?;
    Some(Found {
        kind: OLLAMA,
        given: vec![("model", model.clone()), ("base_url", format!("http://{address}"))],
        clue: format!("An Ollama is at {address}"),
        hint: String::new(),
        model,
    })
}

/// Whoever says where an Ollama is wants to know that none is there.
fn silent_ollama(environment: &Environment) -> Option<String> {
    let given = environment.get("OLLAMA_HOST")?;
    let why = if ollama_probe::address(Some(given)).is_none() {
        "is no IP address with a port, and names are not looked up: a bot.toml may name it"
    } else {
        "is set, but no Ollama with a model answers there"
    };
    Some(format!("OLLAMA_HOST {why}."))
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
        .filter(|(variable, _)| environment.get(variable).is_some())
        .map(|(variable, what)| format!("{variable} is set, but this version has no {what} yet."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::ProviderSettings;

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
                "OLLAMA_HOST is set, but no Ollama with a model answers there.",
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
    fn an_ollama_that_was_named_is_missed() {
        let missed = |host| silent_ollama(&[("OLLAMA_HOST", host)].into());
        let named = missed("ollama.example").unwrap();
        assert!(named.starts_with("OLLAMA_HOST is no IP address"), "{named}");
        assert!(
            missed("127.0.0.1:9")
                .unwrap()
                .contains("no Ollama with a model answers")
        );
        assert_eq!(silent_ollama(&Environment::default()), None);
    }

    #[test]
    fn what_cannot_be_used_is_said() {
        let environment = [("DISCORD_TOKEN", "secret")].into();
        let sentences: Vec<String> = unusable(&environment).collect();
        assert_eq!(
            sentences,
            ["DISCORD_TOKEN is set, but this version has no Discord yet."]
        );
    }
}
