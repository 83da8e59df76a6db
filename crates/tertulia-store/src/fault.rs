//! Why a command failed, and what the caller is told.

use std::io;
use std::sync::Arc;

use rusqlite::ErrorCode;
use tertulia_message::path::PathError;
use tertulia_ports::StoreError;

/// Why a command failed; can be told to every caller of a batch.
#[derive(Debug, Clone)]
pub(crate) enum Fault {
    /// It contradicts what is stored.
    Refused(String),
    /// SQLite failed.
    Sqlite(Arc<rusqlite::Error>),
    /// A file of ours could not be written.
    File(Arc<io::Error>),
    /// A row cannot be read.
    Damaged(Arc<dyn std::error::Error + Send + Sync>),
    /// The store was closed.
    Closed,
}

#[derive(Debug, thiserror::Error)]
#[error("the store is closed")]
struct Closed;

#[derive(Debug, thiserror::Error)]
#[error("{0} cannot be read")]
struct Unreadable(&'static str);

impl Fault {
    pub(crate) fn refused(why: impl Into<String>) -> Self {
        Self::Refused(why.into())
    }

    pub(crate) fn unreadable(what: &'static str) -> Self {
        Self::Damaged(Arc::new(Unreadable(what)))
    }

    /// True if nothing more can be written: after a failed fsync nobody knows what is on disk.
    pub(crate) fn is_final(&self) -> bool {
        matches!(self, Self::Sqlite(_)) && matches!(self.clone().into(), StoreError::Broken(_))
    }
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(Arc::new(error))
    }
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self::File(Arc::new(error))
    }
}

impl From<serde_json::Error> for Fault {
    fn from(error: serde_json::Error) -> Self {
        Self::Damaged(Arc::new(error))
    }
}

impl From<PathError> for Fault {
    fn from(error: PathError) -> Self {
        Self::Damaged(Arc::new(error))
    }
}

impl From<Fault> for StoreError {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Refused(why) => Self::Refused(why),
            Fault::Sqlite(error) => match error.sqlite_error_code() {
                Some(
                    ErrorCode::DiskFull
                    | ErrorCode::DatabaseBusy
                    | ErrorCode::DatabaseLocked
                    | ErrorCode::OutOfMemory
                    | ErrorCode::OperationInterrupted,
                ) => Self::Busy(Box::new(error)),
                Some(ErrorCode::ConstraintViolation) => Self::Refused(error.to_string()),
                _ => Self::Broken(Box::new(error)),
            },
            Fault::File(error) => match error.kind() {
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::Busy(Box::new(error)),
                _ => Self::Broken(Box::new(error)),
            },
            Fault::Damaged(error) => Self::Broken(Box::new(error)),
            Fault::Closed => Self::Broken(Box::new(Closed)),
        }
    }
}
