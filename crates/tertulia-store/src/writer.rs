//! The thread that owns the only connection that writes.
//!
//! What waits is committed together: one fsync for all, answered after it. A command that fails is rolled back alone.

mod batch;
mod counters;

use std::io;
use std::thread::{Builder, JoinHandle};

use rusqlite::Connection;
use tertulia_core::transaction::{AcceptTx, Accepted, Imported, ImportedLine, Transaction};
use tertulia_ports::StoreError;
use tokio::sync::{mpsc, oneshot};

use crate::fault::Fault;
use crate::media::Kept;
use crate::open::Clock;
use crate::remains::Remains;
use batch::Batcher;
pub use counters::Counters;
pub(crate) use counters::Tally;

/// How many commands may wait; callers beyond wait for a place.
const QUEUE: usize = 1024;

/// How many commands one commit takes at most.
const BATCH: usize = 256;

/// What the writer can be asked for.
pub(crate) enum Command {
    /// Write.
    Write(Box<Work>),
    /// End after everything that was asked for before.
    Close(oneshot::Sender<()>),
}

/// What is to be written, with the rows of pictures that are on disk already.
pub(crate) enum Work {
    /// Transaction A.
    Accept(AcceptTx, Kept, Answer<Vec<Accepted>>),
    /// Any other one.
    Commit(Transaction, Kept, Answer<()>),
    /// Lines of an older bot's history.
    Import(Vec<ImportedLine>, Answer<Imported>),
}

/// Where an answer goes; nobody may be waiting any more.
pub(crate) type Answer<T> = oneshot::Sender<Result<T, StoreError>>;

/// Starts the thread. It ends when asked to, or when nobody can ask any more.
pub(crate) fn start(
    connection: Connection,
    remains: Remains,
    clock: Clock,
    tally: std::sync::Arc<Tally>,
) -> io::Result<(mpsc::Sender<Command>, JoinHandle<()>)> {
    let (sender, receiver) = mpsc::channel(QUEUE);
    let batcher = Batcher::new(connection, remains, clock, tally);
    let thread = Builder::new()
        .name("store-writer".to_owned())
        .spawn(move || run(batcher, receiver))?;
    Ok((sender, thread))
}

fn run(mut batcher: Batcher, mut receiver: mpsc::Receiver<Command>) {
    let mut closers = Vec::new();
    while let Some(first) = receiver.blocking_recv() {
        let mut batch = Vec::new();
        let mut next = Some(first);
        while let Some(command) = next {
            match command {
                Command::Close(answer) => {
                    closers.push(answer);
                    receiver.close();
                }
                Command::Write(work) => batch.push(*work),
            }
            next = if batch.len() < BATCH {
                receiver.try_recv().ok()
            } else {
                None
            };
        }
        batcher.perform(batch);
    }
    batcher.close();
    for closer in closers {
        // Who asked may have gone.
        let _ = closer.send(());
    }
}

fn tell<T>(answer: Answer<T>, result: Result<T, Fault>) {
    // Who asked may have gone; what was committed stays.
    let _ = answer.send(result.map_err(StoreError::from));
}
