//! Counts commits, since each one with a full sync costs an fsync.

use std::sync::atomic::{AtomicU64, Ordering};

use tertulia_core::transaction::Durability;

/// How much was committed since the store was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counters {
    /// Transactions of callers that were committed.
    pub commands: u64,
    /// Batches that were synced before they were answered.
    pub full: u64,
    /// Batches that will be synced with a later one.
    pub normal: u64,
}

/// The counting side of [`Counters`].
#[derive(Debug, Default)]
pub(crate) struct Tally {
    commands: AtomicU64,
    full: AtomicU64,
    normal: AtomicU64,
}

impl Tally {
    pub(crate) fn count(&self, commands: usize, durability: Durability) {
        self.commands.fetch_add(commands as u64, Ordering::Relaxed);
        let kind = match durability {
            Durability::Full => &self.full,
            Durability::Normal => &self.normal,
        };
        kind.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn read(&self) -> Counters {
        Counters {
            commands: self.commands.load(Ordering::Relaxed),
            full: self.full.load(Ordering::Relaxed),
            normal: self.normal.load(Ordering::Relaxed),
        }
    }
}
