//! The accounts under which we speak ourselves, as the interfaces say them: what such a one says is nobody's.

use std::collections::BTreeSet;
use std::sync::{PoisonError, RwLock};

use tertulia_message::{Account, PersonId};

/// The identities of the accounts that have handed in something from a platform since the start.
#[derive(Default)]
pub(crate) struct Accounts(RwLock<BTreeSet<String>>);

impl Accounts {
    pub(super) fn knows(&self, account: &Account) -> bool {
        self.has(&account.identity)
    }

    /// Learns whose events they are.
    pub(super) fn note(&self, account: &Account) {
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        known.insert(account.identity.clone());
    }

    /// True for ourselves, also where one interface sees the account of another: on one platform an id means the same to both,
    /// and no two platforms give the same ids.
    pub(super) fn is_own(&self, sender: &PersonId) -> bool {
        self.has(&sender.id)
    }

    fn has(&self, identity: &str) -> bool {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        known.contains(identity)
    }
}
