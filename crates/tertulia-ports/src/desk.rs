//! Reading for those who govern the bot, and for what they see.

use async_trait::async_trait;
use tertulia_core::access::{Permit, Subject};
use tertulia_core::preferences::Preferences;
use tertulia_core::record::{ConversationId, InboxId, InboxRow, Slot};
use tertulia_message::path::InterfacePath;
use tertulia_message::{Account, PersonId};

use crate::StoreError;

/// Reading for those who govern the bot. Changes nothing; every method may be called from many tasks at once.
#[async_trait]
pub trait Desk: Send + Sync {
    /// What was set and permitted by command, at once; read when the process starts. What cannot be read is left out and
    /// logged.
    async fn governed(&self) -> Result<Governed, StoreError>;

    /// Conversations, those with the latest accepted event first, those without any (they were imported) last. What cannot
    /// be read is left out and logged.
    async fn conversations(&self, query: &ConversationQuery) -> Result<Vec<ConversationFacts>, StoreError>;

    /// One turn with its rows.
    async fn turn(&self, query: &TurnQuery) -> Result<Option<TurnRows>, StoreError>;

    /// Slots: unsent and due ones in the order (conversation, trigger, kind, part), dead letters by trigger, the latest first.
    async fn slots(&self, query: &SlotQuery) -> Result<Vec<Slot>, StoreError>;

    /// What was spent since a moment (milliseconds since 1970), summed up by person, provider and model; the largest first.
    async fn usage(&self, since: i64) -> Result<Vec<UsageSum>, StoreError>;

    /// The newest lines of the present epoch that people may see, oldest first; what stood before `/new` is out of sight for
    /// everybody. Lines of older bots stand first, in the order of time.
    async fn history(&self, query: &HistoryQuery) -> Result<Vec<HistoryLine>, StoreError>;
}

/// What was set and permitted by command.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Governed {
    /// What was set.
    pub preferences: Preferences,
    /// Who may speak where.
    pub permits: Vec<(Subject, Permit)>,
    /// Strangers who were told that the bot is private, and when (milliseconds since 1970).
    pub greeted: Vec<(PersonId, i64)>,
}

/// Which conversations are asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConversationQuery {
    /// The one with this path.
    At(InterfacePath),
    /// A chat with all its threads.
    Chat(InterfacePath),
    /// The latest, so many.
    Latest(u32),
}

/// One conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversationFacts {
    /// Its number.
    pub id: ConversationId,
    /// Its path.
    pub path: InterfacePath,
    /// The account of its latest accepted event; its identity is empty if there is none.
    pub account: Account,
    /// When that was accepted, in milliseconds since 1970; 0 if there is none.
    pub last_at: i64,
    /// Its epoch.
    pub epoch: i64,
    /// Why nothing is written to it any more, if so.
    pub blocked: Option<String>,
    /// Rows that wait; commands are not counted.
    pub waiting: u32,
    /// True if a turn is running.
    pub running: bool,
    /// Entries of its present epoch.
    pub entries: u64,
}

/// Which turn is asked for. None is found whose rows were forgotten.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnQuery {
    /// The one that may be answered again: the newest settled turn of the conversation's present epoch whose trigger is older
    /// than the row, unless `/retry` has put another in its place.
    Last(ConversationId, InboxId),
    /// The one that this row has triggered, whatever became of it, with that row alone: whom its buttons are for.
    Of(InboxId),
}

/// A turn with its rows.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnRows {
    /// Its trigger.
    pub trigger: InboxId,
    /// Its rows, the trigger first.
    pub rows: Vec<InboxRow>,
}

/// Which slots are asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SlotQuery {
    /// Answer slots of settled turns older than a row that are not dead and do not show what they shall; of such a turn all
    /// answer slots, also those that do.
    Unsent(ConversationId, InboxId),
    /// Slots of rows older than a row that are not dead and do not show what they shall, of every kind; also what is said in
    /// the conversation by a command in another one.
    Due(ConversationId, InboxId),
    /// Dead letters, the latest first, at most so many.
    Dead(u32),
}

/// What was spent by one person with one model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsageSum {
    /// Who, in the form of `PersonId`'s `Display`.
    pub person: String,
    /// The provider.
    pub provider: String,
    /// The model.
    pub model: String,
    /// Turns; one with several rounds or attempts counts once.
    pub turns: u64,
    /// Tokens read, as far as the providers told.
    pub tokens_in: u64,
    /// Tokens written, as far as the providers told.
    pub tokens_out: u64,
    /// What it cost, in billionths of a dollar, as far as that is known.
    pub cost: u64,
    /// Turns of which is not known, or not in full, what they cost.
    pub unpriced: u64,
}

/// Which lines of the history are asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryQuery {
    /// The conversation.
    pub path: InterfacePath,
    /// True: the chat with all its threads, and nothing else. False: exactly this path.
    pub whole_chat: bool,
    /// How many lines at most; the newest are kept.
    pub limit: u32,
}

/// One line of the history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryLine {
    /// Where it was said.
    pub path: InterfacePath,
    /// The speaker, for people's words.
    pub speaker: Option<String>,
    /// True for people's words, false for the bot's.
    pub from_person: bool,
    /// The text.
    pub text: String,
    /// When, in milliseconds since 1970.
    pub at: i64,
}
