//! The one way in: events and marks become durable before anything is confirmed to a platform.

use std::sync::Arc;

use async_trait::async_trait;
use tertulia_message::command::CommandSpec;
use tertulia_message::path::InterfacePath;
use tertulia_message::{Account, Inbound, Level, Mark, PersonId};

/// Events of one account with the marks that move together with them.
#[derive(Debug, Clone)]
pub struct Batch {
    /// Whose events they are; every event carries the same account.
    pub account: Account,
    /// The events in the order in which they happened.
    pub events: Vec<Inbound>,
    /// The marks, written in the same transaction.
    pub marks: Vec<Mark>,
    /// True for what was said while nobody listened: that much has piled up says nothing about the haste of who said it, so
    /// all of it is taken.
    pub missed: bool,
}

/// What became of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It is on disk, and will be worked on.
    Accepted,
    /// It was accepted before; confirm it and forget it.
    Duplicate,
    /// Nobody is interested; confirm it and forget it.
    Ignored,
    /// The sender may not; confirm it, and show the text if there is one.
    Denied {
        /// What the sender reads, if anything.
        say: Option<String>,
    },
    /// The conversation has too much unanswered work; the sender is told by us, once.
    Busy,
}

/// What a person may do at this moment, and whether anybody may do everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// The person's level in the conversation.
    pub level: Level,
    /// True once somebody governs the bot; before that whoever has the code must be able to reach it.
    pub is_governed: bool,
}

/// Why a batch was not accepted: nothing of it is on disk, confirm nothing and try again.
#[derive(Debug, thiserror::Error)]
pub enum AcceptError {
    /// The store cannot write at the moment.
    #[error("the store cannot write: {0}")]
    Store(String),
    /// The daemon is stopping.
    #[error("stopping")]
    Stopping,
}

/// What stands behind an [`Inlet`].
#[async_trait]
pub trait Accept: Send + Sync {
    /// See [`Inlet::accept`].
    async fn accept(&self, batch: Batch) -> Result<Vec<Verdict>, AcceptError>;
    /// See [`Inlet::marks`].
    async fn marks(&self, account: &Account, prefix: &str) -> Result<Vec<Mark>, AcceptError>;
    /// See [`Inlet::commands`].
    fn commands(&self) -> &'static [CommandSpec];
    /// See [`Inlet::hang_up`].
    async fn hang_up(&self, account: &Account, id: &str);
    /// See [`Inlet::reached`].
    fn reached(&self, interface: &str, is_reached: bool);
    /// See [`Inlet::standing`].
    fn standing(&self, person: &PersonId, path: &InterfacePath) -> Standing;
}

/// The handle an interface gets to hand in its events. Cheap to clone.
#[derive(Clone)]
pub struct Inlet(Arc<dyn Accept>);

impl Inlet {
    /// Wraps what stands behind.
    #[must_use]
    pub fn new(accept: Arc<dyn Accept>) -> Self {
        Self(accept)
    }

    /// Stores events and marks in one transaction and returns when that is durable: one verdict per event, in order.
    ///
    /// Waits for the store's writer only, never for a conversation. Idempotent on (account, event id).
    ///
    /// # Errors
    /// Nothing was stored: confirm nothing, wait, and hand in the same batch again.
    pub async fn accept(&self, batch: Batch) -> Result<Vec<Verdict>, AcceptError> {
        self.0.accept(batch).await
    }

    /// The marks of an account whose keys begin with `prefix`, in the order of their keys.
    ///
    /// # Errors
    /// The store cannot be read at the moment.
    pub async fn marks(&self, account: &Account, prefix: &str) -> Result<Vec<Mark>, AcceptError> {
        self.0.marks(account, prefix).await
    }

    /// The commands, for menus and slash commands.
    #[must_use]
    pub fn commands(&self) -> &'static [CommandSpec] {
        self.0.commands()
    }

    /// Tells whether the platform of the interface with this configured name answers, as often as that is known: people who
    /// govern the bot see it, and `/readyz`. An interface that listens counts as reached until it says otherwise.
    pub fn reached(&self, interface: &str, is_reached: bool) {
        self.0.reached(interface, is_reached);
    }

    /// What a person may do in a conversation at this moment: for menus and invitations. It lets nobody in.
    #[must_use]
    pub fn standing(&self, person: &PersonId, path: &InterfacePath) -> Standing {
        self.0.standing(person, path)
    }

    /// Tells that the reader of a request has gone: its turn is stopped. For HTTP doors only.
    pub async fn hang_up(&self, account: &Account, id: &str) {
        self.0.hang_up(account, id).await;
    }
}
