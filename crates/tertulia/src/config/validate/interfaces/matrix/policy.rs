//! How an account behaves: whose invites it takes, what it hears, what it shows.

use tertulia_matrix::{Invites, Place, Stream, is_inviter, is_user};

use super::super::super::super::error::ConfigError;
use super::super::super::super::nearest::{hint, nearest};
use super::super::super::super::settings::Settings;

const STREAMS: [(&str, Stream); 2] = [("edit", Stream::Edit), ("off", Stream::Off)];
/// Words that stand alone, where others list users and servers.
const POLICIES: [(&str, Invites); 3] = [
    ("nobody", Invites::Nobody),
    ("admins", Invites::Admins),
    ("everybody", Invites::Everybody),
];
/// From this likeness on, from 0 to 1, a bare word is a slip of the finger rather than the name of a server.
const ALIKE: f64 = 0.6;
/// The longest name of a device, in characters.
const LONGEST_NAME: usize = 100;

pub(super) fn device_name(settings: &Settings, name: &str) -> Result<Option<String>, ConfigError> {
    let key = ["interfaces", name, "device_name"];
    let Some(text) = settings.text(&key) else {
        return Ok(None);
    };
    let is_name = !text.trim().is_empty() && !text.contains(char::is_control) && text.chars().count() <= LONGEST_NAME;
    if is_name {
        Ok(Some(text.to_owned()))
    } else {
        let problem = format!("must be one line of at most {LONGEST_NAME} characters, and not empty");
        Err(settings.wrong(&key, problem))
    }
}

pub(super) fn stream(settings: &Settings, name: &str) -> Result<Stream, ConfigError> {
    let key = ["interfaces", name, "stream"];
    let Some(word) = settings.text(&key) else {
        return Ok(Stream::default());
    };
    let found = STREAMS.iter().find(|(known, _)| *known == word);
    found.map(|(_, stream)| *stream).ok_or_else(|| {
        let near = hint(word, STREAMS.map(|(known, _)| known));
        settings.wrong(&key, format!("must be edit or off, not {word:?}{near}"))
    })
}

/// One word, or a list of users and servers.
pub(super) fn invites(settings: &Settings, name: &str) -> Result<Invites, ConfigError> {
    let key = ["interfaces", name, "invites"];
    if settings.find(&key).is_none() {
        return Ok(Invites::default());
    }
    let words = POLICIES.map(|(word, _)| word);
    let listed = settings.texts(&key);
    if let [word] = listed
        && let Some((_, policy)) = POLICIES.into_iter().find(|(known, _)| known == word)
    {
        return Ok(policy);
    }
    if listed.is_empty() {
        let problem = "is an empty list: \"nobody\" accepts no invites, \"admins\" those of admins";
        return Err(settings.wrong(&key, problem));
    }
    for entry in listed {
        let problem = if words.contains(&entry.as_str()) {
            format!("lists {entry:?} beside others, and it stands alone")
        } else if is_slip(entry, words) {
            format!(
                "is {entry:?}, which is neither a user nor a server{}",
                hint(entry, words)
            )
        } else if is_inviter(entry) {
            continue;
        } else {
            format!(
                "lists {entry:?}: it is nobody, admins or everybody, or a list of users such as @ada:example.org \
                 and of servers such as example.org"
            )
        };
        return Err(settings.wrong(&key, problem));
    }
    Ok(Invites::Listed(listed.to_vec()))
}

/// A server may have a name of one bare word, but hardly one that is nearly one of ours.
fn is_slip(entry: &str, words: [&str; 3]) -> bool {
    let near = nearest(entry, words).unwrap_or_default();
    let likeness = strsim::normalized_damerau_levenshtein(&entry.to_lowercase(), near);
    !entry.contains(['@', '.', ':']) && likeness >= ALIKE
}

pub(super) fn always_on(settings: &Settings, name: &str) -> Result<Vec<Place>, ConfigError> {
    let key = ["interfaces", name, "always_on"];
    let read = |text: &String| {
        // as /path shows it, or without the name of the interface, which is clear
        let place = text.strip_prefix(name).and_then(|rest| rest.strip_prefix('/'));
        tertulia_matrix::always_on(place.unwrap_or(text)).map_err(|_| {
            let problem = format!(
                "lists {text:?}: rooms are listed as !room:example.org, their threads as !room:example.org/$event (see /path)"
            );
            settings.wrong(&key, problem)
        })
    };
    settings.texts(&key).iter().map(read).collect()
}

pub(super) fn bots(settings: &Settings, name: &str) -> Result<Vec<String>, ConfigError> {
    let key = ["interfaces", name, "bots"];
    let listed = settings.texts(&key);
    match listed.iter().find(|entry| !is_user(entry)) {
        None => Ok(listed.to_vec()),
        Some(entry) => {
            let problem = format!("lists {entry:?}: bots are listed by their whole ids, such as @other:example.org");
            Err(settings.wrong(&key, problem))
        }
    }
}
