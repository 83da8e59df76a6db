//! What people set by command, and what of it holds where: the nearest wins.

use std::collections::BTreeMap;
use std::fmt;

use tertulia_message::path::InterfacePath;

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

/// How the bot answers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Persona {
    /// Its provider; absent: the base's.
    pub provider: Option<String>,
    /// Its model; absent: the provider's own, or the base's if it has the base's provider.
    pub model: Option<String>,
    /// What its conversations begin with; absent: the base's.
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
    /// What is set and has no effect, since what it names is no longer configured.
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
        let look = Look {
            preferences: self,
            scopes: scopes(path),
            catalog,
        };
        look.resolve(asked)
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

/// The scopes that hold at a place, the nearest first.
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
    match value {
        "all" => None,
        "none" => Some(Vec::new()),
        names => Some(names.split_whitespace().map(str::to_owned).collect()),
    }
}

struct Look<'a> {
    preferences: &'a Preferences,
    /// The nearest first.
    scopes: Vec<Scope>,
    catalog: &'a Catalog,
}

/// A value and how near it was set: 0 is the request itself, 1 the nearest scope.
struct Found {
    value: String,
    source: Source,
    distance: usize,
}

impl Look<'_> {
    fn resolve(&self, asked: Option<&str>) -> Resolved {
        let (persona_name, persona, persona_at) = self.persona(asked);
        let by_persona = |value: &Option<String>| {
            value.clone().map(|value| Found {
                value,
                source: Source::Persona,
                distance: persona_at,
            })
        };
        let provider = nearer(self.set(Key::Provider), by_persona(&persona.provider))
            .or_else(|| self.base(self.catalog.base.provider.as_ref()))
            .unwrap_or_else(|| self.configured(String::new()));
        // a model belongs to a provider: one that was set farther away than the provider was meant for another
        let model = nearer(self.set(Key::Model), by_persona(&persona.model))
            .filter(|model| model.distance <= provider.distance)
            .or_else(|| {
                let is_base = Some(&provider.value) == self.catalog.base.provider.as_ref();
                self.base(self.catalog.base.model.as_ref().filter(|_| is_base))
            })
            .unwrap_or_else(|| Found {
                value: self.catalog.providers.get(&provider.value).cloned().unwrap_or_default(),
                source: Source::Provider,
                distance: usize::MAX,
            });
        let system = nearer(self.set(Key::System), by_persona(&persona.system))
            .or_else(|| self.base(self.catalog.base.system.as_ref()))
            .unwrap_or_else(|| self.configured(String::new()));
        let allowed = self
            .set(Key::Tools)
            .unwrap_or_else(|| self.configured("all".to_owned()));
        Resolved {
            tools: Sourced {
                value: tools(&allowed.value),
                source: allowed.source,
            },
            provider: provider.into(),
            model: model.into(),
            system: system.into(),
            persona: persona_name,
            stale: self.stale(),
        }
    }

    /// The persona that holds, with how near it was set.
    fn persona(&self, asked: Option<&str>) -> (Sourced<String>, Persona, usize) {
        let named = |name: &str| self.catalog.personas.get(name).cloned();
        if let Some((name, persona)) = asked.and_then(|name| Some((name, named(name)?))) {
            let name = Sourced {
                value: name.to_owned(),
                source: Source::Persona,
            };
            return (name, persona, 0);
        }
        let set = self.set(Key::Persona);
        match set.and_then(|found| Some((named(&found.value)?, found))) {
            Some((persona, found)) => {
                let distance = found.distance;
                (found.into(), persona, distance)
            }
            None => (self.configured(String::new()).into(), Persona::default(), usize::MAX),
        }
    }

    fn set(&self, key: Key) -> Option<Found> {
        (1..).zip(&self.scopes).find_map(|(distance, scope)| {
            let preference = self.preferences.0.get(&(scope.clone(), key))?;
            self.is_known(key, &preference.value).then(|| Found {
                value: preference.value.clone(),
                source: Source::Set(scope.clone()),
                distance,
            })
        })
    }

    fn is_known(&self, key: Key, value: &str) -> bool {
        match key {
            Key::Provider => self.catalog.providers.contains_key(value),
            Key::Persona => self.catalog.personas.contains_key(value),
            Key::Model | Key::System | Key::Tools => true,
        }
    }

    fn base(&self, value: Option<&String>) -> Option<Found> {
        value.map(|value| self.configured(value.clone()))
    }

    fn configured(&self, value: String) -> Found {
        Found {
            value,
            source: Source::Configuration,
            distance: usize::MAX,
        }
    }

    fn stale(&self) -> Vec<(Scope, Key, String)> {
        let all = self.scopes.iter().flat_map(|scope| {
            [Key::Provider, Key::Persona]
                .into_iter()
                .filter_map(move |key| Some((scope, key, self.preferences.0.get(&(scope.clone(), key))?)))
        });
        all.filter(|(_, key, preference)| !self.is_known(*key, &preference.value))
            .map(|(scope, key, preference)| (scope.clone(), key, preference.value.clone()))
            .collect()
    }
}

/// The nearer of two; at the same distance what was set outranks what a persona brings.
fn nearer(set: Option<Found>, persona: Option<Found>) -> Option<Found> {
    match (set, persona) {
        (Some(set), Some(persona)) if persona.distance < set.distance => Some(persona),
        (Some(found), _) | (None, Some(found)) => Some(found),
        (None, None) => None,
    }
}

impl From<Found> for Sourced<String> {
    fn from(found: Found) -> Self {
        Self {
            value: found.value,
            source: found.source,
        }
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
            return Some(Self::Interface(text.to_owned()));
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
