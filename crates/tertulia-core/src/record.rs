//! What is on disk, as the machines read it. Tables have types of their own in the store.

use std::ops::Range;

use tertulia_message::path::InterfacePath;
use tertulia_message::{Account, FileRef, PASTE, PersonId, Post, Quoted, Request, Secret, SlotId};

use crate::chat::{ChatMessage, ToolResult};

/// The number of an accepted event; grows with every acceptance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct InboxId(pub i64);

/// The number of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ConversationId(pub i64);

/// One accepted event that waits for an answer, or is being answered.
#[derive(Debug, Clone, PartialEq)]
pub struct InboxRow {
    /// Its number.
    pub id: InboxId,
    /// Whose event it is.
    pub account: Account,
    /// The conversation's number.
    pub conversation: ConversationId,
    /// The conversation's address.
    pub path: InterfacePath,
    /// The platform's id of the event.
    pub ext_id: String,
    /// Who caused it.
    pub person: PersonId,
    /// What it says.
    pub body: RowBody,
    /// Rows with the same key become one turn: see [`Inbound::join`](tertulia_message::Inbound::join).
    pub join: Option<String>,
    /// A short-lived token to reply with.
    pub token: Option<Secret>,
    /// When it was accepted, in milliseconds since 1970.
    pub accepted_at: i64,
}

impl InboxRow {
    /// True if it is a piece of a text that a client had split.
    #[must_use]
    pub fn is_piece(&self) -> bool {
        self.join.as_ref().is_some_and(|key| key.starts_with(PASTE))
    }

    /// True if it and the row before it are one message of one person.
    #[must_use]
    pub fn belongs_to(&self, before: &Self) -> bool {
        let are_messages = matches!((&self.body, &before.body), (RowBody::Message(_), RowBody::Message(_)));
        are_messages && self.join.is_some() && self.join == before.join && self.person == before.person
    }
}

/// What an accepted event says.
#[derive(Debug, Clone, PartialEq)]
pub enum RowBody {
    /// A person's message.
    Message(MessageBody),
    /// A command.
    Command {
        /// Its name without the slash, in lower case.
        name: String,
        /// Its arguments as text.
        arguments: String,
        /// True in a conversation of its own with the bot.
        direct: bool,
        /// Given by a button below the answer of the turn that this row triggered; whoever pressed it is told by
        /// [`Signal::Pressed`](tertulia_message::Signal::Pressed), not by a message.
        button: Option<InboxId>,
    },
    /// A request at an HTTP door.
    Request(Box<Request>),
}

/// A person's message.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MessageBody {
    /// The text.
    pub text: String,
    /// The name that people see.
    pub speaker: String,
    /// True in a conversation of its own with the bot.
    pub direct: bool,
    /// Files not yet fetched.
    pub files: Vec<FileRef>,
    /// The platform's id of the message it replies to.
    pub reply_to: Option<String>,
    /// What that message says.
    pub quoted: Option<Quoted>,
}

/// All that a session needs for its next turn, read at one moment.
#[derive(Debug, Clone, PartialEq)]
pub struct Work {
    /// The rows of the turn, oldest first; the first one is the trigger.
    pub rows: Vec<InboxRow>,
    /// Set if a turn over these rows had begun before.
    pub unfinished: Option<UnfinishedTurn>,
    /// The newest entries of the conversation's present epoch, oldest first.
    pub history: Vec<Entry>,
    /// The slots that the trigger already has, by part.
    pub slots: Vec<Slot>,
    /// The conversation's epoch: `/new` begins another.
    pub epoch: i64,
}

impl Work {
    /// The row that triggers the turn.
    #[must_use]
    pub fn trigger(&self) -> Option<InboxId> {
        self.rows.first().map(|row| row.id)
    }
}

/// A turn that had begun and was not settled.
#[derive(Debug, Clone, PartialEq)]
pub struct UnfinishedTurn {
    /// Which attempt it was, from 1.
    pub attempt: u32,
    /// The start of the process that made it.
    pub boot: String,
    /// The settings it began with.
    pub settings: TurnSettings,
    /// The text that was shown when it was last saved.
    pub partial: String,
    /// Its rounds of tool calls, oldest first.
    pub rounds: Vec<RoundRecord>,
}

/// One round of tool calls of an unfinished turn.
#[derive(Debug, Clone, PartialEq)]
pub struct RoundRecord {
    /// The model's message with the calls.
    pub assistant: ChatMessage,
    /// The runs, in the order of the calls.
    pub runs: Vec<ToolRun>,
}

/// One tool call and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolRun {
    /// The call's id.
    pub call_id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments as JSON text.
    pub arguments: String,
    /// What the tool does to the world.
    pub effect: ToolEffect,
    /// Its result; `None` while it is at work, or was when the process ended.
    pub result: Option<ToolResult>,
}

/// What a tool does to the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolEffect {
    /// Only reads: may be repeated.
    Reads,
    /// Changes something of ours: must not be repeated.
    Changes,
    /// Reaches out to others: must not be repeated.
    ReachesOut,
}

impl ToolEffect {
    /// The word used in tables and configuration.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Reads => "reads",
            Self::Changes => "changes",
            Self::ReachesOut => "reaches_out",
        }
    }

    /// Reads the word that [`ToolEffect::as_str`] gives.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Reads, Self::Changes, Self::ReachesOut]
            .into_iter()
            .find(|effect| effect.as_str() == word)
    }
}

/// What a turn keeps from its beginning on, whatever is changed meanwhile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnSettings {
    /// The configured name of the provider.
    pub provider: String,
    /// The model.
    pub model: String,
    /// The base of the system prompt; empty if there is none.
    pub system: String,
    /// The tools that the model may use, by name; absent: all.
    pub tools: Option<Vec<String>>,
}

/// One remembered message of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The turn it belongs to, by its trigger; `None` if it was imported, or said for an operator.
    pub turn: Option<InboxId>,
    /// Who said it, for messages of people.
    pub speaker: Option<String>,
    /// What was said.
    pub message: ChatMessage,
    /// True if the answer was cut off.
    pub cut: bool,
}

/// One platform message: what it shall show, and how far it got.
#[derive(Debug, Clone, PartialEq)]
pub struct Slot {
    /// Its identity.
    pub id: SlotId,
    /// The account that posts it.
    pub account: Account,
    /// The conversation's number.
    pub conversation: ConversationId,
    /// Where it is posted.
    pub path: InterfacePath,
    /// The platform's id of the message it answers.
    pub re: String,
    /// A short-lived token to answer with.
    pub token: Option<Secret>,
    /// What it shall show.
    pub wish: Wish,
    /// How far it got; only the courier changes this.
    pub progress: SlotProgress,
    /// When it becomes a dead letter, in milliseconds since 1970.
    pub expires_at: i64,
    /// True while its turn is not settled: its wish will change again.
    pub open: bool,
}

/// What a platform message shall show. Only the session changes this (and the courier when it has to split).
#[derive(Debug, Clone, PartialEq)]
pub struct Wish {
    /// False if the message is to be deleted, or never posted.
    pub shown: bool,
    /// Grows with every change.
    pub rev: u32,
    /// The content.
    pub post: Post,
    /// Which bytes of the answer's text it shows.
    pub source: Option<Range<usize>>,
}

/// How far a platform message got.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SlotProgress {
    /// Where it stands.
    pub state: SlotState,
    /// The platform's id, once known.
    pub ext_id: Option<String>,
    /// The revision that the platform surely shows.
    pub got_rev: u32,
    /// True if it had to be sent again without knowing: its body carries the mark.
    pub forced: bool,
    /// How often it was tried since it last got further.
    pub tries: u32,
    /// Not to be tried before, in milliseconds since 1970.
    pub not_before: Option<i64>,
    /// What went wrong last; for operators.
    pub error: Option<String>,
}

/// Where a slot stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SlotState {
    /// Nothing is under way.
    #[default]
    Idle,
    /// A post is under way; found at start, its outcome is unknown.
    Sending,
    /// The outcome is unknown and has to be looked up.
    Unsure,
    /// Given up.
    Dead,
}

impl SlotState {
    /// The word used in tables.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Sending => "sending",
            Self::Unsure => "unsure",
            Self::Dead => "dead",
        }
    }

    /// Reads the word that [`SlotState::as_str`] gives.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Idle, Self::Sending, Self::Unsure, Self::Dead]
            .into_iter()
            .find(|state| state.as_str() == word)
    }
}

impl Slot {
    /// True if there is something left to do for the courier.
    #[must_use]
    pub fn is_due(&self) -> bool {
        self.progress.state != SlotState::Dead
            && (self.progress.got_rev < self.wish.rev || self.progress.state != SlotState::Idle)
    }
}
