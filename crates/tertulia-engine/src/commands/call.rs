//! A command as it was given, and what comes of it.

use std::sync::Arc;

use tertulia_core::access::Standing;
use tertulia_core::record::{InboxId, InboxRow, RowBody, Slot};
use tertulia_core::transaction::Change;
use tertulia_message::path::InterfacePath;
use tertulia_ports::{ConversationFacts, ConversationQuery, StoreError};

use crate::hub::Shared;

/// A command with whom and where it was given.
pub(crate) struct Call<'a> {
    pub(crate) shared: &'a Arc<Shared>,
    /// The row it was given as; it is answered there.
    pub(crate) row: &'a InboxRow,
    /// Its name without the slash.
    pub(crate) name: &'a str,
    /// What stands behind it, without outer blanks.
    pub(crate) arguments: &'a str,
    /// True if it was given to the bot alone.
    pub(crate) direct: bool,
    /// The place it is about: where it was given, or what `/at` says.
    pub(crate) path: InterfacePath,
}

/// What a command answers, and what it changes together with its answer.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    /// In Markdown; empty: no answer.
    pub(crate) text: String,
    /// Committed together with the answer, or not at all.
    pub(crate) changes: Vec<Change>,
    /// Messages in other conversations, committed together with the answer.
    pub(crate) slots: Vec<Slot>,
    /// Slots that `changes` gives another wish, or revives, as they are afterwards: the courier hears of them.
    pub(crate) rewished: Vec<Slot>,
    /// What else happens.
    pub(crate) then: Then,
}

/// What else happens.
#[derive(Debug, Default)]
pub(crate) enum Then {
    /// Nothing.
    #[default]
    Nothing,
    /// The command becomes a message, which a turn answers; there is no other answer.
    AnswerAgain {
        /// What it says.
        body: Box<RowBody>,
        /// The turn before, by its trigger.
        supersedes: InboxId,
    },
}

/// Why a command was not done.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// The arguments do not fit: the usage line is the answer.
    Usage,
    /// As the text says.
    Said(String),
    /// The store could not be read.
    Store(StoreError),
}

/// How doing a command ends.
pub(crate) type Done = Result<Answer, Refusal>;

impl Call<'_> {
    /// What its giver may do where it was given, at this moment.
    pub(crate) fn standing(&self) -> Standing {
        let wall = self.shared.clock.now().wall;
        self.shared.governed.standing(&self.row.person, &self.row.path, wall)
    }

    /// The conversation it is about; `None` if nothing was ever accepted there.
    pub(crate) async fn conversation(&self) -> Result<Option<ConversationFacts>, Refusal> {
        let query = ConversationQuery::At(self.path.clone());
        Ok(self.shared.store.conversations(&query).await?.into_iter().next())
    }
}

impl<T: Into<String>> From<T> for Answer {
    fn from(text: T) -> Self {
        Self {
            text: text.into(),
            ..Self::default()
        }
    }
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}
