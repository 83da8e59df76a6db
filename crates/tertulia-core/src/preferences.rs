//! What people set by command, and what of it holds where: the nearest wins.

mod resolve;

use std::collections::BTreeMap;
use std::fmt;

use tertulia_message::path::{InterfaceName, InterfacePath};

use crate::courier::moved_path;
use crate::record::TurnSettings;

/// What can be set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Key {
    /// The configured name of the provider.
    Provider,
    /// The model.
    Model,
    /// The base of the system prompt.
    System,
    /// The name of a configured persona.
    Persona,
    /// Which tools the model may use: `all`, `none`, or names separated by blanks.
    Tools,
}

/// Where something holds.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// Everywhere.
    Everywhere,
    /// On one interface, by its configured name.
    Interface(String),
    /// In a chat with its threads, or in a thread.
    Place(InterfacePath),
}

/// A value with who set it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preference {
    /// The value; what it may be depends on the key.
    pub value: String,
    /// Who set it, in the form of `PersonId`'s `Display`.
    pub set_by: String,
    /// When, in milliseconds since 1970.
    pub set_at: i64,
}

/// Everything that was set by command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Preferences(pub BTreeMap<(Scope, Key), Preference>);

/// What the configuration offers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Catalog {
    /// The default model of each provider, by the provider's name; empty if it has none.
    pub providers: BTreeMap<String, String>,
    /// The personas by name.
    pub personas: BTreeMap<String, Persona>,
    /// The names of the tools.
    pub tools: Vec<String>,
    /// What holds where nothing is set.
    pub base: Persona,
}

/// How the bot answers. What is absent is left as it is without the persona.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Persona {
    /// Its provider.
    pub provider: Option<String>,
    /// Its model, of its provider; of the base's where it names none.
    pub model: Option<String>,
    /// What its conversations begin with.
    pub system: Option<String>,
}

/// What holds at a place, each with where it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolved {
    /// The provider's configured name.
    pub provider: Sourced<String>,
    /// The model; empty if nothing names one.
    pub model: Sourced<String>,
    /// The base of the system prompt; empty if nothing is set.
    pub system: Sourced<String>,
    /// The persona; empty for the base itself.
    pub persona: Sourced<String>,
    /// The tools; absent: all.
    pub tools: Sourced<Option<Vec<String>>>,
    /// What is set and has no effect, since what it names is no longer configured; of tools the names that are gone.
    pub stale: Vec<(Scope, Key, String)>,
}

/// A value with where it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sourced<T> {
    /// The value.
    pub value: T,
    /// Where it comes from.
    pub source: Source,
}

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// It was set by command.
    Set(Scope),
    /// The persona brings it.
    Persona,
    /// It is the provider's own.
    Provider,
    /// It is the configuration's word for every conversation.
    Configuration,
}

impl Preferences {
    /// What holds at a place. `asked` is a persona that this request asks for; it is nearer than anything set.
    #[must_use]
    pub fn resolve(&self, path: &InterfacePath, catalog: &Catalog, asked: Option<&str>) -> Resolved {
        resolve::resolve(self, path, catalog, asked)
    }

    /// A place has a new address: what is set moves with it; what stands at the new address wins.
    pub fn moved(&mut self, from: &InterfacePath, to: &InterfacePath) {
        let there = |scope: &Scope| match scope {
            Scope::Place(path) => moved_path(path, from, to).map(Scope::Place),
            Scope::Everywhere | Scope::Interface(_) => None,
        };
        let moving: Vec<_> = self
            .0
            .keys()
            .filter_map(|(scope, key)| Some((scope.clone(), there(scope)?, *key)))
            .collect();
        for (old, new, key) in moving {
            if let Some(preference) = self.0.remove(&(old, key)) {
                self.0.entry((new, key)).or_insert(preference);
            }
        }
    }
}

impl Resolved {
    /// What a turn keeps of it.
    #[must_use]
    pub fn turn(&self) -> TurnSettings {
        TurnSettings {
            provider: self.provider.value.clone(),
            model: self.model.value.clone(),
            system: self.system.value.clone(),
            tools: self.tools.value.clone(),
        }
    }
}

/// The scopes that hold at a place, the nearest first: the place itself, what it stands in up to the chat, interface, all.
#[must_use]
pub fn scopes(path: &InterfacePath) -> Vec<Scope> {
    let places = std::iter::successors(Some(path.clone()), InterfacePath::parent).map(Scope::Place);
    places
        .chain([Scope::Interface(path.interface().to_owned()), Scope::Everywhere])
        .collect()
}

/// Reads which tools a value allows; `None` stands for all.
#[must_use]
pub fn tools(value: &str) -> Option<Vec<String>> {
    match value.trim() {
        "all" => None,
        "none" => Some(Vec::new()),
        names => Some(names.split_whitespace().map(str::to_owned).collect()),
    }
}

impl Key {
    /// Every key, in the order in which they are shown.
    pub const ALL: [Self; 5] = [Self::Persona, Self::Provider, Self::Model, Self::System, Self::Tools];

    /// The word used in tables and in commands.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Provider => "provider",
            Self::Model => "model",
            Self::System => "system",
            Self::Persona => "persona",
            Self::Tools => "tools",
        }
    }

    /// Reads the word that [`Key::as_str`] gives.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|key| key.as_str() == word)
    }
}

impl Scope {
    /// Reads the form that `Display` writes.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if text.is_empty() {
            return Some(Self::Everywhere);
        }
        if !text.contains('/') {
            return InterfaceName::parse(text)
                .ok()
                .map(|name| Self::Interface(name.as_str().to_owned()));
        }
        InterfacePath::parse(text).ok().map(Self::Place)
    }
}

/// The form of the table: nothing for everywhere, an interface's name, or a path.
impl fmt::Display for Scope {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Everywhere => Ok(()),
            Self::Interface(name) => formatter.write_str(name),
            Self::Place(path) => write!(formatter, "{path}"),
        }
    }
}

#[cfg(test)]
mod tests;
