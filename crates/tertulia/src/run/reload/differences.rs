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

/// What each platform is let in with, by its name and the word for it.
pub(super) type Secrets = BTreeMap<String, BTreeMap<&'static str, SecretString>>;

/// One sentence for each secret of a platform that is another one now, wherever it stands.
pub(super) fn other_secrets(started_with: &Secrets, now: &Secrets) -> Vec<String> {
    let of = |secrets: &Secrets, name: &str, word: &str| {
        let secret = secrets.get(name).and_then(|secrets| secrets.get(word));
        secret.map(|secret| secret.expose_secret().to_owned())
    };
    let both = started_with
        .iter()
        .filter_map(|(name, before)| Some((name, before, now.get(name)?)));
    both.flat_map(|(name, before, after)| {
        let words: BTreeSet<&'static str> = before.keys().chain(after.keys()).copied().collect();
        words.into_iter().map(move |word| (name, word))
    })
    .filter(|(name, word)| of(started_with, name, word) != of(now, name, word))
    .map(|(name, word)| format!("the {word} of interfaces.{name} has changed; that takes effect at the next start."))
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
