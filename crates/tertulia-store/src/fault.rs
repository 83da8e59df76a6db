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

    /// True if nothing more may be written: after a failed fsync nobody knows what is on disk.
    ///
    /// A single row that cannot be read is not: it must not stop the others.
    pub(crate) fn is_final(&self) -> bool {
        let Self::Sqlite(error) = self else { return false };
        matches!(
            error.sqlite_error_code(),
            Some(
                ErrorCode::SystemIoFailure
                    | ErrorCode::DatabaseCorrupt
                    | ErrorCode::NotADatabase
                    | ErrorCode::ReadOnly
                    | ErrorCode::CannotOpen
            )
        )
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

#[cfg(test)]
mod tests {
    use rusqlite::ffi;

    use super::*;

    #[track_caller]
    fn check(code: i32, expected: &str, is_final: bool) {
        let fault = Fault::from(rusqlite::Error::SqliteFailure(ffi::Error::new(code), None));
        assert_eq!(fault.is_final(), is_final);
        let told = match StoreError::from(fault) {
            StoreError::Busy(_) => "busy",
            StoreError::Broken(_) => "broken",
            StoreError::Refused(_) => "refused",
        };
        assert_eq!(told, expected);
    }

    #[test]
    fn what_passes_is_busy_and_what_stays_is_broken() {
        check(ffi::SQLITE_FULL, "busy", false);
        check(ffi::SQLITE_BUSY_SNAPSHOT, "busy", false);
        check(ffi::SQLITE_NOMEM, "busy", false);
        check(ffi::SQLITE_CONSTRAINT_UNIQUE, "refused", false);
        check(ffi::SQLITE_IOERR_FSYNC, "broken", true);
        check(ffi::SQLITE_CORRUPT, "broken", true);
        check(ffi::SQLITE_READONLY, "broken", true);
        check(ffi::SQLITE_ERROR, "broken", false);
    }

    #[test]
    fn a_row_that_cannot_be_read_does_not_end_the_store() {
        let fault = Fault::from(rusqlite::Error::InvalidQuery);
        assert!(!fault.is_final());
        assert!(matches!(StoreError::from(fault), StoreError::Broken(_)));
        let full = Fault::from(io::Error::from(io::ErrorKind::StorageFull));
        assert!(matches!(StoreError::from(full), StoreError::Busy(_)));
    }
}
