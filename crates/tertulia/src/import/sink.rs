//! Where converted lines go: through the running daemon, or, where none runs, into its database.

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::Arc;

use tertulia_core::transaction::ImportedLine;
use tertulia_ports::Store as _;
use tertulia_store::{Options, SqliteStore};
use tokio::runtime::Runtime;

use super::report::Report;
use crate::config::{Configuration, Sources};
use crate::control::client::{Client, Whereabouts};
use crate::control::{Line, Sums, own_user};
use crate::environment::Environment;
use crate::failure::{Failure, chain};
use crate::lock::{self, Lock};

/// The most lines at once: short enough that the daemon's writer is soon free again.
const LINES: usize = 500;

/// The most bytes at once, so that a batch is a request.
const BYTES: usize = 900 << 10;

/// Where lines go.
pub(super) enum Sink {
    /// Through the running daemon.
    Daemon(Box<Client>),
    /// Into the database, which is ours alone.
    Store(Box<Own>),
}

/// A database of our own.
pub(super) struct Own {
    runtime: Runtime,
    store: SqliteStore,
    _lock: Lock,
}

impl Sink {
    /// The running daemon if there is one, else the database.
    pub(super) fn open(whereabouts: &Whereabouts, environment: &Environment) -> Result<Self, Failure> {
        let missing = match Client::connect(whereabouts, environment) {
            Ok(client) => return Ok(Self::Daemon(Box::new(client))),
            Err(failure) if failure.is_unavailable() && whereabouts.socket.is_none() => failure,
            Err(failure) => return Err(failure),
        };
        let sources = Sources {
            file: whereabouts.config.clone(),
            port: None,
        };
        let glance =
            Configuration::glance(&sources, environment).map_err(|error| Failure::config(error.to_string()))?;
        Own::open(&glance.directory, &missing).map(|own| Self::Store(Box::new(own)))
    }

    /// Takes in all lines, in batches.
    pub(super) fn import(mut self, lines: Vec<ImportedLine>, report: &mut Report) -> Result<(), Failure> {
        let mut batch = Vec::new();
        let mut weight = 0;
        for line in lines {
            let own = Line::from(line.clone()).weight() + 1;
            if batch.len() == LINES || weight + own > BYTES {
                self.take(std::mem::take(&mut batch), &mut report.sums)?;
                weight = 0;
            }
            weight += own;
            batch.push(line);
        }
        if !batch.is_empty() {
            self.take(batch, &mut report.sums)?;
        }
        if let Self::Store(own) = self {
            own.runtime.block_on(own.store.close());
        }
        Ok(())
    }

    fn take(&mut self, batch: Vec<ImportedLine>, sums: &mut Sums) -> Result<(), Failure> {
        let taken = match self {
            Self::Daemon(client) => client.import(batch.into_iter().map(Line::from).collect()),
            Self::Store(own) => own.import(batch),
        };
        let taken = taken.map_err(|failure| {
            let done = sums.added;
            Failure::broken(format!(
                "{failure}; {done} lines were added before, and running it again adds the others"
            ))
        })?;
        sums.added += taken.added;
        sums.known += taken.known;
        Ok(())
    }
}

impl Own {
    fn open(directory: &Path, missing: &Failure) -> Result<Self, Failure> {
        let broken = |problem: String| Failure::broken(problem);
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build();
        let runtime = runtime.map_err(|error| broken(format!("the runtime could not be started: {error}")))?;
        runtime.block_on(async { owned(directory) })?;
        let lock = lock::take(directory).map_err(|failure| {
            if failure.is_busy() {
                Failure::busy(format!("{failure}, but {missing}"))
            } else {
                failure
            }
        })?;
        let clock = Arc::new(|| jiff::Timestamp::now().as_millisecond());
        let store = SqliteStore::open(directory, Options::new(clock)).map_err(|error| {
            let shown = directory.display();
            broken(format!("the database in {shown} (store.directory): {}", chain(&error)))
        })?;
        Ok(Self {
            runtime,
            store,
            _lock: lock,
        })
    }

    fn import(&self, batch: Vec<ImportedLine>) -> Result<Sums, Failure> {
        let taken = self.runtime.block_on(self.store.import(batch));
        taken.map(Sums::from).map_err(|error| Failure::broken(chain(&error)))
    }
}

/// Files that another user makes in the state directory could not be written by the daemon.
fn owned(directory: &Path) -> Result<(), Failure> {
    let Ok(found) = std::fs::metadata(directory) else {
        return Ok(());
    };
    let own = own_user().map_err(|error| Failure::broken(format!("nobody knows which user this is: {error}")))?;
    if found.uid() == own {
        return Ok(());
    }
    let (shown, owner) = (directory.display(), found.uid());
    Err(Failure::not_permitted(format!(
        "the state directory {shown} belongs to user {owner}: start the daemon first, which takes the lines in, or run this \
         as that user"
    )))
}
