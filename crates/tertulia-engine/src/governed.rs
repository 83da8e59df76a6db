//! What holds while everything runs: the configuration as it was last read, and what admins and people set by command.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use tertulia_core::access::{Access, Standing};
use tertulia_core::preferences::{Catalog, Preferences, Resolved};
use tertulia_core::transaction::Change;
use tertulia_message::PersonId;
use tertulia_message::path::InterfacePath;
use tertulia_ports::Governed as Stored;
use tokio::sync::watch;

use crate::asking::{Line, lines};
use crate::gate::Strangers;
use crate::parts::{Live, ProviderPart};

/// What holds now. Everybody reads it at the moment of use; nobody keeps it.
pub(crate) struct Governed {
    live: RwLock<Arc<Present>>,
    access: RwLock<Access>,
    preferences: RwLock<Preferences>,
    pub(crate) strangers: Strangers,
    /// Told when somebody may have lost what she may.
    levels: watch::Sender<()>,
}

/// The configuration as it was last read.
pub(crate) struct Present {
    pub(crate) live: Live,
    pub(crate) catalog: Catalog,
    /// The lines before the providers.
    pub(crate) lines: BTreeMap<String, Arc<Line>>,
}

impl Present {
    fn new(live: Live, before: Option<&Self>) -> Self {
        let same = |name: &str, part: &ProviderPart| {
            let before = before?;
            let provider = &before.live.providers.get(name)?.provider;
            let is_same = std::ptr::addr_eq(Arc::as_ptr(provider), Arc::as_ptr(&part.provider));
            before.lines.get(name).filter(|_| is_same).cloned()
        };
        Self {
            catalog: live.catalog(),
            lines: lines(&live.providers, same),
            live,
        }
    }
}

impl Governed {
    pub(crate) fn new(live: Live) -> Self {
        let access = Access::from(live.settings.access.clone());
        Self {
            live: RwLock::new(Arc::new(Present::new(live, None))),
            access: RwLock::new(access),
            preferences: RwLock::default(),
            strangers: Strangers::default(),
            levels: watch::Sender::default(),
        }
    }

    /// Takes in what was set before this start.
    pub(crate) fn restore(&self, stored: Stored) {
        write(&self.access, |access| {
            access.permits = stored.permits.into_iter().collect();
        });
        write(&self.preferences, |preferences| *preferences = stored.preferences);
        self.strangers.restore(stored.greeted);
    }

    /// Takes in a configuration that was read again.
    pub(crate) fn replace(&self, live: Live) {
        write(&self.access, |access| access.rules = live.settings.access.clone());
        write(&self.live, |present| {
            *present = Arc::new(Present::new(live, Some(present)));
        });
        self.levels.send_replace(());
    }

    /// Changes whenever somebody may have lost what she may.
    pub(crate) fn levels(&self) -> watch::Receiver<()> {
        self.levels.subscribe()
    }

    /// Follows what a command has changed on disk.
    pub(crate) fn apply(&self, changes: &[Change]) {
        for change in changes {
            match change.clone() {
                Change::Set { scope, key, preference } => write(&self.preferences, |preferences| {
                    match preference {
                        Some(preference) => preferences.0.insert((scope, key), preference),
                        None => preferences.0.remove(&(scope, key)),
                    };
                }),
                Change::Permit { subject, permit } => {
                    write(&self.access, |access| {
                        match permit {
                            Some(permit) => access.permits.insert(subject, permit),
                            None => access.permits.remove(&subject),
                        };
                    });
                    self.levels.send_replace(());
                }
                _ => {}
            }
        }
    }

    pub(crate) fn moved(&self, from: &InterfacePath, to: &InterfacePath) {
        write(&self.access, |access| access.moved(from, to));
        write(&self.preferences, |preferences| preferences.moved(from, to));
    }

    pub(crate) fn present(&self) -> Arc<Present> {
        Arc::clone(&self.live.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn access<T>(&self, look: impl FnOnce(&Access) -> T) -> T {
        look(&self.access.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn standing(&self, person: &PersonId, path: &InterfacePath, wall: i64) -> Standing {
        self.access(|access| access.standing(person, path, wall))
    }

    /// What was set by command, as it is now.
    pub(crate) fn preferences(&self) -> Preferences {
        self.preferences.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What holds at a place; `asked` is the persona that a request asks for.
    pub(crate) fn resolve(&self, path: &InterfacePath, asked: Option<&str>) -> Resolved {
        self.resolve_by(&self.present(), path, asked)
    }

    /// What holds at a place by this reading of the configuration.
    pub(crate) fn resolve_by(&self, present: &Present, path: &InterfacePath, asked: Option<&str>) -> Resolved {
        let preferences = self.preferences.read().unwrap_or_else(PoisonError::into_inner);
        preferences.resolve(path, &present.catalog, asked)
    }
}

fn write<T>(lock: &RwLock<T>, change: impl FnOnce(&mut T)) {
    change(&mut lock.write().unwrap_or_else(PoisonError::into_inner));
}
