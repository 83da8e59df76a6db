//! Who is asked where a provider cannot answer.

use std::collections::{BTreeMap, BTreeSet};

use crate::config::ProviderSettings;
use crate::config::error::ConfigError;
use crate::config::nearest::hint;
use crate::config::settings::Settings;

/// Makes sure that whoever is named as a stand-in is there and can be asked.
///
/// Two that stand in for each other are no mistake: the stand-ins of a stand-in are not asked.
pub(super) fn check(settings: &Settings, providers: &BTreeMap<String, ProviderSettings>) -> Result<(), ConfigError> {
    for (name, provider) in providers {
        let mut seen = BTreeSet::new();
        for named in &provider.fallback {
            let wrong = |problem: String| settings.wrong(&["providers", name, "fallback"], problem);
            let Some(other) = providers.get(named) else {
                let near = hint(
                    named,
                    providers.keys().map(String::as_str).filter(|other| other != name),
                );
                let problem = format!("names {named:?}, and there is no section providers.{named}{near}");
                return Err(wrong(problem));
            };
            if named == name {
                return Err(wrong(format!("names {named:?}, which is the provider itself")));
            }
            if !seen.insert(named) {
                return Err(wrong(format!("names {named:?} twice")));
            }
            if other.needs_model() {
                let problem = format!("is missing, and providers.{name}.fallback names {named:?}");
                return Err(settings.wrong(&["providers", named, "model"], problem));
            }
        }
    }
    Ok(())
}
