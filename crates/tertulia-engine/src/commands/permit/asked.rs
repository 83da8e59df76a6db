//! Reading what `/allow` and `/deny` are told.

use tertulia_core::access::{Subject, is_handle, is_name};
use tertulia_message::path::InterfacePath;
use tertulia_message::{Level, PersonId};

use super::super::call::{CONSOLE, no_interface};
use super::super::show::{code, is_hidden};
use super::super::{Refusal, when};

/// The longest id of a person, in bytes.
const ID: usize = 255;

/// Which of the two it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verb {
    Allow,
    Deny,
}

/// What is asked for.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Asked {
    pub(super) subject: Subject,
    /// The level to give; none: what was given is taken back.
    pub(super) level: Option<Level>,
    /// For how long, in milliseconds; none: for good.
    pub(super) time: Option<i64>,
}

impl Asked {
    pub(super) fn read(
        verb: Verb,
        arguments: &str,
        here: &InterfacePath,
        interfaces: &[String],
    ) -> Result<Self, Refusal> {
        // nothing needs more words, and whoever sends a thousand gets the usage line
        let words: Vec<&str> = arguments.split_whitespace().take(8).collect();
        let (kind, words) = words.split_first().ok_or(Refusal::Usage)?;
        let (subject, words) = match *kind {
            "person" => {
                let (entry, words) = words.split_first().ok_or(Refusal::Usage)?;
                (Subject::Person(person(entry, interfaces)?), words)
            }
            "chat" => place(words, &here.chat(), false, interfaces)?,
            "thread" => place(words, here, true, interfaces)?,
            _ => return Err(Refusal::Usage),
        };
        let (level, words) = match verb {
            Verb::Allow => level(words)?,
            Verb::Deny => (Some(Level::Guest), words),
        };
        let time = match words {
            [] => None,
            ["for", time] if level.is_some() => Some(when::read(time).ok_or_else(|| no_time(time))?),
            _ => return Err(Refusal::Usage),
        };
        Ok(Self { subject, level, time })
    }
}

fn said(text: impl Into<String>) -> Refusal {
    Refusal::Said(text.into())
}

fn no_time(text: &str) -> Refusal {
    said(format!("{} is no time: say `30m`, `12h` or `7d`.", code(text, 32)))
}

fn person(entry: &str, interfaces: &[String]) -> Result<PersonId, Refusal> {
    let form = "people are given as interface/id, with the id that never changes, as /whoami shows it";
    let shown = code(entry, 64);
    if let Some(interface) = entry.strip_suffix('/').filter(|interface| !interface.contains('/')) {
        is_configured(interface, interfaces)?;
        return Err(said(format!("An id is missing behind {shown}: {form}.")));
    }
    let person = PersonId::parse(entry)
        .filter(|person| !is_name(person))
        .ok_or_else(|| said(format!("{shown} is a name, and names can change hands: {form}.")))?;
    is_configured(&person.interface, interfaces)?;
    is_an_id(&person.id, &shown)?;
    Ok(person)
}

/// No platform has ids that nobody could read out, and a path is easily taken for one.
fn is_an_id(id: &str, shown: &str) -> Result<(), Refusal> {
    if id.len() > ID {
        return Err(said(format!("{shown} is too long: an id has at most {ID} bytes.")));
    }
    if id.contains(|letter: char| is_hidden(letter) || letter.is_whitespace()) {
        return Err(said(format!(
            "{shown} has blanks or hidden characters in it: no id has."
        )));
    }
    if id.contains('/') && !id.contains(':') {
        return Err(said(format!(
            "{shown}: that is a path: /allow chat and /allow thread take one."
        )));
    }
    Ok(())
}

/// A place and the words behind it.
fn place<'a, 'w>(
    words: &'a [&'w str],
    here: &InterfacePath,
    thread: bool,
    interfaces: &[String],
) -> Result<(Subject, &'a [&'w str]), Refusal> {
    let (path, words) = match words {
        ["here", words @ ..] => (here.clone(), words),
        [entry, words @ ..] if entry.contains('/') => {
            let path = InterfacePath::parse(entry)
                .map_err(|error| said(format!("{} is no path: {error}.", code(entry, 64))))?;
            is_configured(path.interface(), interfaces)?;
            if is_handle(&path.target()) {
                let shown = code(entry, 64);
                return Err(said(format!(
                    "{shown} is a name, and names can change hands: chats are given as /path shows them."
                )));
            }
            (path, words)
        }
        words => (here.clone(), words),
    };
    if path.interface() == CONSOLE {
        is_configured(CONSOLE, interfaces)?;
    }
    match (thread, path.parent().is_some()) {
        (true, false) => Err(said("That is no thread. Say `chat` for a chat with all its threads.")),
        (false, true) => Err(said("That is a thread. Say `thread` to mean it alone.")),
        _ => Ok((Subject::Place(path), words)),
    }
}

/// The level to give and the words behind it; none if what was given is to be taken back.
fn level<'a, 'w>(words: &'a [&'w str]) -> Result<(Option<Level>, &'a [&'w str]), Refusal> {
    match words {
        [] | ["for", ..] => Ok((Some(Level::User), words)),
        ["default", words @ ..] => Ok((None, words)),
        [word, words @ ..] => {
            let level = Level::parse(word).ok_or_else(|| {
                said(format!(
                    "{} is no level. The levels are guest, user, trusted and admin.",
                    code(word, 32)
                ))
            })?;
            Ok((Some(level), words))
        }
    }
}

fn is_configured(interface: &str, interfaces: &[String]) -> Result<(), Refusal> {
    if interface == CONSOLE {
        return Err(said(
            "The console is judged by the machine's user: no command lets anybody in there, or shuts anybody out.",
        ));
    }
    if interfaces.iter().any(|known| known == interface) {
        return Ok(());
    }
    Err(no_interface(interface, interfaces))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(verb: Verb, arguments: &str) -> Result<Asked, Refusal> {
        let here = InterfacePath::parse("loopback/room/7").unwrap();
        Asked::read(
            verb,
            arguments,
            &here,
            &["loopback", "door", CONSOLE].map(str::to_owned),
        )
    }

    #[track_caller]
    fn check(verb: Verb, arguments: &str, subject: &str, level: Option<Level>, time: Option<i64>) {
        let asked = read(verb, arguments).unwrap();
        assert_eq!(asked.subject.to_string(), subject, "{arguments}");
        assert_eq!((asked.level, asked.time), (level, time), "{arguments}");
    }

    #[test]
    fn people_chats_and_threads_are_read() {
        let allow = |arguments, subject, level, time| check(Verb::Allow, arguments, subject, level, time);
        allow("person loopback/bob", "@loopback/bob", Some(Level::User), None);
        allow(
            "person loopback/@b:x.org admin",
            "@loopback/@b:x.org",
            Some(Level::Admin),
            None,
        );
        allow(
            "person loopback/bob trusted for 12h",
            "@loopback/bob",
            Some(Level::Trusted),
            Some(43_200_000),
        );
        allow(
            "person loopback/bob for 30m",
            "@loopback/bob",
            Some(Level::User),
            Some(1_800_000),
        );
        allow(
            "person loopback/@b/c:x.org",
            "@loopback/@b/c:x.org",
            Some(Level::User),
            None,
        );
        allow("person loopback/bob default", "@loopback/bob", None, None);
        allow("chat", "loopback/room", Some(Level::User), None);
        allow("chat here guest", "loopback/room", Some(Level::Guest), None);
        allow("chat door/x trusted", "door/x", Some(Level::Trusted), None);
        allow("thread", "loopback/room/7", Some(Level::User), None);
        allow(
            "thread loopback/a/b for 1d",
            "loopback/a/b",
            Some(Level::User),
            Some(86_400_000),
        );
        let deny = |arguments, subject, time| check(Verb::Deny, arguments, subject, Some(Level::Guest), time);
        deny("person loopback/bob", "@loopback/bob", None);
        deny("chat here for 7d", "loopback/room", Some(604_800_000));
    }

    #[test]
    fn what_is_wrong_has_its_reason() {
        for (arguments, reason) in [
            ("person @alice", "names can change hands"),
            ("person alice", "names can change hands"),
            ("person loopback/@alice", "names can change hands"),
            ("person loopback/", "An id is missing"),
            ("person loopback/a\u{7}", "hidden characters"),
            ("person loopback/a\u{202e}b", "hidden characters"),
            ("person loopback/a\u{200b}b", "hidden characters"),
            ("person loopback/room/7", "that is a path: /allow chat"),
            (
                "person lopback/bob",
                "the nearest is loopback. There is: `loopback`, `door`.",
            ),
            ("person lopback/", "There is no interface"),
            ("person console/0", "the machine's user"),
            ("person console/", "the machine's user"),
            ("chat console/0", "the machine's user"),
            ("person loopback/bob Admin", "is no level"),
            ("person loopback/Bob Smith", "is no level"),
            ("person loopback/bob user for 0m", "is no time"),
            ("person loopback/bob user for -1h", "is no time"),
            ("person loopback/bob user for ٣d", "is no time"),
            ("chat loopback/a/b", "That is a thread"),
            ("thread loopback/a", "That is no thread"),
            ("chat loopback/", "is no path"),
            ("chat loopback/a b", "is no level"),
            ("chat loopback/@news", "names can change hands"),
            ("chat nowhere/a", "There is no interface"),
        ] {
            match read(Verb::Allow, arguments) {
                Err(Refusal::Said(text)) => assert!(text.contains(reason), "{arguments}: {text}"),
                other => panic!("{arguments}: {other:?}"),
            }
        }
        for arguments in [
            "",
            "--",
            "person",
            "Person loopback/bob",
            "somebody loopback/bob",
            "person loopback/bob user for",
            "person loopback/bob user for 1h 2h",
            "person loopback/bob default for 1h",
            "person loopback/bob user user",
            "chat here user here",
        ] {
            assert!(
                matches!(read(Verb::Allow, arguments), Err(Refusal::Usage)),
                "{arguments}"
            );
        }
        assert!(matches!(
            read(Verb::Deny, "person loopback/bob user"),
            Err(Refusal::Usage)
        ));
        let long = |length: usize| read(Verb::Allow, &format!("person loopback/{}", "é".repeat(length)));
        assert!(long(127).is_ok());
        assert!(matches!(long(128), Err(Refusal::Said(text)) if text.contains("at most 255 bytes")));
        let huge = format!("person loopback/{}", "x ".repeat(50_000));
        assert!(read(Verb::Allow, &huge).is_err());
    }
}
