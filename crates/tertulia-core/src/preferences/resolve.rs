//! Finds for each key the nearest scope that says anything.

use tertulia_message::path::InterfacePath;

use super::{Catalog, Key, Persona, Preferences, Resolved, Scope, Source, Sourced, scopes, tools};

/// What holds at a place; see [`Preferences::resolve`].
pub(super) fn resolve(
    preferences: &Preferences,
    path: &InterfacePath,
    catalog: &Catalog,
    asked: Option<&str>,
) -> Resolved {
    let look = Look {
        preferences,
        scopes: scopes(path),
        catalog,
    };
    look.resolve(asked)
}

struct Look<'a> {
    preferences: &'a Preferences,
    /// The nearest first.
    scopes: Vec<Scope>,
    catalog: &'a Catalog,
}

/// A value and how near it was set: 0 is the request itself, 1 the nearest scope.
#[derive(Clone)]
struct Found {
    value: String,
    source: Source,
    distance: usize,
}

/// The persona that holds.
struct Chosen {
    name: Sourced<String>,
    persona: Persona,
    distance: usize,
}

impl Look<'_> {
    fn resolve(&self, asked: Option<&str>) -> Resolved {
        let chosen = self.persona(asked);
        let providers = self.providers(&chosen);
        let provider = providers.first().cloned().unwrap_or_else(|| configured(String::new()));
        let system = self.found(Key::System, &chosen, chosen.persona.system.as_ref());
        let system = system.into_iter().next();
        let allowed = self.set(Key::Tools).into_iter().next();
        let allowed = allowed.unwrap_or_else(|| configured("all".to_owned()));
        Resolved {
            model: self.model(&chosen, &providers, &provider.value).into(),
            provider: provider.into(),
            system: system
                .unwrap_or_else(|| configured(self.catalog.base.system.clone().unwrap_or_default()))
                .into(),
            tools: Sourced {
                value: tools(&allowed.value),
                source: allowed.source,
            },
            persona: chosen.name,
            stale: self.stale(),
        }
    }

    /// Everything that names a provider, the nearest first; the configuration's comes last.
    fn providers(&self, chosen: &Chosen) -> Vec<Found> {
        let mut providers = self.found(Key::Provider, chosen, chosen.persona.provider.as_ref());
        providers.extend(self.catalog.base.provider.clone().map(configured));
        providers
    }

    /// The nearest model that belongs to the provider that answers, else that provider's own.
    fn model(&self, chosen: &Chosen, providers: &[Found], provider: &str) -> Found {
        let own = || Found {
            value: self.catalog.providers.get(provider).cloned().unwrap_or_default(),
            source: Source::Provider,
            distance: usize::MAX,
        };
        let base = self.catalog.base.provider.as_deref();
        let belongs = |model: &Found| {
            let at_its_place = match model.source {
                Source::Persona => chosen.persona.provider.as_deref().or(base),
                _ => providers
                    .iter()
                    .find(|found| found.distance >= model.distance)
                    .map(|found| found.value.as_str()),
            };
            at_its_place == Some(provider)
        };
        let models = self.found(Key::Model, chosen, chosen.persona.model.as_ref());
        let configured = self.catalog.base.model.clone().map(configured);
        models.into_iter().chain(configured).find(belongs).unwrap_or_else(own)
    }

    fn persona(&self, asked: Option<&str>) -> Chosen {
        let asked = asked.map(|name| Found {
            value: name.to_owned(),
            source: Source::Persona,
            distance: 0,
        });
        let mut candidates = asked.into_iter().chain(self.set(Key::Persona));
        let known = |found: Found| {
            let persona = self.catalog.personas.get(&found.value)?.clone();
            Some(Chosen {
                persona,
                distance: found.distance,
                name: found.into(),
            })
        };
        candidates.find_map(known).unwrap_or_else(|| Chosen {
            name: configured(String::new()).into(),
            persona: Persona::default(),
            distance: usize::MAX,
        })
    }

    /// What is set for a key with what the persona brings, the nearest first.
    fn found(&self, key: Key, chosen: &Chosen, brought: Option<&String>) -> Vec<Found> {
        let mut all = self.set(key);
        if let Some(value) = brought {
            let nearer = all.iter().take_while(|found| found.distance <= chosen.distance).count();
            all.insert(
                nearer,
                Found {
                    value: value.clone(),
                    source: Source::Persona,
                    distance: chosen.distance,
                },
            );
        }
        all
    }

    /// What is set for a key and still means something, the nearest first.
    fn set(&self, key: Key) -> Vec<Found> {
        let scopes = (1..).zip(&self.scopes);
        scopes
            .filter_map(|(distance, scope)| {
                let preference = self.preferences.0.get(&(scope.clone(), key))?;
                self.gone(key, &preference.value).is_none().then(|| Found {
                    value: preference.value.clone(),
                    source: Source::Set(scope.clone()),
                    distance,
                })
            })
            .collect()
    }

    /// What a value names in vain, where that leaves it without effect.
    fn gone(&self, key: Key, value: &str) -> Option<String> {
        let is_known = match key {
            Key::Provider => self.catalog.providers.contains_key(value),
            Key::Persona => self.catalog.personas.contains_key(value),
            Key::Model | Key::System | Key::Tools => true,
        };
        (!is_known).then(|| value.to_owned())
    }

    /// The names of tools that are gone; the others of the list are still the ones that are allowed.
    fn gone_tools(&self, value: &str) -> Option<String> {
        let mut names = tools(value)?;
        names.retain(|name| !self.catalog.tools.contains(name));
        (!names.is_empty()).then(|| names.join(" "))
    }

    fn stale(&self) -> Vec<(Scope, Key, String)> {
        let keys = |scope| Key::ALL.into_iter().map(move |key| (scope, key));
        let all = self.scopes.iter().flat_map(keys);
        all.filter_map(|(scope, key)| {
            let value = &self.preferences.0.get(&(scope.clone(), key))?.value;
            let gone = if key == Key::Tools {
                self.gone_tools(value)
            } else {
                self.gone(key, value)
            };
            Some((scope.clone(), key, gone?))
        })
        .collect()
    }
}

fn configured(value: String) -> Found {
    Found {
        value,
        source: Source::Configuration,
        distance: usize::MAX,
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
