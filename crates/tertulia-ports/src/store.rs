//! Where everything is kept.

use async_trait::async_trait;
use tertulia_core::record::{ConversationId, InboxRow, Slot, Work};
use tertulia_core::transaction::{AcceptTx, Accepted, Imported, ImportedLine, Transaction};
use tertulia_message::path::InterfacePath;
use tertulia_message::{Account, Mark};

use crate::{Desk, Files};

/// The store. One process writes at a time; every method may be called from many tasks at once.
#[async_trait]
pub trait Store: Desk + Files {
    /// Transaction A: events and marks, durable when it returns. One answer per event, in order.
    ///
    /// A row withdrawn, amended or accepted before is recognised by (account, event id).
    /// Anything accepted from a conversation lifts its block.
    async fn accept(&self, tx: AcceptTx) -> Result<Vec<Accepted>, StoreError>;

    /// Every other transaction; it is as durable as [`Transaction::durability`] says when it returns.
    ///
    /// Repeating one that was committed changes nothing (a crash may have hidden the answer).
    async fn commit(&self, tx: Transaction) -> Result<(), StoreError>;

    /// What a conversation has to do next: its unfinished turn, else its oldest waiting row with the rows
    /// joined to it, with at most `entries` of its history. `None` if nothing waits. Changes nothing.
    /// Commands are no part of it: they do not queue. But what was said after one waits until it is done: it is meant for
    /// what the command has set.
    async fn next_work(&self, conversation: ConversationId, entries: u32) -> Result<Option<Work>, StoreError>;

    /// What the process that ended before left to do. A row that cannot be read is left out and logged.
    async fn restore(&self) -> Result<Restored, StoreError>;

    /// The marks of an account whose keys begin with `prefix`, by key.
    async fn marks(&self, account: &Account, prefix: &str) -> Result<Vec<Mark>, StoreError>;

    /// Takes in lines of an older bot's history, durable when it returns: each once, however often they come. They stand in
    /// their conversations in the order in which they were said, before everything that was said since.
    async fn import(&self, lines: Vec<ImportedLine>) -> Result<Imported, StoreError>;
}

/// What was left to do when the process before ended.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Restored {
    /// Conversations with waiting or taken rows, also those where only commands wait.
    pub conversations: Vec<(ConversationId, InterfacePath)>,
    /// Commands that were accepted and not done, oldest first; `next_work` never shows a command.
    pub commands: Vec<InboxRow>,
    /// Slots that are due, in the order (conversation, trigger, kind, part).
    pub slots: Vec<Slot>,
}

/// Why the store could not do it.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Not now: the disk is full or the database is locked. Nothing was written; try again.
    #[error("the store cannot write at the moment")]
    Busy(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The store is damaged or was closed; the process has to end.
    #[error("the store is broken")]
    Broken(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The request contradicts what is stored: a bug of the caller. Nothing was written.
    #[error("refused by the store: {0}")]
    Refused(String),
}
