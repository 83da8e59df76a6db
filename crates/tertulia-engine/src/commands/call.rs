//! A command as it was given, and what comes of it.

use std::sync::Arc;

use tertulia_core::access::{Access, Standing};
use tertulia_core::commands::find;
use tertulia_core::nearest::hint;
use tertulia_core::record::{InboxId, InboxRow, RowBody, Slot};
use tertulia_core::transaction::Change;
use tertulia_message::path::InterfacePath;
use tertulia_ports::{ConversationFacts, ConversationQuery, StoreError};
use tokio::sync::OwnedMutexGuard;

use super::show::code;
use crate::backing::patiently;
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
    /// True if the command was not done; the text says why.
    pub(crate) refused: bool,
    /// Committed together with the answer, or not at all.
    pub(crate) changes: Vec<Change>,
    /// Messages in other conversations, committed together with the answer.
    pub(crate) slots: Vec<Slot>,
    /// Slots that `changes` gives another wish, or revives, as they are afterwards: the courier hears of them.
    pub(crate) rewished: Vec<Slot>,
    /// Held until `changes` are in force, by commands that decide by what holds: see [`Call::alone`].
    pub(crate) alone: Option<OwnedMutexGuard<()>>,
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
    /// Another command is done instead, about another place.
    Instead {
        /// The place.
        path: InterfacePath,
        /// The command's name.
        name: &'static str,
        /// Its arguments.
        arguments: String,
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
    /// The process is ending: the next start does it.
    Left,
}

/// How doing a command ends.
pub(crate) type Done = Result<Answer, Refusal>;

impl Call<'_> {
    /// The wall clock, in milliseconds since 1970.
    pub(crate) fn wall(&self) -> i64 {
        self.shared.clock.now().wall
    }

    /// What its giver may do where it was given, at this moment.
    pub(crate) fn standing(&self) -> Standing {
        self.shared
            .governed
            .standing(&self.row.person, &self.row.path, self.wall())
    }

    /// Looks at who may speak where.
    pub(crate) fn access<T>(&self, look: impl FnOnce(&Access) -> T) -> T {
        self.shared.governed.access(look)
    }

    /// Waits until no other command changes who governs or what is set. To be kept in the answer, so that whoever comes next
    /// decides by what holds then. The giver may have lost the right meanwhile.
    pub(crate) async fn alone(&self) -> Result<OwnedMutexGuard<()>, Refusal> {
        let alone = Arc::clone(&self.shared.governing).lock_owned().await;
        let level = self.standing().level;
        if find(self.name).is_none_or(|command| command.level > level) {
            return Err(self.unknown());
        }
        Ok(alone)
    }

    /// The conversation it is about; `None` if nothing was ever accepted there.
    pub(crate) async fn conversation(&self) -> Result<Option<ConversationFacts>, Refusal> {
        let query = ConversationQuery::At(self.path.clone());
        Ok(patiently(|| self.shared.store.conversations(&query))
            .await?
            .into_iter()
            .next())
    }

    /// The conversation it is about, which has to be there.
    pub(crate) async fn known(&self) -> Result<ConversationFacts, Refusal> {
        self.conversation().await?.ok_or_else(|| self.never_heard())
    }

    /// Nothing was ever accepted at the place it is about.
    pub(crate) fn never_heard(&self) -> Refusal {
        let path = code(self.path.as_str(), 512);
        Refusal::Said(format!("Nobody has ever spoken to me in {path}."))
    }

    /// Reads the path of a place on an interface that is configured.
    pub(crate) fn read_path(&self, text: &str) -> Result<InterfacePath, Refusal> {
        let shown = code(text, 64);
        let path = InterfacePath::parse(text)
            .map_err(|error| Refusal::Said(format!("{shown} is no path: {error}. /chats shows the paths I know.")))?;
        if self.shared.interface(path.interface()).is_none() {
            let states = self.shared.listeners.states();
            let near = hint(path.interface(), states.iter().map(|(name, _)| name.as_str()));
            let name = code(path.interface(), 64);
            return Err(Refusal::Said(format!("There is no interface {name}{near}.")));
        }
        Ok(path)
    }

    /// What may not be given is as unknown as what does not exist.
    pub(crate) fn unknown(&self) -> Refusal {
        Self::unknown_name(self.name)
    }

    /// As [`Call::unknown`], for a command that another one names.
    pub(crate) fn unknown_name(name: &str) -> Refusal {
        let shown = code(&format!("/{name}"), 33);
        Refusal::Said(format!("I do not know {shown}. /help shows what I know."))
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
