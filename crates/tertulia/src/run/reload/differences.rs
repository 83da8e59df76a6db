//! What of a changed configuration only a restart can bring about.

use std::collections::{BTreeMap, BTreeSet};

use secrecy::{ExposeSecret, SecretString};

use crate::config::{Given, Settings};

/// Settings that hold from one start to the next; a section ends with a dot.
const KEPT: [&str; 6] = [
    "server.bind",
    "server.port",
    "server.max_connections",
    "interfaces.",
    "store.directory",
    "log.format",
];

/// One sentence for each setting of which another value waits for the next start.
pub(super) fn notes(started_with: &Settings, now: &Settings) -> Vec<String> {
    let (before, now) = (kept(started_with), kept(now));
    let keys: BTreeSet<&String> = before.keys().chain(now.keys()).collect();
    let differs = |key: &&&String| before.get(**key) != now.get(**key);
    let note = |key: &&String| format!("{key} has changed; that takes effect at the next start.");
    keys.iter().filter(differs).map(note).collect()
}

/// One sentence for each bot that has another token now, wherever it stands.
pub(super) fn other_tokens(
    started_with: &BTreeMap<String, SecretString>,
    now: &BTreeMap<String, SecretString>,
) -> Vec<String> {
    let is_other = |name: &&String| {
        let token =
            |tokens: &BTreeMap<String, SecretString>| tokens.get(*name).map(|token| token.expose_secret().to_owned());
        token(started_with) != token(now)
    };
    let both = started_with.keys().filter(|name| now.contains_key(*name));
    both.filter(is_other)
        .map(|name| format!("the token of interfaces.{name} has changed; that takes effect at the next start."))
        .collect()
}

fn kept(settings: &Settings) -> BTreeMap<String, &Given> {
    let is_kept = |key: &str| {
        KEPT.iter()
            .any(|kept| key == *kept || kept.ends_with('.') && key.starts_with(kept))
    };
    let all = settings.all().filter(|(key, _)| is_kept(key));
    all.map(|(key, setting)| (key, &setting.given)).collect()
}
