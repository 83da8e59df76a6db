//! What `/allow` and `/deny` share: giving levels, and taking them back.

mod asked;
mod list;

use tertulia_core::access::{Access, Permit, Subject};
use tertulia_core::transaction::Change;
use tertulia_message::Level;

use super::show::code;
use super::{Answer, Call, Done, Refusal, when};
use asked::Asked;
pub(super) use asked::Verb;
pub(super) use list::given;

/// Asks what was given so far.
const LIST: &str = "list";

/// Gives a level, or takes back what was given.
pub(super) async fn run(call: &Call<'_>, verb: Verb) -> Done {
    if verb == Verb::Allow && call.arguments == LIST {
        return list(call);
    }
    let asked = Asked::read(verb, call.arguments, &call.path, &call.interfaces())?;
    let alone = call.alone().await?;
    let now = call.wall();
    let before = call.access(Access::clone);
    is_ours_to_say(&asked, &before)?;
    let permit = asked.level.map(|level| Permit {
        level,
        set_by: call.row.person.to_string(),
        set_at: now,
        expires_at: asked.time.map(|time| now.saturating_add(time)),
    });
    let mut after = before.clone();
    match permit.clone() {
        Some(permit) => after.permits.insert(asked.subject.clone(), permit),
        None => after.permits.remove(&asked.subject),
    };
    leaves_an_admin(&before, &after, now)?;
    let had = before.permits.get(&asked.subject).filter(|had| list::holds(had, now));
    let text = told(&asked, had, &after, now);
    let change = Change::Permit {
        subject: asked.subject,
        permit,
    };
    Ok(Answer {
        changes: vec![change],
        alone: Some(alone),
        ..Answer::from(text)
    })
}

/// Who may do what is nothing for a group to read.
fn list(call: &Call<'_>) -> Done {
    if !call.direct {
        let text = "/allow list is answered in a direct message only.";
        return Err(Refusal::Said(text.to_owned()));
    }
    Ok(call.access(|access| list::listed(access, call.wall())).into())
}

/// Whoever can write the configuration cannot be locked out from a chat.
fn is_ours_to_say(asked: &Asked, access: &Access) -> Result<(), Refusal> {
    let Subject::Person(person) = &asked.subject else {
        return Ok(());
    };
    if access.rules.people.get(person) == Some(&Level::Admin) {
        let person = code(&person.to_string(), 512);
        let text = format!("{person} is an admin by bot.toml, which names its admins itself: change it there.");
        return Err(Refusal::Said(text));
    }
    Ok(())
}

/// Who governs for a time only does not count where somebody governs for good.
fn leaves_an_admin(before: &Access, after: &Access, now: i64) -> Result<(), Refusal> {
    if [now, i64::MAX]
        .into_iter()
        .any(|at| before.has_admin(at) && !after.has_admin(at))
    {
        let text = "That would leave me without an admin. Make somebody else admin first.";
        return Err(Refusal::Said(text.to_owned()));
    }
    Ok(())
}

/// What holds now, and how to undo it. `had`: the permit that ends with it.
fn told(asked: &Asked, had: Option<&Permit>, after: &Access, now: i64) -> String {
    let (kind, name) = match &asked.subject {
        Subject::Person(person) => ("person", person.to_string()),
        Subject::Place(path) if path.parent().is_some() => ("thread", path.to_string()),
        Subject::Place(path) => ("chat", path.to_string()),
    };
    let shown = code(&name, 512);
    let is_person = kind == "person";
    let time = asked
        .time
        .map_or_else(String::new, |time| format!(" for {}", when::length(time)));
    let Some(level) = asked.level else {
        let configured = match &asked.subject {
            Subject::Person(person) => after.rules.people.get(person),
            Subject::Place(path) => after.rules.places.get(path),
        };
        let holds = configured.map_or_else(
            || "bot.toml does not name it either".to_owned(),
            |level| format!("the level that bot.toml gives holds again: {}", level.as_str()),
        );
        return format!("What was said by command about {shown} is taken back; {holds}.");
    };
    let holds = match level {
        Level::Guest if is_person => format!("{shown} is shut out everywhere{time}."),
        Level::Guest => format!("In {shown} I hear only admins{time}."),
        Level::Admin if is_person => format!("{shown} is an admin{time}, and may do everything that you may."),
        Level::Admin => format!("Everybody in {shown} is an admin there{time}, and may do everything that you may."),
        level if is_person => format!("{shown} has the level {}{time}.", level.as_str()),
        level => format!("Everybody in {shown} has the level {} there{time}.", level.as_str()),
    };
    let ends = had.filter(|_| asked.time.is_some()).map_or_else(String::new, |had| {
        format!(
            " It had the level {} by command; that ends with this.",
            had.level.as_str()
        )
    });
    let is_other = |had: &Permit| had.level != level || had.expires_at.is_some() || asked.time.is_some();
    let had = had.filter(|had| had.level > Level::Guest && is_other(had));
    let intent = if had.is_some() && is_person && level == Level::Guest {
        "To let her in again"
    } else {
        "To undo it"
    };
    let back = had.map_or_else(|| "default".to_owned(), |had| as_it_was(had, now));
    let command = code(&format!("/allow {kind} {name} {back}"), 600);
    format!("{holds}{ends} {intent}: {command}")
}

/// The words that give a permit's level again, for as long as it would still have held.
fn as_it_was(had: &Permit, now: i64) -> String {
    const MINUTE: i64 = 60_000;
    let left = had.expires_at.map_or_else(String::new, |end| {
        let minutes = end.saturating_sub(now).saturating_add(MINUTE - 1) / MINUTE;
        format!(" for {minutes}m")
    });
    format!("{}{left}", had.level.as_str())
}

#[cfg(test)]
mod tests {
    use tertulia_message::PersonId;

    use super::*;

    fn admin(person: &str, until: Option<i64>) -> (Subject, Permit) {
        let permit = Permit {
            level: Level::Admin,
            set_by: "x/y".to_owned(),
            set_at: 0,
            expires_at: until,
        };
        (Subject::Person(PersonId::parse(person).unwrap()), permit)
    }

    fn access(permits: impl IntoIterator<Item = (Subject, Permit)>) -> Access {
        Access {
            permits: permits.into_iter().collect(),
            ..Access::default()
        }
    }

    #[track_caller]
    fn check_told(level: Level, time: Option<i64>, had: Option<(Level, Option<i64>)>, expected: &str) {
        let (subject, permit) = admin("a/1", None);
        let asked = Asked {
            subject,
            level: Some(level),
            time,
        };
        let had = had.map(|(level, expires_at)| Permit {
            level,
            expires_at,
            ..permit
        });
        assert_eq!(told(&asked, had.as_ref(), &Access::default(), 0), expected);
    }

    #[test]
    fn what_ends_is_said_and_can_be_given_back() {
        let trusted = Some((Level::Trusted, None));
        check_told(
            Level::User,
            Some(3_600_000),
            trusted,
            "`a/1` has the level user for 1 hour. It had the level trusted by command; that ends with this. \
             To undo it: `/allow person a/1 trusted`",
        );
        check_told(
            Level::Guest,
            None,
            trusted,
            "`a/1` is shut out everywhere. To let her in again: `/allow person a/1 trusted`",
        );
        check_told(
            Level::Guest,
            None,
            Some((Level::User, Some(61_000))),
            "`a/1` is shut out everywhere. To let her in again: `/allow person a/1 user for 2m`",
        );
        check_told(
            Level::User,
            None,
            Some((Level::User, Some(60_000))),
            "`a/1` has the level user. To undo it: `/allow person a/1 user for 1m`",
        );
        for had in [None, Some((Level::Guest, None)), Some((Level::User, None))] {
            check_told(
                Level::User,
                None,
                had,
                "`a/1` has the level user. To undo it: `/allow person a/1 default`",
            );
        }
    }

    #[test]
    fn somebody_governs_afterwards_as_well() {
        let one = access([admin("a/1", None)]);
        let two = access([admin("a/1", None), admin("a/2", None)]);
        let nobody = access([]);
        let for_a_time = access([admin("a/1", Some(9))]);
        assert!(leaves_an_admin(&two, &one, 5).is_ok());
        assert!(leaves_an_admin(&one, &nobody, 5).is_err());
        assert!(leaves_an_admin(&one, &for_a_time, 5).is_err());
        assert!(leaves_an_admin(&for_a_time, &nobody, 5).is_err());
        assert!(leaves_an_admin(&for_a_time, &nobody, 9).is_ok());
        assert!(leaves_an_admin(&nobody, &nobody, 5).is_ok());
    }
}
