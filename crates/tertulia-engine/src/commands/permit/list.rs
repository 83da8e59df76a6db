//! `/allow list`: everybody and everything that has a level, by the configuration and by command.

use tertulia_core::access::{Access, Permit, Subject};
use tertulia_message::Level;

use super::super::call::CONSOLE;
use super::super::show::code;
use super::super::when;

/// So many are listed.
const LISTED: usize = 50;

/// Who gave a permit, when, and for how long it still holds.
pub(crate) fn given(permit: &Permit, now: i64) -> String {
    let by = code(&permit.set_by, 100);
    let end = permit.expires_at.map_or_else(String::new, |end| {
        format!(", for another {}", when::length(end.saturating_sub(now)))
    });
    format!("given by {by} {}{end}", when::ago(now, permit.set_at))
}

/// Who has which level, a line each; the configuration's first.
pub(super) fn listed(access: &Access, now: i64) -> String {
    let mut lines = configured(access, now);
    lines.extend(by_command(access, now));
    if lines.is_empty() {
        return "Nobody has a level: only whoever comes with the claim code can change that.".to_owned();
    }
    let more = lines.len().saturating_sub(LISTED);
    lines.truncate(LISTED);
    if more > 0 {
        lines.push(format!("- and {more} more"));
    }
    lines.join("\n")
}

fn configured(access: &Access, now: i64) -> Vec<String> {
    let rules = &access.rules;
    let outranked = |subject: &Subject, level: Level| {
        let is_fixed = level == Level::Admin && matches!(subject, Subject::Person(_));
        let is_outranked = !is_fixed && access.permits.get(subject).is_some_and(|permit| holds(permit, now));
        if is_outranked { "; a command says otherwise" } else { "" }
    };
    let line = |subject: &Subject, level: Level| {
        format!(
            "- {}: {}, by bot.toml{}",
            named(subject),
            level.as_str(),
            outranked(subject, level)
        )
    };
    let people = rules.people.iter();
    let people = people.map(|(person, level)| line(&Subject::Person(person.clone()), *level));
    let places = rules.places.iter();
    let places = places.map(|(path, level)| line(&Subject::Place(path.clone()), *level));
    let interfaces = rules.interfaces.iter().filter(|(name, _)| *name != CONSOLE);
    let interfaces = interfaces.map(|(name, level)| {
        format!(
            "- everybody on {}: {}, by the configuration of the interface",
            code(name, 64),
            level.as_str()
        )
    });
    people.chain(places).chain(interfaces).collect()
}

fn by_command(access: &Access, now: i64) -> Vec<String> {
    let holding = access.permits.iter().filter(|(_, permit)| holds(permit, now));
    let line = |(subject, permit): (&Subject, &Permit)| {
        format!(
            "- {}: {}, {}",
            named(subject),
            permit.level.as_str(),
            given(permit, now)
        )
    };
    holding.map(line).collect()
}

fn named(subject: &Subject) -> String {
    match subject {
        Subject::Person(person) => code(&person.to_string(), 512),
        Subject::Place(path) => format!("everybody in {}", code(path.as_str(), 512)),
    }
}

/// True as long as a permit counts.
pub(super) fn holds(permit: &Permit, now: i64) -> bool {
    permit.expires_at.is_none_or(|end| now < end)
}

#[cfg(test)]
mod tests {
    use tertulia_core::access::AccessRules;
    use tertulia_message::PersonId;

    use super::*;

    fn permit(level: Level, until: Option<i64>) -> Permit {
        Permit {
            level,
            set_by: "x/ann".to_owned(),
            set_at: 0,
            expires_at: until,
        }
    }

    #[test]
    fn files_and_commands_are_listed_with_their_ends() {
        let (bob, cid) = (PersonId::new("x", "bob"), PersonId::new("x", "cid"));
        let access = Access {
            rules: AccessRules {
                people: [(PersonId::new("x", "ann"), Level::Admin), (bob.clone(), Level::User)].into(),
                places: [("x/room".parse().unwrap(), Level::Guest)].into(),
                interfaces: [("door".to_owned(), Level::User), (CONSOLE.to_owned(), Level::Admin)].into(),
            },
            permits: [
                (Subject::Person(bob), permit(Level::Trusted, None)),
                (Subject::Person(cid), permit(Level::User, Some(5000))),
                (
                    Subject::Place("x/room/t".parse().unwrap()),
                    permit(Level::User, Some(70_000)),
                ),
            ]
            .into(),
        };
        let expected = "- `x/ann`: admin, by bot.toml\n\
            - `x/bob`: user, by bot.toml; a command says otherwise\n\
            - everybody in `x/room`: guest, by bot.toml\n\
            - everybody on `door`: user, by the configuration of the interface\n\
            - `x/bob`: trusted, given by `x/ann` 5 seconds ago\n\
            - everybody in `x/room/t`: user, given by `x/ann` 5 seconds ago, for another 1 minute";
        assert_eq!(listed(&access, 5000), expected);
    }

    #[test]
    fn a_long_list_ends_with_how_many_more() {
        assert!(listed(&Access::default(), 0).starts_with("Nobody has a level"));
        let person = |nth: u32| Subject::Person(PersonId::new("x", nth.to_string()));
        let access = Access {
            permits: (0..53).map(|nth| (person(nth), permit(Level::User, None))).collect(),
            ..Access::default()
        };
        let text = listed(&access, 0);
        assert_eq!(text.lines().count(), 51);
        assert!(text.ends_with("\n- and 3 more"), "{text}");
    }
}
