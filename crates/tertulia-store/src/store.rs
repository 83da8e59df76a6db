//! The store: media first, then the writer; readers beside it.

mod files;

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use async_trait::async_trait;
use tertulia_core::record::{self, ConversationId, Slot};
use tertulia_core::transaction::{AcceptTx, Accepted, Imported, ImportedLine, Transaction};
use tertulia_message::{Account, Mark, Picture};
use tertulia_ports::{
    ConversationFacts, ConversationQuery, Desk, Governed, HistoryLine, HistoryQuery, Restored, SlotQuery, Store,
    StoreError, TurnQuery, TurnRows, UsageSum,
};
use tokio::sync::{mpsc, oneshot};

use crate::fault::Fault;
use crate::media::{self, Kept, Media};
use crate::open::{self, Clock, DATABASE, OpenError, Options};
use crate::read;
use crate::readers::Readers;
use crate::remains::Remains;
use crate::schema;
use crate::stop::OpenMark;
use crate::writer::{self, Answer, Command, Counters, Tally, Work};

/// So many lines are imported by one transaction, so that others get their turn in between.
const IMPORTED_AT_ONCE: usize = 500;

/// The store on SQLite. Dropping it waits until what it was given is written.
pub struct SqliteStore {
    commands: Option<mpsc::Sender<Command>>,
    thread: Mutex<Option<JoinHandle<()>>>,
    readers: Readers,
    media: Media,
    clock: Clock,
    tally: Arc<Tally>,
}

impl SqliteStore {
    /// Opens the database in a directory, or makes one, and brings it to the present schema.
    ///
    /// Only one store may have a directory open at a time; that is the caller's to see to.
    ///
    /// # Errors
    /// See [`OpenError`]; the database is then as it was before.
    pub fn open(directory: &Path, options: Options) -> Result<Self, OpenError> {
        open::private_directory(directory)?;
        let file = directory.join(DATABASE);
        let mut connection = open::writer(&file, &options)?;
        // Before a migration, which would make damage worse.
        let mark = OpenMark::set(&connection, directory)?;
        schema::migrate(&mut connection, directory)?;
        let media = Media::open(directory)?;
        let readers = Readers::open(&file, &options)?;
        let tally = Arc::new(Tally::default());
        let mut remains = Remains::new(directory, media.clone(), mark, options.patience);
        remains.sweep(&connection)?;
        remains.finish(&connection)?;
        let (commands, thread) = writer::start(connection, remains, options.clock.clone(), tally.clone())?;
        Ok(Self {
            commands: Some(commands),
            thread: Mutex::new(Some(thread)),
            readers,
            media,
            clock: options.clock,
            tally,
        })
    }

    /// How much was committed, and how often that cost an fsync.
    #[must_use]
    pub fn counters(&self) -> Counters {
        self.tally.read()
    }

    /// Writes what it was given, empties the log, and ends; every later call is `Broken`.
    pub async fn close(&self) {
        self.readers.close();
        let (answer, closed) = oneshot::channel();
        if let Some(commands) = &self.commands
            && commands.send(Command::Close(answer)).await.is_ok()
        {
            // An error means that it had ended before.
            let _ = closed.await;
        }
        self.join();
    }

    async fn ask<T>(&self, work: impl FnOnce(Answer<T>) -> Work) -> Result<T, StoreError> {
        let (answer, result) = oneshot::channel();
        let commands = self.commands.as_ref().ok_or(Fault::Closed)?;
        let command = Command::Write(Box::new(work(answer)));
        commands.send(command).await.map_err(|_| Fault::Closed)?;
        result.await.map_err(|_| Fault::Closed)?
    }

    /// Pictures are on disk before the rows that name them.
    async fn keep(&self, pictures: Vec<Picture>) -> Result<Kept, Fault> {
        if pictures.is_empty() {
            return Ok(Kept::default());
        }
        let media = self.media.clone();
        let task = tokio::task::spawn_blocking(move || media.keep(&pictures));
        Ok(task.await.map_err(|error| Fault::Damaged(Arc::new(error)))??)
    }

    fn join(&self) {
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if thread.is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the store's writer ended by a panic");
        }
    }
}

impl Drop for SqliteStore {
    fn drop(&mut self) {
        self.readers.close();
        self.commands = None;
        self.join();
    }
}

#[async_trait]
impl Store for SqliteStore {
    async fn accept(&self, tx: AcceptTx) -> Result<Vec<Accepted>, StoreError> {
        let media = self.keep(media::of_events(&tx.events)).await?;
        self.ask(|answer| Work::Accept(tx, media, answer)).await
    }

    async fn commit(&self, tx: Transaction) -> Result<(), StoreError> {
        let media = self.keep(media::of_transaction(&tx)).await?;
        self.ask(|answer| Work::Commit(tx, media, answer)).await
    }

    async fn next_work(&self, conversation: ConversationId, entries: u32) -> Result<Option<record::Work>, StoreError> {
        let (media, now) = (self.media.clone(), (self.clock)());
        Ok(self
            .readers
            .read(move |db| read::next_work(db, conversation, entries, &media, now))
            .await?)
    }

    async fn restore(&self) -> Result<Restored, StoreError> {
        let (media, now) = (self.media.clone(), (self.clock)());
        Ok(self.readers.read(move |db| read::restore(db, &media, now)).await?)
    }

    async fn marks(&self, account: &Account, prefix: &str) -> Result<Vec<Mark>, StoreError> {
        let (account, prefix) = (account.clone(), prefix.to_owned());
        Ok(self.readers.read(move |db| read::marks(db, &account, &prefix)).await?)
    }

    async fn import(&self, lines: Vec<ImportedLine>) -> Result<Imported, StoreError> {
        let mut told = Imported::default();
        for lines in lines.chunks(IMPORTED_AT_ONCE) {
            let lines = lines.to_vec();
            let part = self.ask(|answer| Work::Import(lines, answer)).await?;
            told.added += part.added;
            told.known += part.known;
        }
        Ok(told)
    }
}

#[async_trait]
impl Desk for SqliteStore {
    async fn governed(&self) -> Result<Governed, StoreError> {
        Ok(self.readers.read(|db| read::governed(db)).await?)
    }

    async fn conversations(&self, query: &ConversationQuery) -> Result<Vec<ConversationFacts>, StoreError> {
        let query = query.clone();
        Ok(self.readers.read(move |db| read::conversations(db, &query)).await?)
    }

    async fn turn(&self, query: &TurnQuery) -> Result<Option<TurnRows>, StoreError> {
        let (query, media, now) = (*query, self.media.clone(), (self.clock)());
        Ok(self.readers.read(move |db| read::turn(db, query, &media, now)).await?)
    }

    async fn slots(&self, query: &SlotQuery) -> Result<Vec<Slot>, StoreError> {
        let (query, now) = (query.clone(), (self.clock)());
        Ok(self.readers.read(move |db| read::letters(db, &query, now)).await?)
    }

    async fn usage(&self, since: i64) -> Result<Vec<UsageSum>, StoreError> {
        Ok(self.readers.read(move |db| read::usage(db, since)).await?)
    }

    async fn history(&self, query: &HistoryQuery) -> Result<Vec<HistoryLine>, StoreError> {
        let query = query.clone();
        Ok(self.readers.read(move |db| read::history(db, &query)).await?)
    }
}
