//! What the store in memory keeps, and how it is looked up.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tertulia_core::access::Access;
use tertulia_core::preferences::Preferences;
use tertulia_core::record::{
    ConversationId, Entry, InboxId, InboxRow, RoundRecord, SlotProgress, SlotState, TurnSettings, Wish,
};
use tertulia_core::transaction::{DropReason, UsageRow};
use tertulia_message::path::InterfacePath;
use tertulia_message::{Account, PersonId, SlotId};
use tertulia_ports::StoreError;

use super::refused;

/// Where an accepted row stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowState {
    /// It waits.
    New,
    /// A turn is at work on it.
    Taken,
    /// It was answered.
    Done,
    /// It will not be answered.
    Dropped(DropReason),
}

#[derive(Debug, Clone, Default)]
pub(super) struct State {
    pub(super) marks: BTreeMap<(Account, String), Vec<u8>>,
    pub(super) conversations: BTreeMap<ConversationId, Conversation>,
    pub(super) last_conversation: i64,
    pub(super) inbox: BTreeMap<InboxId, KeptRow>,
    pub(super) turns: BTreeMap<InboxId, Turn>,
    pub(super) entries: Vec<Remembered>,
    pub(super) slots: BTreeMap<SlotId, KeptSlot>,
    pub(super) usage: Vec<UsageRow>,
    pub(super) preferences: Preferences,
    /// Only its permits are of use here.
    pub(super) access: Access,
    pub(super) greeted: BTreeMap<PersonId, i64>,
    /// Contents by their handles.
    pub(super) files: BTreeMap<String, Arc<[u8]>>,
    /// The keys of imported lines.
    pub(super) imported: BTreeSet<String>,
}

#[derive(Debug, Clone)]
pub(super) struct Conversation {
    pub(super) path: InterfacePath,
    pub(super) epoch: i64,
    pub(super) blocked: Option<String>,
}

#[derive(Debug, Clone)]
pub(super) struct KeptRow {
    pub(super) row: InboxRow,
    pub(super) state: RowState,
    pub(super) turn: Option<InboxId>,
}

#[derive(Debug, Clone)]
pub(super) struct Turn {
    pub(super) conversation: ConversationId,
    pub(super) epoch: i64,
    pub(super) attempt: u32,
    pub(super) boot: String,
    pub(super) settled: bool,
    /// `/retry` has put another in its place.
    pub(super) superseded: bool,
    pub(super) began_at: i64,
    pub(super) settings: TurnSettings,
    pub(super) partial: String,
    pub(super) rounds: BTreeMap<u32, RoundRecord>,
}

#[derive(Debug, Clone)]
pub(super) struct Remembered {
    pub(super) conversation: ConversationId,
    pub(super) epoch: i64,
    pub(super) turn: Option<InboxId>,
    /// The round of calls it belongs to.
    pub(super) round: Option<u32>,
    pub(super) entry: Entry,
    pub(super) live: bool,
    pub(super) at: i64,
    /// True if it comes from an older bot: then it stands before all others, by its time.
    pub(super) imported: bool,
}

#[derive(Debug, Clone)]
pub(super) struct KeptSlot {
    pub(super) conversation: ConversationId,
    pub(super) account: Account,
    pub(super) wish: Wish,
    pub(super) progress: SlotProgress,
    pub(super) expires_at: i64,
}

impl Remembered {
    /// Where it stands in its history, beside the order in which entries were made.
    pub(super) fn place(&self) -> (bool, i64) {
        (!self.imported, if self.imported { self.at } else { 0 })
    }
}

impl KeptSlot {
    /// True if there is something left to do for the courier.
    pub(super) fn is_due(&self) -> bool {
        let progress = &self.progress;
        progress.state != SlotState::Dead && (progress.got_rev < self.wish.rev || progress.state != SlotState::Idle)
    }
}

impl State {
    pub(super) fn row(&mut self, id: InboxId) -> Result<&mut KeptRow, StoreError> {
        self.inbox
            .get_mut(&id)
            .ok_or_else(|| refused(format!("there is no row {}", id.0)))
    }

    pub(super) fn turn(&mut self, trigger: InboxId) -> Result<&mut Turn, StoreError> {
        self.turns
            .get_mut(&trigger)
            .ok_or_else(|| refused(format!("row {} has no turn", trigger.0)))
    }

    pub(super) fn conversation_at(&mut self, path: &InterfacePath) -> ConversationId {
        if let Some((id, _)) = self.conversations.iter().find(|(_, known)| known.path == *path) {
            return *id;
        }
        self.last_conversation += 1;
        let id = ConversationId(self.last_conversation);
        self.conversations.insert(
            id,
            Conversation {
                path: path.clone(),
                epoch: 0,
                blocked: None,
            },
        );
        id
    }

    pub(super) fn is_open(&self, trigger: InboxId) -> bool {
        self.turns.get(&trigger).is_some_and(|turn| !turn.settled)
    }
}
