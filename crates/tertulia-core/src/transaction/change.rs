//! What commands change, and what comes from older bots.

use tertulia_message::SlotId;
use tertulia_message::path::InterfacePath;

use crate::access::{Permit, Subject};
use crate::preferences::{Key, Preference, Scope};
use crate::record::{ConversationId, Wish};

/// One thing that a command changes.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// The conversation begins anew: what was said so far is no longer told to the model.
    NewEpoch(ConversationId),
    /// What was said in these conversations is deleted for good: entries, the texts of turns, tool calls and rows, the
    /// messages that are delivered or dead, and pictures that nothing else uses. Rows keep their keys, so that nothing is accepted
    /// twice; rows, turns and messages that still wait for something are left alone.
    Forget(Vec<ConversationId>),
    /// Something is set, or unset.
    Set {
        /// Where it holds.
        scope: Scope,
        /// What.
        key: Key,
        /// The value; absent: what was set here is unset.
        preference: Option<Preference>,
    },
    /// A level is given; absent: what was given by command is taken back.
    Permit {
        /// To whom.
        subject: Subject,
        /// Which.
        permit: Option<Permit>,
    },
    /// Messages of turns that are settled get other wishes, if those are newer; what is gone, or of a turn that is not
    /// settled, is left alone.
    Rewish(Vec<(SlotId, Wish)>),
    /// Dead letters are tried again, as if they were new, until they expire anew. What was posted of them stays known.
    Revive {
        /// Which; those that are not dead are left alone.
        slots: Vec<SlotId>,
        /// In milliseconds since 1970.
        expires_at: i64,
    },
    /// Dead letters are deleted; those that are not dead are left alone.
    Bury(Vec<SlotId>),
    /// The bot said something that belongs to no turn: it becomes part of a conversation's history.
    Said {
        /// Where.
        conversation: ConversationId,
        /// What.
        text: String,
        /// The wall clock, in milliseconds since 1970.
        now: i64,
    },
}

/// A line of an older bot's history, on its way into ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedLine {
    /// What tells it from the other lines of its source: a line with the same key is imported once.
    pub key: String,
    /// Where it was said.
    pub path: InterfacePath,
    /// The speaker; absent for the bot's own words.
    pub speaker: Option<String>,
    /// The text.
    pub text: String,
    /// When, in milliseconds since 1970.
    pub at: i64,
}

/// What became of imported lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Imported {
    /// So many are new.
    pub added: u64,
    /// So many were there already.
    pub known: u64,
}
