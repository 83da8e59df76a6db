//! Whether every provider can be asked.

use std::time::Duration;

use tertulia_core::provider::ProviderFault;
use tertulia_engine::ProviderPart;
use tokio::time::timeout;

use super::report::Report;
use crate::config::Configuration;
use crate::run::assemble::{self, Built};

/// How long a provider may take to answer.
const PATIENCE: Duration = Duration::from_secs(10);

pub(super) async fn look(configuration: &Configuration, report: &mut Report) {
    if configuration.providers.is_empty() {
        let finding =
            "none is configured; the environment is searched at start, and a demo answers if nothing is there";
        return report.ok("providers", finding);
    }
    let parts = match assemble::providers(&configuration.providers, &Built::default()) {
        Ok(parts) => parts,
        Err(failure) => {
            let advice = "a provider cannot be set up on this machine: mend its section";
            return report.fail("providers", failure.to_string(), advice);
        }
    };
    let answering = configuration.persona.answering(&configuration.providers);
    for (name, part) in &parts {
        let answers = answering.is_some_and(|(answering, _)| answering == name);
        let of_persona = configuration.persona.model.as_deref().filter(|_| answers);
        one(name, part, of_persona.unwrap_or(&part.model), report).await;
    }
}

async fn one(name: &str, part: &ProviderPart, model: &str, report: &mut Report) {
    let what = format!("provider {name}");
    let provider = &part.provider;
    if let Some(setting) = provider.missing_setting() {
        let advice = format!("set {setting}; `tertulia check-config` shows what is set");
        return report.fail(&what, format!("{setting} is missing, or cannot be sent"), &advice);
    }
    match timeout(PATIENCE, provider.probe(model, true)).await {
        Ok(Ok(())) => report.ok(&what, format!("answers: {}", provider.describe())),
        Ok(Err(error)) => report.fail(&what, error.to_string(), &advice(name, error.kind)),
        Err(_) => {
            let finding = format!("no answer within {} s: {}", PATIENCE.as_secs(), provider.describe());
            report.fail(&what, finding, &advice(name, ProviderFault::Unreachable));
        }
    }
}

fn advice(name: &str, fault: ProviderFault) -> String {
    match fault {
        ProviderFault::Unauthorized => format!("put a key that is good into the file of providers.{name}.api_key_file"),
        ProviderFault::Unreachable => {
            format!("start the server, or look at providers.{name}.base_url, the network and its firewall")
        }
        ProviderFault::NoSuchModel => format!("set providers.{name}.model to a model that it has"),
        ProviderFault::Billing => "look after the account: it has no money or quota left".to_owned(),
        ProviderFault::RateLimited { .. } | ProviderFault::Unavailable { .. } => {
            "nothing is wrong here; try again later".to_owned()
        }
        ProviderFault::NotConfigured => format!("set what is missing in providers.{name}"),
        ProviderFault::Broken | ProviderFault::ContextTooLong | ProviderFault::Rejected => {
            format!("look whether providers.{name}.base_url is the address of such a server")
        }
    }
}
