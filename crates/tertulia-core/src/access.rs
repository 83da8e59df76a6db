//! Who may speak where: what the configuration says, and the permits that admins gave by command.
//!
//! Decided by [`Access::standing`], first match first:
//! 1. Whom the configuration makes admin, by id or as everybody on an interface, is admin: no command locks out whoever
//!    can write the configuration. A person whom the configuration itself calls guest is none, on any interface.
//! 2. A person of level guest is shut out everywhere, whatever a place gives. One of level admin is heard everywhere.
//! 3. A place of level guest hears nobody else. Of a thread, what it stands in, and the chat the nearest that says
//!    anything counts: a thread can be open in a shut chat, and shut in an open one.
//! 4. Else the highest of what person, place and interface give.
//!
//! A permit outranks the configuration's word on the same subject, up or down, until it ends; from that very millisecond
//! on the configuration's word counts again.

use std::collections::BTreeMap;
use std::fmt;

use tertulia_message::path::InterfacePath;
use tertulia_message::{Level, PersonId};

use crate::courier::moved_path;

/// Who may speak where, as configured.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AccessRules {
    /// People's levels. One of level guest is shut out everywhere.
    pub people: BTreeMap<PersonId, Level>,
    /// Levels that hold for everybody in a chat or thread, by path. Guest: only people who are admins themselves are heard
    /// there.
    pub places: BTreeMap<InterfacePath, Level>,
    /// Interfaces on which everybody has a level: HTTP doors on loopback, or behind a token.
    pub interfaces: BTreeMap<String, Level>,
}

/// Whom or what a permit is for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Subject {
    /// A person, wherever she speaks.
    Person(PersonId),
    /// Everybody in a chat or in a thread.
    Place(InterfacePath),
}

/// A level given, or taken, by command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Permit {
    /// The level. Guest shuts a person out everywhere, and a place for all but admins.
    pub level: Level,
    /// Who gave it, in the form of `PersonId`'s `Display`.
    pub set_by: String,
    /// When, in milliseconds since 1970.
    pub set_at: i64,
    /// From when on it is as if it had not been given, in milliseconds since 1970.
    pub expires_at: Option<i64>,
}

/// Everything that decides about a level.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Access {
    /// From the configuration.
    pub rules: AccessRules,
    /// By command.
    pub permits: BTreeMap<Subject, Permit>,
}

/// A level with its reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// The level.
    pub level: Level,
    /// Why.
    pub because: Because,
}

/// What a level comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Because {
    /// The configuration names the person.
    Configured,
    /// An admin gave the person this level.
    Given(Permit),
    /// It holds for everybody at this place; the permit, if it was given by command.
    Place(InterfacePath, Option<Permit>),
    /// It holds for everybody on the interface.
    Interface,
    /// Nothing gives a level.
    Nothing,
}

/// True for a name that can change hands, such as `@alice`: Matrix's ids begin with an `@` as well, but have a server in
/// them.
#[must_use]
pub fn is_handle(id: &str) -> bool {
    id.starts_with('@') && !id.contains(':')
}

/// True for what stands in the place of a person's id and is a name.
#[must_use]
pub fn is_name(person: &PersonId) -> bool {
    is_handle(&person.id) || person.id.contains(char::is_whitespace)
}

impl Access {
    /// A person's level at a place. `now` is the wall clock, in milliseconds since 1970.
    #[must_use]
    pub fn level(&self, person: &PersonId, path: &InterfacePath, now: i64) -> Level {
        self.standing(person, path, now).level
    }

    /// A person's level at a place, with its reason; the rules stand at the head of this module.
    #[must_use]
    pub fn standing(&self, person: &PersonId, path: &InterfacePath, now: i64) -> Standing {
        let interface = self.rules.interfaces.get(path.interface()).map(|level| Standing {
            level: *level,
            because: Because::Interface,
        });
        let own = self.own(person, now);
        if let Some(admin) = interface.as_ref().filter(|given| given.level == Level::Admin)
            && self.rules.people.get(person) != Some(&Level::Guest)
            && own.as_ref().is_none_or(|own| own.level != Level::Admin)
        {
            return admin.clone();
        }
        if let Some(own) = own
            .as_ref()
            .filter(|own| matches!(own.level, Level::Guest | Level::Admin))
        {
            return own.clone();
        }
        let place = self.place(path, now);
        if let Some(shut) = place.as_ref().filter(|place| place.level == Level::Guest) {
            return shut.clone();
        }
        // of equals the last: what was given to the person herself says most
        [interface, place, own]
            .into_iter()
            .flatten()
            .max_by_key(|standing| standing.level)
            .unwrap_or(Standing {
                level: Level::Guest,
                because: Because::Nothing,
            })
    }

    /// True if somebody is admin by her own id. Levels of places and interfaces do not count: who sits behind them is
    /// nobody in particular.
    #[must_use]
    pub fn has_admin(&self, now: i64) -> bool {
        let people = self.permits.keys().filter_map(|subject| match subject {
            Subject::Person(person) => Some(person),
            Subject::Place(_) => None,
        });
        let is_admin = |person| self.own(person, now).is_some_and(|own| own.level == Level::Admin);
        self.rules.people.keys().chain(people).any(is_admin)
    }

    /// A place has a new address: permits move with it; what stands at the new address wins, and what stood at the old
    /// one is gone. The configuration's word stays where it is: only whoever writes it knows what it was meant for.
    pub fn moved(&mut self, from: &InterfacePath, to: &InterfacePath) {
        let there = |subject: &Subject| match subject {
            Subject::Place(path) => moved_path(path, from, to).map(Subject::Place),
            Subject::Person(_) => None,
        };
        let moving: Vec<(Subject, Subject)> = self
            .permits
            .keys()
            .filter_map(|subject| Some((subject.clone(), there(subject)?)))
            .collect();
        for (old, new) in moving {
            if let Some(permit) = self.permits.remove(&old) {
                self.permits.entry(new).or_insert(permit);
            }
        }
    }

    fn permit(&self, subject: &Subject, now: i64) -> Option<&Permit> {
        let permit = self.permits.get(subject)?;
        permit.expires_at.is_none_or(|end| now < end).then_some(permit)
    }

    /// What is said of the person herself.
    fn own(&self, person: &PersonId, now: i64) -> Option<Standing> {
        let configured = self.rules.people.get(person).map(|level| Standing {
            level: *level,
            because: Because::Configured,
        });
        if configured.as_ref().is_some_and(|own| own.level == Level::Admin) {
            return configured;
        }
        let given = self
            .permit(&Subject::Person(person.clone()), now)
            .map(|permit| Standing {
                level: permit.level,
                because: Because::Given(permit.clone()),
            });
        given.or(configured)
    }

    /// What the nearest of the place and all that it stands in says.
    fn place(&self, path: &InterfacePath, now: i64) -> Option<Standing> {
        let said = |path: &InterfacePath| {
            let permit = self.permit(&Subject::Place(path.clone()), now).cloned();
            let level = permit.as_ref().map(|permit| permit.level);
            let level = level.or_else(|| self.rules.places.get(path).copied())?;
            Some(Standing {
                level,
                because: Because::Place(path.clone(), permit),
            })
        };
        std::iter::successors(Some(path.clone()), InterfacePath::parent).find_map(|path| said(&path))
    }
}

impl Standing {
    /// True if a word was said that shuts the person out, or the place: such a one is not heard at all, while a stranger
    /// may be told so.
    #[must_use]
    pub fn is_shut_out(&self) -> bool {
        self.level == Level::Guest && !matches!(self.because, Because::Nothing | Because::Interface)
    }
}

impl From<AccessRules> for Access {
    fn from(rules: AccessRules) -> Self {
        let permits = BTreeMap::new();
        Self { rules, permits }
    }
}

impl Subject {
    /// Reads the form that `Display` writes.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        match text.strip_prefix('@') {
            Some(person) => PersonId::parse(person).map(Self::Person),
            None => InterfacePath::parse(text).ok().map(Self::Place),
        }
    }
}

/// A path as it is, a person with an `@` before it: no path begins with one.
impl fmt::Display for Subject {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Person(person) => write!(formatter, "@{person}"),
            Self::Place(path) => write!(formatter, "{path}"),
        }
    }
}

#[cfg(test)]
mod tests;
