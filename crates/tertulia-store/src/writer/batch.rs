//! One batch: begin, perform each command under a savepoint, commit, answer.

use std::sync::Arc;

use rusqlite::Connection;
use tertulia_core::transaction::{Accepted, Durability, Imported};

use super::{Answer, Tally, Work, tell};
use crate::fault::Fault;
use crate::open::Clock;
use crate::remains::Remains;
use crate::write::{self, Aftermath};

/// How often reply tokens that are too old are looked for.
const SWEEP_EVERY_MS: i64 = 60_000;

/// A command with what became of it; it waits for its commit.
enum Performed {
    Accept(Answer<Vec<Accepted>>, Result<Vec<Accepted>, Fault>),
    Commit(Answer<()>, Result<(), Fault>),
    Import(Answer<Imported>, Result<Imported, Fault>),
}

/// Performs batches on the write connection.
pub(super) struct Batcher {
    connection: Connection,
    remains: Remains,
    aftermath: Aftermath,
    clock: Clock,
    tally: Arc<Tally>,
    synchronous: Durability,
    next_sweep: i64,
    broken: Option<Fault>,
}

impl Batcher {
    pub(super) fn new(connection: Connection, remains: Remains, clock: Clock, tally: Arc<Tally>) -> Self {
        Self {
            connection,
            remains,
            aftermath: Aftermath::default(),
            clock,
            tally,
            synchronous: Durability::Full,
            next_sweep: i64::MIN,
            broken: None,
        }
    }

    /// Performs a batch, in order, and answers every command.
    pub(super) fn perform(&mut self, batch: Vec<Work>) {
        if batch.is_empty() {
            return;
        }
        let answers = match &self.broken {
            Some(fault) => batch.into_iter().map(|work| work.failed(fault)).collect(),
            None => self.transact(batch),
        };
        for answer in answers {
            answer.send();
        }
    }

    /// Leaves everything in the main file, so that the log is empty when the database is copied.
    pub(super) fn close(self) {
        let checkpoint = self
            .connection
            .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0));
        match checkpoint {
            Ok(0) if self.broken.is_none() => self.remains.closed(),
            Ok(_) => {}
            Err(error) => tracing::warn!(%error, "the last checkpoint failed; the log is read at the next start"),
        }
    }

    fn transact(&mut self, batch: Vec<Work>) -> Vec<Performed> {
        let durability = durability(&batch);
        let alone = batch.len() == 1;
        let mut performed = Vec::with_capacity(batch.len());
        let mut ended = self.begin(durability);
        for work in batch {
            match &ended {
                Ok(()) => {
                    let done = self.one(work, alone);
                    ended = done.1;
                    performed.push(done.0);
                }
                Err(fault) => performed.push(work.failed(fault)),
            }
        }
        let ended = ended.and_then(|()| self.commit());
        let aftermath = std::mem::take(&mut self.aftermath);
        if let Err(fault) = ended {
            self.note(&fault);
            return performed.into_iter().map(|done| done.lost(&fault)).collect();
        }
        let commands = performed.iter().filter(|done| done.failure().is_none()).count();
        self.tally.count(commands, durability);
        self.remains.clear(&self.connection, aftermath);
        performed
    }

    fn begin(&mut self, durability: Durability) -> Result<(), Fault> {
        if self.synchronous != durability {
            let word = match durability {
                Durability::Full => "FULL",
                Durability::Normal => "NORMAL",
            };
            self.connection.pragma_update(None, "synchronous", word)?;
            self.synchronous = durability;
        }
        self.execute("BEGIN IMMEDIATE")
    }

    /// Performs one command. The second value is an error if the whole transaction is lost with it.
    fn one(&mut self, work: Work, alone: bool) -> (Performed, Result<(), Fault>) {
        if let (false, Err(fault)) = (alone, self.execute("SAVEPOINT command")) {
            return (work.failed(&fault), Err(fault));
        }
        let now = (self.clock)();
        let performed = match work {
            Work::Accept(tx, media, answer) => {
                Performed::Accept(answer, write::accept(&self.connection, tx, media.rows(), now))
            }
            Work::Commit(tx, media, answer) => {
                let result = write::commit(&self.connection, tx, media.rows(), now, &mut self.aftermath);
                Performed::Commit(answer, result)
            }
            Work::Import(lines, answer) => Performed::Import(answer, write::import(&self.connection, lines)),
        };
        let transaction = match performed.failure().cloned() {
            None if alone => Ok(()),
            None => self.execute("RELEASE command"),
            // A full disk or a failed write may have rolled back everything already.
            Some(fault) if alone || fault.is_final() || self.connection.is_autocommit() => Err(fault),
            Some(_) => self
                .execute("ROLLBACK TO command")
                .and_then(|()| self.execute("RELEASE command")),
        };
        (performed, transaction)
    }

    fn commit(&mut self) -> Result<(), Fault> {
        let now = (self.clock)();
        if now >= self.next_sweep {
            write::forget_tokens(&self.connection, now)?;
            self.next_sweep = now.saturating_add(SWEEP_EVERY_MS);
            self.remains.watch_log();
        }
        self.execute("COMMIT")
    }

    /// Rolls back what is left of a batch; remembers a fault after which nothing may be written any more.
    fn note(&mut self, fault: &Fault) {
        if !self.connection.is_autocommit()
            && let Err(error) = self.connection.execute_batch("ROLLBACK")
        {
            tracing::error!(%error, "a failed transaction could not be rolled back");
            self.broken = Some(error.into());
        }
        if fault.is_final() {
            tracing::error!(?fault, "the store is broken");
            self.broken = Some(fault.clone());
        }
    }

    fn execute(&self, sql: &str) -> Result<(), Fault> {
        self.connection.prepare_cached(sql)?.execute([])?;
        Ok(())
    }
}

fn durability(batch: &[Work]) -> Durability {
    let normal = batch.iter().all(|work| match work {
        Work::Commit(tx, ..) => tx.durability() == Durability::Normal,
        Work::Accept(..) | Work::Import(..) => false,
    });
    if normal { Durability::Normal } else { Durability::Full }
}

impl Work {
    fn failed(self, fault: &Fault) -> Performed {
        match self {
            Self::Accept(_, _, answer) => Performed::Accept(answer, Err(fault.clone())),
            Self::Commit(_, _, answer) => Performed::Commit(answer, Err(fault.clone())),
            Self::Import(_, answer) => Performed::Import(answer, Err(fault.clone())),
        }
    }
}

impl Performed {
    fn failure(&self) -> Option<&Fault> {
        match self {
            Self::Accept(_, result) => result.as_ref().err(),
            Self::Commit(_, result) => result.as_ref().err(),
            Self::Import(_, result) => result.as_ref().err(),
        }
    }

    /// The batch was not committed: what failed by itself keeps its own reason.
    fn lost(self, fault: &Fault) -> Self {
        match self {
            Self::Accept(answer, Ok(_)) => Self::Accept(answer, Err(fault.clone())),
            Self::Commit(answer, Ok(())) => Self::Commit(answer, Err(fault.clone())),
            Self::Import(answer, Ok(_)) => Self::Import(answer, Err(fault.clone())),
            failed => failed,
        }
    }

    fn send(self) {
        match self {
            Self::Accept(answer, result) => tell(answer, result),
            Self::Commit(answer, result) => tell(answer, result),
            Self::Import(answer, result) => tell(answer, result),
        }
    }
}
