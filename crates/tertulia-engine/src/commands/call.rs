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

use super::show::{code, list};
use crate::backing::patiently;
use crate::hub::Shared;

/// The interface at which the machine's own user gives commands.
pub(super) const CONSOLE: &str = "console";

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
    /// Messages in other conversations, or with files, committed together with the answer.
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
        self.conversation_at(&self.path).await
    }

    /// The conversation at a place; `None` if nothing was ever accepted there.
    pub(crate) async fn conversation_at(&self, path: &InterfacePath) -> Result<Option<ConversationFacts>, Refusal> {
        let query = ConversationQuery::At(path.clone());
        let found = patiently(|| self.shared.store.conversations(&query)).await?;
        Ok(found.into_iter().next())
    }

    /// The conversation it is about, which has to be there.
    pub(crate) async fn known(&self) -> Result<ConversationFacts, Refusal> {
        self.conversation().await?.ok_or_else(|| self.never_heard())
    }

    /// The place it is about, as seen from where it was given: "here", or "in" with the path.
    pub(crate) fn place(&self) -> String {
        if self.is_elsewhere() {
            format!("in {}", code(self.path.as_str(), 512))
        } else {
            "here".to_owned()
        }
    }

    /// True if it is about another place than the one where it was given.
    pub(crate) fn is_elsewhere(&self) -> bool {
        self.path != self.row.path
    }

    /// How it is given once more with these arguments, as code.
    pub(crate) fn once_more(&self, arguments: &str) -> String {
        code(&spelled(&self.row.path, &self.path, self.name, arguments), 700)
    }

    /// Nothing was ever accepted at the place it is about.
    pub(crate) fn never_heard(&self) -> Refusal {
        let path = code(self.path.as_str(), 512);
        Refusal::Said(format!("Nobody has ever spoken to me in {path}."))
    }

    /// The names of all interfaces, the console's among them.
    pub(crate) fn interfaces(&self) -> Vec<String> {
        let states = self.shared.listeners.states();
        states.into_iter().map(|(name, _)| name).collect()
    }

    /// Reads the path of a place on an interface that is configured.
    pub(crate) fn read_path(&self, text: &str) -> Result<InterfacePath, Refusal> {
        let shown = code(text, 64);
        let path = InterfacePath::parse(text)
            .map_err(|error| Refusal::Said(format!("{shown} is no path: {error}. /chats shows the paths I know.")))?;
        if self.shared.interface(path.interface()).is_none() {
            return Err(no_interface(path.interface(), &self.interfaces()));
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

/// How a command about a place is given at another; at the console it is a command of the shell.
fn spelled(given: &InterfacePath, about: &InterfacePath, name: &str, arguments: &str) -> String {
    let sign = if given.interface() == CONSOLE { "tertulia " } else { "/" };
    let at = if about == given {
        String::new()
    } else {
        format!("at {about} ")
    };
    format!("{sign}{at}{name} {arguments}")
}

/// An interface is named that is none of these; the console is none that people speak through.
pub(super) fn no_interface(named: &str, known: &[String]) -> Refusal {
    let known = known.iter().map(String::as_str).filter(|name| *name != CONSOLE);
    let near = hint(named, known.clone());
    let all = list(known);
    let all = if all.is_empty() { "none".to_owned() } else { all };
    Refusal::Said(format!(
        "There is no interface {}{near}. There is: {all}.",
        code(named, 64)
    ))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_spelled_as_they_work_where_they_are_given() {
        for (given, expected) in [
            ("x/room", "/forget yes"),
            ("x/ann", "/at x/room forget yes"),
            ("console/0", "tertulia at x/room forget yes"),
        ] {
            let path = |text: &str| InterfacePath::parse(text).unwrap();
            assert_eq!(spelled(&path(given), &path("x/room"), "forget", "yes"), expected);
        }
    }
}
