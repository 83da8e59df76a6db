//! A store in memory: the oracle for simulations, and the double for tests of everything above the port.

mod accept;
mod change;
mod desk;
mod files;
mod forget;
mod import;
mod moved;
mod read;
mod slots;
mod state;
mod turns;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use tertulia_core::record::{ConversationId, InboxId, Slot, Work};
use tertulia_core::transaction::{AcceptTx, Accepted, DropReason, Imported, ImportedLine, Transaction, UsageRow};
use tertulia_message::{Account, Mark};
use tertulia_ports::{
    ConversationFacts, ConversationQuery, Desk, Governed, HistoryLine, HistoryQuery, Restored, SlotQuery, Store,
    StoreError, TurnQuery, TurnRows, UsageSum,
};

pub use state::RowState;
use state::State;

/// Gives the wall clock, in milliseconds since 1970.
pub type Clock = Arc<dyn Fn() -> i64 + Send + Sync>;

/// A store in memory. It keeps everything until it is dropped: keeping it while everything above is dropped
/// is a crash of the process.
pub struct FakeStore {
    state: Mutex<State>,
    clock: Clock,
}

impl FakeStore {
    /// An empty store whose clock stands at 0.
    #[must_use]
    pub fn new() -> Self {
        Self::with_clock(Arc::new(|| 0))
    }

    /// An empty store with this clock; it decides only when reply tokens are too old.
    #[must_use]
    pub fn with_clock(clock: Clock) -> Self {
        Self {
            state: Mutex::default(),
            clock,
        }
    }

    /// Every slot there is, also those with nothing left to do, by identity.
    #[must_use]
    pub fn slots(&self) -> Vec<Slot> {
        self.lock().all_slots((self.clock)())
    }

    /// Every row with its state, oldest first.
    #[must_use]
    pub fn row_states(&self) -> Vec<(InboxId, RowState)> {
        self.lock().inbox.iter().map(|(id, row)| (*id, row.state)).collect()
    }

    /// Everything that was spent.
    #[must_use]
    pub fn usage(&self) -> Vec<UsageRow> {
        self.lock().usage.clone()
    }

    /// Why a conversation is blocked, if it is.
    #[must_use]
    pub fn blocked(&self, conversation: ConversationId) -> Option<String> {
        self.lock()
            .conversations
            .get(&conversation)
            .and_then(|known| known.blocked.clone())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Works on a copy, so that a refused transaction leaves nothing behind.
    fn atomically<T>(&self, change: impl FnOnce(&mut State) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let mut guard = self.lock();
        let mut copy = guard.clone();
        let answer = change(&mut copy)?;
        *guard = copy;
        Ok(answer)
    }
}

impl Default for FakeStore {
    fn default() -> Self {
        Self::new()
    }
}

#[async_trait]
impl Store for FakeStore {
    async fn accept(&self, tx: AcceptTx) -> Result<Vec<Accepted>, StoreError> {
        self.atomically(|state| Ok(state.accept(tx)))
    }

    async fn commit(&self, tx: Transaction) -> Result<(), StoreError> {
        self.atomically(|state| perform(state, tx))
    }

    async fn next_work(&self, conversation: ConversationId, entries: u32) -> Result<Option<Work>, StoreError> {
        Ok(self.lock().next_work(conversation, entries, (self.clock)()))
    }

    async fn restore(&self) -> Result<Restored, StoreError> {
        Ok(self.lock().restore((self.clock)()))
    }

    async fn marks(&self, account: &Account, prefix: &str) -> Result<Vec<Mark>, StoreError> {
        Ok(self.lock().marks(account, prefix))
    }

    async fn import(&self, lines: Vec<ImportedLine>) -> Result<Imported, StoreError> {
        self.atomically(|state| Ok(state.import(lines)))
    }
}

#[async_trait]
impl Desk for FakeStore {
    async fn governed(&self) -> Result<Governed, StoreError> {
        Ok(self.lock().governed())
    }

    async fn conversations(&self, query: &ConversationQuery) -> Result<Vec<ConversationFacts>, StoreError> {
        Ok(self.lock().facts(query))
    }

    async fn turn(&self, query: &TurnQuery) -> Result<Option<TurnRows>, StoreError> {
        Ok(self.lock().turn_rows(query, (self.clock)()))
    }

    async fn slots(&self, query: &SlotQuery) -> Result<Vec<Slot>, StoreError> {
        Ok(self.lock().slots_of(query, (self.clock)()))
    }

    async fn usage(&self, since: i64) -> Result<Vec<UsageSum>, StoreError> {
        Ok(self.lock().usage_sums(since))
    }

    async fn history(&self, query: &HistoryQuery) -> Result<Vec<HistoryLine>, StoreError> {
        Ok(self.lock().history(query))
    }
}

fn perform(state: &mut State, tx: Transaction) -> Result<(), StoreError> {
    match tx {
        Transaction::Begin(begin) => state.begin(begin),
        Transaction::Again { trigger, attempt, boot } => state.again(trigger, attempt, boot),
        Transaction::Checkpoint { trigger, partial } => state.checkpoint(trigger, partial),
        Transaction::ToolsStarted {
            trigger,
            attempt,
            round,
            assistant,
            runs,
        } => state.tools_started(trigger, attempt, round, assistant, runs),
        Transaction::ToolDone {
            trigger,
            attempt,
            round,
            result,
            said,
            ..
        } => state.tool_done(trigger, attempt, round, result, said.map(|said| *said)),
        Transaction::OpenSlot { closed, open } => state.open_slot(closed, *open),
        Transaction::Settle(settle) => state.settle(*settle),
        Transaction::Reply {
            trigger,
            slots,
            changes,
        } => state.reply(trigger, slots, changes),
        Transaction::Retry {
            trigger,
            body,
            supersedes,
        } => state.retry(trigger, *body, supersedes),
        Transaction::Greeted { person, now } => {
            state.greet(person, now);
            Ok(())
        }
        Transaction::Notice { slots } => state.put_slots(slots),
        Transaction::Drop { rows, why } => drop_rows(state, &rows, why),
        Transaction::Progress { slot, progress, .. } => state.progress(slot, progress),
        Transaction::Split {
            slot,
            wish,
            progress,
            rest,
        } => state.split(slot, wish, progress, rest),
        Transaction::Block {
            slot, progress, why, ..
        } => state.block(slot, progress, why),
        Transaction::Moved { from, to } => state.moved(&from, &to),
        Transaction::Spent(row) => {
            state.spend(row);
            Ok(())
        }
    }
}

fn drop_rows(state: &mut State, rows: &[InboxId], why: DropReason) -> Result<(), StoreError> {
    for id in rows {
        let row = state.row(*id)?;
        if row.state == RowState::New {
            row.state = RowState::Dropped(why);
        }
    }
    Ok(())
}

fn no_such_conversation() -> StoreError {
    refused("there is no such conversation")
}

fn refused(why: impl Into<String>) -> StoreError {
    StoreError::Refused(why.into())
}
