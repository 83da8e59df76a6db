//! What `/persona`, `/provider`, `/model`, `/system` and `/tools` share: showing, setting, unsetting.

mod holds;
mod value;

use tertulia_core::preferences::{Key, Preference, Resolved, Scope, Source};
use tertulia_core::transaction::Change;
use tertulia_message::Level;

use super::show::{code, sentence};
use super::{Answer, Call, Done, Refusal, words};
pub(super) use holds::{held, stale};

/// Unsets what is set.
const DEFAULT: &str = "default";

/// The scope that an option asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asked {
    /// None: this very conversation.
    Here,
    Thread,
    Chat,
    Interface,
    Everywhere,
}

/// Shows what holds, or sets or unsets it.
pub(super) async fn run(call: &Call<'_>, key: Key) -> Done {
    let (asked, value) = read(call.arguments).ok_or(Refusal::Usage)?;
    let scope = scope(call, asked)?;
    if value.is_empty() {
        return Ok(shown(call, key, asked, &scope).into());
    }
    may_set(call, &scope)?;
    let alone = call.alone().await?;
    let present = call.shared.present();
    let preference = if value == DEFAULT {
        None
    } else {
        let value = value::checked(key, value, &present.catalog).map_err(Refusal::Said)?;
        Some(Preference {
            value,
            set_by: call.row.person.to_string(),
            set_at: call.wall(),
        })
    };
    let mut after = call.shared.governed.preferences();
    match preference.clone() {
        Some(preference) => after.0.insert((scope.clone(), key), preference),
        None => after.0.remove(&(scope.clone(), key)),
    };
    let after = after.resolve(&call.path, &present.catalog, None);
    let text = done(call, key, &scope, preference.as_ref(), &after);
    let change = Change::Set { scope, key, preference };
    Ok(Answer {
        changes: vec![change],
        alone: Some(alone),
        ..Answer::from(text)
    })
}

/// The scope option and the value. Two hyphens alone end the options, for values that begin like one.
fn read(arguments: &str) -> Option<(Asked, &str)> {
    let (word, rest) = words::first(arguments);
    let Some(option) = words::option(word) else {
        return Some((Asked::Here, arguments));
    };
    let asked = match option {
        "" if rest.is_empty() => return None,
        "" => return Some((Asked::Here, rest)),
        "thread" => Asked::Thread,
        "chat" => Asked::Chat,
        "interface" => Asked::Interface,
        "all" => Asked::Everywhere,
        _ => return None,
    };
    let (next, value) = words::first(rest);
    match words::option(next) {
        None => Some((asked, rest)),
        Some("") if !value.is_empty() => Some((asked, value)),
        Some(_) => None,
    }
}

fn scope(call: &Call<'_>, asked: Asked) -> Result<Scope, Refusal> {
    Ok(match asked {
        Asked::Here => Scope::Place(call.path.clone()),
        Asked::Chat => Scope::Place(call.path.chat()),
        Asked::Interface => Scope::Interface(call.path.interface().to_owned()),
        Asked::Everywhere => Scope::Everywhere,
        Asked::Thread if call.path.parent().is_some() => Scope::Place(call.path.clone()),
        Asked::Thread => return Err(Refusal::Said("This is no thread.".to_owned())),
    })
}

/// Nobody sets what holds for others without being trusted, and nobody but admins what holds elsewhere.
fn may_set(call: &Call<'_>, scope: &Scope) -> Result<(), Refusal> {
    let needed = match scope {
        Scope::Interface(_) | Scope::Everywhere => Level::Admin,
        Scope::Place(_) if call.direct => Level::User,
        Scope::Place(_) => Level::Trusted,
    };
    if call.standing().level >= needed {
        return Ok(());
    }
    Err(Refusal::Said(match needed {
        Level::Admin => "Only admins may set what holds in other conversations as well.".to_owned(),
        _ => "Where others speak as well, only trusted people may set this.".to_owned(),
    }))
}

fn done(call: &Call<'_>, key: Key, scope: &Scope, set: Option<&Preference>, after: &Resolved) -> String {
    let place = holds::place(scope, &call.row.path);
    let what = holds::noun(key);
    let (is, are_not) = if key == Key::Tools {
        ("are now", "are no longer set")
    } else {
        ("is now", "is no longer set")
    };
    let mut text = match set {
        Some(set) => format!("The {what} {place} {is}: {}.", holds::value(key, &set.value, 100)),
        None => format!("The {what} {are_not} {place}."),
    };
    let (holding, source) = holds::one(key, after);
    if set.is_none() {
        let more = format!(
            " {} now: {holding} ({}).",
            sentence(&call.place()),
            holds::source(source, &call.row.path)
        );
        text += &more;
    } else if *source != Source::Set(scope.clone()) {
        let more = format!(
            " But {} {holding} goes on to hold ({}).",
            call.place(),
            holds::source(source, &call.row.path)
        );
        text += &more;
    }
    if matches!(key, Key::Provider | Key::Persona) {
        text += &answers(call, after);
    }
    text
}

/// Which provider and model answer now, and what keeps them from it.
fn answers(call: &Call<'_>, after: &Resolved) -> String {
    let (provider, model) = (&after.provider.value, &after.model.value);
    let model = if model.is_empty() {
        "its own model".to_owned()
    } else {
        format!("the model {}", code(model, 200))
    };
    let mut text = format!(
        " {} {} answers with {model}.",
        sentence(&call.place()),
        code(provider, 64)
    );
    let present = call.shared.present();
    let part = present.live.providers.get(provider);
    if let Some(missing) = part.and_then(|part| part.provider.missing_setting()) {
        let more = format!(" It cannot answer yet: its {} is missing.", code(missing, 64));
        text += &more;
    }
    text
}

fn shown(call: &Call<'_>, key: Key, asked: Asked, scope: &Scope) -> String {
    let present = call.shared.present();
    if asked != Asked::Here {
        let place = holds::place(scope, &call.row.path);
        let preferences = call.shared.governed.preferences();
        return match preferences.0.get(&(scope.clone(), key)) {
            Some(set) => format!("What is set {place}: {}.", holds::value(key, &set.value, 300)),
            None => format!("Nothing is set {place}."),
        };
    }
    let holding = call.shared.governed.resolve(&call.path, None);
    let mut parts = vec![held(key, &holding, &call.row.path)];
    parts.extend(stale(&holding, &call.row.path));
    parts.push(value::choices(key, &holding, &present));
    parts.join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_stand_at_the_beginning() {
        for (arguments, expected) in [
            ("", Some((Asked::Here, ""))),
            ("gpt", Some((Asked::Here, "gpt"))),
            ("--chat gpt", Some((Asked::Chat, "gpt"))),
            ("—all gpt", Some((Asked::Everywhere, "gpt"))),
            ("–interface", Some((Asked::Interface, ""))),
            ("--thread  a  b", Some((Asked::Thread, "a  b"))),
            ("-- --chat", Some((Asked::Here, "--chat"))),
            ("--chat -- --x", Some((Asked::Chat, "--x"))),
            ("gpt --chat", Some((Asked::Here, "gpt --chat"))),
            ("--", None),
            ("—", None),
            ("--chat --", None),
            ("--chat --all x", None),
            ("--Chat x", None),
            ("--everything x", None),
        ] {
            assert_eq!(read(arguments), expected, "{arguments}");
        }
    }
}
