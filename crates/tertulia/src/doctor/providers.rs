//! Whether every provider can be asked.

use std::net::IpAddr;
use std::time::Duration;

use reqwest::Url;
use secrecy::ExposeSecret;
use tertulia_core::provider::ProviderFault;
use tertulia_engine::ProviderPart;
use tertulia_providers::ServerConfig;
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
        let server = configuration
            .providers
            .get(name)
            .and_then(|settings| settings.kind.server());
        if let Some(host) = server.and_then(shows_key_to_all) {
            let finding = format!("its key goes to {host} by plain http, and whoever is on the way can read it");
            let advice = format!("use https in providers.{name}.base_url, or a tunnel; or leave the key out");
            report.warn(&format!("provider {name}"), finding, &advice);
        }
    }
}

/// The other machine that a key is sent to without encryption, if that is so.
fn shows_key_to_all(server: &ServerConfig) -> Option<String> {
    let has_key = server
        .api_key
        .as_ref()
        .is_some_and(|key| !key.expose_secret().trim().is_empty());
    let url = Url::parse(&server.base_url).ok()?;
    let host = url.host_str()?;
    let address: Option<IpAddr> = host.trim_matches(['[', ']']).parse().ok();
    let is_here = host == "localhost" || address.is_some_and(|address| address.is_loopback());
    (has_key && url.scheme() == "http" && !is_here).then(|| host.to_owned())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(base_url: &str, key: Option<&str>, expected: Option<&str>) {
        let server = ServerConfig {
            api_key: key.map(Into::into),
            ..ServerConfig::at("a", base_url)
        };
        assert_eq!(shows_key_to_all(&server).as_deref(), expected, "{base_url}");
    }

    #[test]
    fn a_key_goes_in_the_clear_only_within_this_machine() {
        check("http://models.example/v1", Some("k"), Some("models.example"));
        check("http://10.0.0.7:8080/v1", Some("k"), Some("10.0.0.7"));
        check("http://models.example/v1", None, None);
        check("http://models.example/v1", Some(" "), None);
        check("https://models.example/v1", Some("k"), None);
        for here in ["http://localhost:1/v1", "http://127.0.0.1:1", "http://[::1]:1"] {
            check(here, Some("k"), None);
        }
    }
}
