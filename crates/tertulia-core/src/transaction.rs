//! The transactions that move a message along. Each is atomic; the store performs them as written.

mod change;

use tertulia_message::path::InterfacePath;
use tertulia_message::{Account, Mark, PersonId, SlotId};

pub use change::{Change, Imported, ImportedLine};

use crate::authorize::Authorized;
use crate::chat::{ChatMessage, ToolResult};
use crate::provider::Usage;
use crate::record::{
    ConversationId, Entry, InboxId, RowBody, Slot, SlotProgress, ToolEffect, ToolRun, TurnSettings, Wish,
};

/// Transaction A: events and marks of one account.
#[derive(Debug)]
pub struct AcceptTx {
    /// The account.
    pub account: Account,
    /// The admitted events; nothing else can become an inbox row.
    pub events: Vec<Authorized>,
    /// The platform's marks.
    pub marks: Vec<Mark>,
    /// The wall clock, in milliseconds since 1970.
    pub now: i64,
    /// The most open rows (new or taken) a conversation may have; what comes beyond is dropped as flood.
    ///
    /// Commands do not queue, so they are counted apart, up to the same bound: a full queue of messages must not keep
    /// out the command that empties it.
    pub queue_bound: u32,
}

/// What became of an admitted event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Accepted {
    /// It is a new row.
    New(InboxId, ConversationId),
    /// It was there already.
    Duplicate,
    /// It changed or withdrew a row, or came too late to.
    Amended,
    /// The conversation's queue is full; `first` if the one before it in this queue was not dropped as well.
    Flood {
        /// Set on the first one dropped, so that the sender is told once.
        first: bool,
        /// The row, dropped with reason `flood`; a notice can be made for it.
        row: InboxId,
        /// The conversation.
        conversation: ConversationId,
    },
}

/// Every other transaction.
#[derive(Debug, Clone, PartialEq)]
pub enum Transaction {
    /// B: a turn begins, its rows are taken, the people's words become an entry that is not yet live.
    Begin(Begin),
    /// A turn that was begun before runs again: its complete rounds stay, the saved text is kept.
    Again {
        /// The turn's trigger.
        trigger: InboxId,
        /// The new attempt.
        attempt: u32,
        /// This start of the process.
        boot: String,
    },
    /// C: the text shown so far, for a mark after a crash.
    Checkpoint {
        /// The turn's trigger.
        trigger: InboxId,
        /// The text.
        partial: String,
    },
    /// T, first half: a round of tool calls is about to run.
    ToolsStarted {
        /// The turn's trigger.
        trigger: InboxId,
        /// The attempt.
        attempt: u32,
        /// The round, from 0.
        round: u32,
        /// The model's message with the calls.
        assistant: ChatMessage,
        /// The runs; all without result.
        runs: Vec<ToolRun>,
    },
    /// T, second half: one call has its result.
    ToolDone {
        /// The turn's trigger.
        trigger: InboxId,
        /// The attempt.
        attempt: u32,
        /// The round.
        round: u32,
        /// The result.
        result: ToolResult,
        /// True if the tool changes something or reaches out.
        effectful: bool,
        /// What it had said: committed if the result is, and only then.
        said: Option<Box<Said>>,
    },
    /// P: a part of the answer gets a slot of its own; the part before it gets its final body.
    OpenSlot {
        /// The part before, if there is one.
        closed: Option<(SlotId, Wish)>,
        /// The new slot. `expires_at`, `re`, `token`, `path` and `account` are those of the trigger's row.
        open: Box<Slot>,
    },
    /// S: the turn is over.
    Settle(Box<Settle>),
    /// A command is done: its row, its reply, and all that it changes. Where the row is done already, nothing is changed.
    Reply {
        /// The command's row.
        trigger: InboxId,
        /// The reply's slots, and those of `/say`, which stand in another conversation; may be empty.
        slots: Vec<Slot>,
        /// What it changes, in this order.
        changes: Vec<Change>,
    },
    /// `/retry`: the command's row becomes a message (or a request) that waits, with what the last turn's rows said.
    /// The turn before is superseded, and its entries are taken out of the history; its messages stay.
    /// Where the row is no command any more, or waits no more, nothing is changed.
    Retry {
        /// The command's row.
        trigger: InboxId,
        /// What the rows of the turn before said, as one.
        body: Box<RowBody>,
        /// The turn before, by its trigger.
        supersedes: InboxId,
    },
    /// A stranger was told that the bot is private. Older notes than a day are deleted.
    Greeted {
        /// Who.
        person: PersonId,
        /// The wall clock, in milliseconds since 1970.
        now: i64,
    },
    /// A notice beside a turn: new slots for a row, nothing else.
    Notice {
        /// The slots.
        slots: Vec<Slot>,
    },
    /// Rows that will not be answered.
    Drop {
        /// The rows.
        rows: Vec<InboxId>,
        /// Why.
        why: DropReason,
    },
    /// D and E: how far a slot got.
    Progress {
        /// The slot.
        slot: SlotId,
        /// Where it stands now.
        progress: SlotProgress,
        /// True if losing this would mean a double or a loss.
        durable: bool,
    },
    /// A slot that turned out too long becomes several.
    Split {
        /// The slot with what it still shows.
        slot: SlotId,
        /// Its new wish.
        wish: Wish,
        /// Where it stands.
        progress: SlotProgress,
        /// The new slots behind it.
        rest: Vec<Slot>,
    },
    /// A slot is given up, and its conversation is written to no more until something comes from it.
    Block {
        /// The slot.
        slot: SlotId,
        /// Where it stands: dead, with the error.
        progress: SlotProgress,
        /// The conversation.
        conversation: ConversationId,
        /// Why, for operators.
        why: String,
    },
    /// A conversation, with its threads if it is a chat, has a new address: conversations, settings and permits move.
    Moved {
        /// The old address.
        from: InterfacePath,
        /// The new one.
        to: InterfacePath,
    },
    /// Usage of a turn of which nothing else is stored, or that another process will settle. The same row again changes
    /// nothing.
    Spent(UsageRow),
}

/// What a tool call had said.
#[derive(Debug, Clone, PartialEq)]
pub struct Said {
    /// The messages.
    pub slots: Vec<Slot>,
    /// What it changes in the history of the conversation it was said in.
    pub changes: Vec<Change>,
}

/// B: a turn begins.
#[derive(Debug, Clone, PartialEq)]
pub struct Begin {
    /// The row that triggers it.
    pub trigger: InboxId,
    /// All its rows, the trigger among them.
    pub rows: Vec<InboxId>,
    /// The conversation.
    pub conversation: ConversationId,
    /// The epoch it belongs to.
    pub epoch: i64,
    /// This start of the process.
    pub boot: String,
    /// The settings it keeps.
    pub settings: TurnSettings,
    /// What people said, as it will stand in the history; empty messages are not stored.
    pub entries: Vec<Entry>,
    /// The wall clock, in milliseconds since 1970.
    pub now: i64,
}

/// S: a turn is over.
#[derive(Debug, Clone, PartialEq)]
pub struct Settle {
    /// The turn's trigger.
    pub trigger: InboxId,
    /// The attempt that is settled; entries of others are deleted.
    pub attempt: u32,
    /// How it ended.
    pub outcome: Outcome,
    /// True if its entries become part of the history.
    pub live: bool,
    /// The last entry: what the model answered in the end.
    pub entries: Vec<Entry>,
    /// What it cost, by round.
    pub usage: Vec<UsageRow>,
    /// All slots of the answer with their final wishes: new ones are inserted, known ones get wish and revision.
    /// Answer slots of this trigger that are not among them are to be deleted (`want = 'gone'`, revision raised).
    pub slots: Vec<Slot>,
    /// The wall clock, in milliseconds since 1970.
    pub now: i64,
}

/// What one round of one turn cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsageRow {
    /// The turn's trigger; 0 or less for a turn of which nothing else is stored.
    pub trigger: InboxId,
    /// The attempt.
    pub attempt: u32,
    /// The round.
    pub round: u32,
    /// Who asked, in the form of `PersonId`'s `Display`.
    pub person: String,
    /// The provider.
    pub provider: String,
    /// The model.
    pub model: String,
    /// What it took. Its cost is what the provider said, else what it was by the prices that were configured at that time.
    pub usage: Usage,
    /// The wall clock, in milliseconds since 1970.
    pub at: i64,
}

/// How a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Completely.
    Answered,
    /// With a part of the answer and a mark.
    Partial,
    /// Somebody stopped it.
    Stopped,
    /// It failed, and the failure was reported.
    Failed,
    /// A restart ended it, and that was reported where it could be.
    Interrupted,
}

impl Outcome {
    /// The word used in tables.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::Partial => "partial",
            Self::Stopped => "stopped",
            Self::Failed => "failed",
            Self::Interrupted => "interrupted",
        }
    }
}

/// Why a row is not answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DropReason {
    /// Somebody stopped it before it was begun.
    Stopped,
    /// Too much at once.
    Flood,
    /// Its author deleted it.
    Redacted,
    /// Nothing to answer.
    Ignored,
    /// Its key never came.
    NoKey,
}

impl DropReason {
    /// The word used in tables.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stopped => "stopped",
            Self::Flood => "flood",
            Self::Redacted => "redacted",
            Self::Ignored => "ignored",
            Self::NoKey => "no_key",
        }
    }
}

/// How safe a transaction must be before anything goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// On disk, also if the power fails: `synchronous=FULL`.
    Full,
    /// In the operating system's hands: survives the process, rides to disk with the next full one.
    Normal,
}

impl Transaction {
    /// A word for logs and tests.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Begin(_) => "begin",
            Self::Again { .. } => "again",
            Self::Checkpoint { .. } => "checkpoint",
            Self::ToolsStarted { .. } => "tools_started",
            Self::ToolDone { .. } => "tool_done",
            Self::OpenSlot { .. } => "open_slot",
            Self::Settle(_) => "settle",
            Self::Reply { .. } => "reply",
            Self::Retry { .. } => "retry",
            Self::Greeted { .. } => "greeted",
            Self::Notice { .. } => "notice",
            Self::Drop { .. } => "drop",
            Self::Progress { durable: true, .. } => "progress",
            Self::Progress { durable: false, .. } => "progress_light",
            Self::Split { .. } => "split",
            Self::Block { .. } => "block",
            Self::Moved { .. } => "moved",
            Self::Spent(_) => "spent",
        }
    }

    /// How safe it must be. A lost begin, checkpoint or reading tool only costs a repetition.
    #[must_use]
    pub fn durability(&self) -> Durability {
        match self {
            Self::Begin(_)
            | Self::Again { .. }
            | Self::Checkpoint { .. }
            | Self::Greeted { .. }
            | Self::Spent(_)
            | Self::ToolDone {
                effectful: false,
                said: None,
                ..
            }
            | Self::Progress { durable: false, .. } => Durability::Normal,
            Self::ToolsStarted { runs, .. } if runs.iter().all(|run| run.effect == ToolEffect::Reads) => {
                Durability::Normal
            }
            Self::ToolsStarted { .. }
            | Self::ToolDone { .. }
            | Self::OpenSlot { .. }
            | Self::Settle(_)
            | Self::Reply { .. }
            | Self::Retry { .. }
            | Self::Notice { .. }
            | Self::Drop { .. }
            | Self::Progress { .. }
            | Self::Split { .. }
            | Self::Block { .. }
            | Self::Moved { .. } => Durability::Full,
        }
    }
}
