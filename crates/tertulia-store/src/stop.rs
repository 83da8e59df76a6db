//! Finds out whether the process before stopped as it should, and looks the database over if it did not.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use crate::open::{self, DATABASE, OpenError};

/// Larger databases are not looked over, so that a start does not take minutes.
const LARGEST: u64 = 512 * 1024 * 1024;

/// A file that is there while a store is open.
pub(crate) struct OpenMark {
    file: PathBuf,
}

#[derive(Debug, thiserror::Error)]
#[error("the process before was stopped in the middle, and a look over the database finds: {0}")]
struct Damage(String);

impl OpenMark {
    /// Sets the mark. If it was there already, the database is looked over first.
    pub(crate) fn set(connection: &Connection, directory: &Path) -> Result<Self, OpenError> {
        let file = directory.join(format!("{DATABASE}.open"));
        if file.exists() {
            look_over(connection, directory)?;
        }
        open::private_file(&file)?;
        File::open(directory)?.sync_all()?;
        Ok(Self { file })
    }

    /// Everything is in the main file.
    pub(crate) fn clear(self) -> io::Result<()> {
        fs::remove_file(self.file)
    }
}

fn look_over(connection: &Connection, directory: &Path) -> Result<(), OpenError> {
    let bytes = fs::metadata(directory.join(DATABASE))?.len();
    if bytes > LARGEST {
        tracing::warn!(
            bytes,
            "the process before was stopped in the middle; the database is too large to look it over"
        );
        return Ok(());
    }
    let found: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if found != "ok" {
        return Err(OpenError::Corrupt(Box::new(Damage(found))));
    }
    tracing::info!(
        bytes,
        "the process before was stopped in the middle; the database is sound"
    );
    Ok(())
}
