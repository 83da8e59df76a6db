//! How a database is opened.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

/// The name of the database file in its directory.
pub const DATABASE: &str = "tertulia.db";

/// Gives the wall clock, in milliseconds since 1970.
pub type Clock = Arc<dyn Fn() -> i64 + Send + Sync>;

/// How to open a store.
#[derive(Clone)]
pub struct Options {
    /// Decides when reply tokens are too old.
    pub clock: Clock,
    /// How long to wait for a database that another process has locked; then the answer is `Busy`. 5 s by default.
    pub patience: Duration,
    /// The largest size of the database, in pages of 4096 bytes; beyond it the answer is `Busy`. No limit by default.
    pub max_pages: Option<u32>,
}

impl Options {
    /// The defaults, with this clock.
    #[must_use]
    pub fn new(clock: Clock) -> Self {
        Self {
            clock,
            patience: Duration::from_secs(5),
            max_pages: None,
        }
    }
}

/// Why a store could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// A newer version wrote it, and says that this one cannot read it.
    #[error("the database has schema {found}, this version knows schema {known}")]
    TooNew {
        /// The newest migration that was applied.
        found: i32,
        /// The newest migration that this version knows.
        known: i32,
    },
    /// A migration that was applied is not the one that this version knows under its number.
    #[error("migration {0} of the database is not the one of this version")]
    Edited(i32),
    /// A file cannot be read or written: permissions, a full disk, a missing directory.
    #[error("the database's files cannot be used")]
    Io(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// Another process has locked the database.
    #[error("the database is locked")]
    Locked(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The file is damaged, or is no database.
    #[error("the database is damaged")]
    Corrupt(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// SQLite does not do what durability needs.
    #[error("the database cannot be made durable: {0}")]
    NotDurable(&'static str),
    /// A migration failed; the database is as it was before.
    #[error("the database cannot be migrated")]
    Migration(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl From<io::Error> for OpenError {
    fn from(error: io::Error) -> Self {
        Self::Io(Box::new(error))
    }
}

impl From<rusqlite::Error> for OpenError {
    fn from(error: rusqlite::Error) -> Self {
        let source = Box::new(error);
        match source.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Locked(source),
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Self::Corrupt(source),
            Some(
                ErrorCode::CannotOpen
                | ErrorCode::PermissionDenied
                | ErrorCode::ReadOnly
                | ErrorCode::DiskFull
                | ErrorCode::SystemIoFailure,
            ) => Self::Io(source),
            _ => Self::Migration(source),
        }
    }
}

/// Makes a directory, with those above it, that nobody else may look into; one that is there stays as it is.
pub(crate) fn private_directory(directory: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(directory)
}

/// Makes an empty file that nobody else may read; one that is there stays as it is. SQLite gives its log the same rights.
pub(crate) fn private_file(file: &Path) -> io::Result<()> {
    fs::OpenOptions::new()
        .create(true)
        .append(true)
        .mode(0o600)
        .open(file)?;
    Ok(())
}

/// The one connection that writes and checkpoints.
pub(crate) fn writer(file: &Path, options: &Options) -> Result<Connection, OpenError> {
    private_file(file)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(file, flags)?;
    connection.busy_timeout(options.patience)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    // Only counts while there is no table yet.
    connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
    let mode: String = connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0))?;
    if mode != "wal" {
        return Err(OpenError::NotDurable("the write-ahead log cannot be used here"));
    }
    // What is forgotten is overwritten, and not only given free.
    let secure: i64 = connection.pragma_update_and_check(None, "secure_delete", true, |row| row.get(0))?;
    if secure != 1 {
        return Err(OpenError::NotDurable("what is deleted would not be overwritten"));
    }
    connection.pragma_update(None, "synchronous", "FULL")?;
    let synchronous: i64 = connection.pragma_query_value(None, "synchronous", |row| row.get(0))?;
    if synchronous != 2 {
        return Err(OpenError::NotDurable("synchronous is not FULL"));
    }
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    connection.pragma_update(None, "mmap_size", 0)?;
    connection.pragma_update(None, "journal_size_limit", 64 * 1024 * 1024)?;
    connection.pragma_update(None, "wal_autocheckpoint", 1000)?;
    // 3 MiB at most: an idle daemon has 12 MiB for everything, and the pages of a turn are few and always the same.
    connection.pragma_update(None, "cache_size", -3072)?;
    if let Some(pages) = options.max_pages {
        connection.pragma_update_and_check(None, "max_page_count", pages, |_| Ok(()))?;
    }
    connection.set_prepared_statement_cache_capacity(64);
    Ok(connection)
}

/// A connection that cannot write, for a reader.
pub(crate) fn reader(file: &Path, options: &Options) -> Result<Connection, OpenError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(file, flags)?;
    connection.busy_timeout(options.patience)?;
    connection.pragma_update(None, "query_only", true)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.pragma_update(None, "mmap_size", 0)?;
    connection.pragma_update(None, "cache_size", -1024)?;
    connection.set_prepared_statement_cache_capacity(32);
    Ok(connection)
}

#[cfg(test)]
mod tests {
    use rusqlite::ffi;

    use super::*;

    #[test]
    fn what_stands_in_the_way_is_named() {
        let named =
            |code: i32| OpenError::from(rusqlite::Error::SqliteFailure(ffi::Error::new(code), None)).to_string();
        for code in [
            ffi::SQLITE_READONLY,
            ffi::SQLITE_READONLY_DIRECTORY,
            ffi::SQLITE_FULL,
            ffi::SQLITE_CANTOPEN,
        ] {
            assert_eq!(named(code), "the database's files cannot be used");
        }
        assert_eq!(named(ffi::SQLITE_BUSY), "the database is locked");
        assert_eq!(named(ffi::SQLITE_CORRUPT), "the database is damaged");
    }
}
