//! The store in memory, with moods.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use tertulia_core::record::{ConversationId, Slot, Work};
use tertulia_core::transaction::{AcceptTx, Accepted, Imported, ImportedLine, Transaction};
use tertulia_message::{Account, Mark};
use tertulia_ports::{
    ConversationFacts, ConversationQuery, Desk, Governed, HistoryLine, HistoryQuery, Restored, SlotQuery, Store,
    StoreError, TurnQuery, TurnRows, UsageSum,
};
use tertulia_testkit::fake_store::FakeStore;

/// How the store feels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mood {
    Well,
    /// Nothing can be done at the moment.
    Busy,
    /// Nothing can be done ever again.
    Broken,
    /// Refuses the progress of slots.
    Picky,
    /// Its writer never answers.
    Hung,
}

/// The store with its mood.
pub(crate) struct Moody {
    store: Arc<FakeStore>,
    mood: Mutex<Mood>,
    accept_takes: Mutex<Duration>,
    /// Transactions of this name take so long.
    slow: Mutex<(&'static str, Duration)>,
    /// So many transactions of this name are refused.
    refuses: Mutex<(&'static str, usize)>,
    written: Mutex<Vec<String>>,
    files_are_lost: Mutex<bool>,
}

impl Moody {
    pub(crate) fn new(store: Arc<FakeStore>) -> Self {
        Self {
            store,
            mood: Mutex::new(Mood::Well),
            accept_takes: Mutex::default(),
            slow: Mutex::default(),
            refuses: Mutex::default(),
            written: Mutex::default(),
            files_are_lost: Mutex::default(),
        }
    }

    pub(crate) fn feel(&self, mood: Mood) {
        *self.mood.lock().unwrap() = mood;
    }

    /// From now on acceptance returns so long after it is on disk.
    pub(crate) fn slow_accept(&self, takes: Duration) {
        *self.accept_takes.lock().unwrap() = takes;
    }

    /// From now on transactions of this name take so long.
    pub(crate) fn slow(&self, name: &'static str, takes: Duration) {
        *self.slow.lock().unwrap() = (name, takes);
    }

    /// So many of the next transactions of this name are refused.
    pub(crate) fn refuse(&self, name: &'static str, times: usize) {
        *self.refuses.lock().unwrap() = (name, times);
    }

    /// From now on no file is found.
    pub(crate) fn lose_files(&self) {
        *self.files_are_lost.lock().unwrap() = true;
    }

    fn refuses(&self, tx: &Transaction) -> bool {
        let (name, left) = &mut *self.refuses.lock().unwrap();
        let is_refused = tx.name() == *name && *left > 0;
        *left -= usize::from(is_refused);
        is_refused
    }

    /// Everything it was to write, in words.
    pub(crate) fn written(&self) -> Vec<String> {
        self.written.lock().unwrap().clone()
    }

    async fn to_write(&self, what: String) -> Result<(), StoreError> {
        self.written.lock().unwrap().push(what);
        if *self.mood.lock().unwrap() == Mood::Hung {
            std::future::pending::<()>().await;
        }
        self.check()
    }

    fn check(&self) -> Result<(), StoreError> {
        match *self.mood.lock().unwrap() {
            Mood::Well | Mood::Picky | Mood::Hung => Ok(()),
            Mood::Busy => Err(StoreError::Busy("the disk is full".into())),
            Mood::Broken => Err(StoreError::Broken("the file is damaged".into())),
        }
    }
}

#[async_trait]
impl Store for Moody {
    async fn accept(&self, tx: AcceptTx) -> Result<Vec<Accepted>, StoreError> {
        self.to_write(format!("{tx:?}")).await?;
        let accepted = self.store.accept(tx).await;
        let takes = *self.accept_takes.lock().unwrap();
        tokio::time::sleep(takes).await;
        accepted
    }

    async fn commit(&self, tx: Transaction) -> Result<(), StoreError> {
        self.to_write(format!("{tx:?}")).await?;
        let (name, takes) = *self.slow.lock().unwrap();
        if tx.name() == name {
            tokio::time::sleep(takes).await;
        }
        if self.refuses(&tx) {
            return Err(StoreError::Refused("as the test wants".to_owned()));
        }
        let picky = *self.mood.lock().unwrap() == Mood::Picky;
        if picky && matches!(tx, Transaction::Progress { .. }) {
            return Err(StoreError::Refused("as the test wants".to_owned()));
        }
        self.store.commit(tx).await
    }

    async fn next_work(&self, conversation: ConversationId, entries: u32) -> Result<Option<Work>, StoreError> {
        self.check()?;
        self.store.next_work(conversation, entries).await
    }

    async fn restore(&self) -> Result<Restored, StoreError> {
        self.check()?;
        self.store.restore().await
    }

    async fn marks(&self, account: &Account, prefix: &str) -> Result<Vec<Mark>, StoreError> {
        self.check()?;
        self.store.marks(account, prefix).await
    }

    async fn import(&self, lines: Vec<ImportedLine>) -> Result<Imported, StoreError> {
        self.check()?;
        self.store.import(lines).await
    }
}

#[async_trait]
impl Desk for Moody {
    async fn governed(&self) -> Result<Governed, StoreError> {
        self.check()?;
        self.store.governed().await
    }

    async fn conversations(&self, query: &ConversationQuery) -> Result<Vec<ConversationFacts>, StoreError> {
        self.check()?;
        self.store.conversations(query).await
    }

    async fn turn(&self, query: &TurnQuery) -> Result<Option<TurnRows>, StoreError> {
        self.check()?;
        self.store.turn(query).await
    }

    async fn slots(&self, query: &SlotQuery) -> Result<Vec<Slot>, StoreError> {
        self.check()?;
        Desk::slots(&*self.store, query).await
    }

    async fn usage(&self, since: i64) -> Result<Vec<UsageSum>, StoreError> {
        self.check()?;
        Desk::usage(&*self.store, since).await
    }

    async fn history(&self, query: &HistoryQuery) -> Result<Vec<HistoryLine>, StoreError> {
        self.check()?;
        self.store.history(query).await
    }
}

#[async_trait]
impl tertulia_ports::Files for Moody {
    async fn keep_file(&self, content: Arc<[u8]>) -> Result<String, StoreError> {
        self.check()?;
        self.store.keep_file(content).await
    }

    async fn file(&self, handle: &str) -> Result<Option<Arc<[u8]>>, StoreError> {
        self.check()?;
        let is_lost = *self.files_are_lost.lock().unwrap();
        if is_lost {
            Ok(None)
        } else {
            self.store.file(handle).await
        }
    }
}
