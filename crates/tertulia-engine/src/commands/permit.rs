//! What `/allow` and `/deny` share: giving levels, and taking them back.

mod asked;

use tertulia_core::access::{Access, Permit, Subject};
use tertulia_core::transaction::Change;
use tertulia_message::Level;

use super::show::code;
use super::{Answer, Call, Done, Refusal, when};
use asked::Asked;
pub(super) use asked::Verb;

/// Gives a level, or takes back what was given.
pub(super) async fn run(call: &Call<'_>, verb: Verb) -> Done {
    let interfaces: Vec<String> = call
        .shared
        .listeners
        .states()
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    let asked = Asked::read(verb, call.arguments, &call.path, &interfaces)?;
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
    let text = told(&asked, &after);
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

/// What holds now, and how to undo it.
fn told(asked: &Asked, after: &Access) -> String {
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
    format!(
        "{holds} To undo it: {}",
        code(&format!("/allow {kind} {name} default"), 600)
    )
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
