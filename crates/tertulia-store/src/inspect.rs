//! Looks at a database without changing it.

use std::path::Path;

use rusqlite::OptionalExtension as _;

use crate::open::{self, DATABASE, OpenError, Options};
use crate::schema;

/// What a database is like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inspection {
    /// The newest migration that was applied; `None` if there was none.
    pub schema: Option<i32>,
    /// The newest migration that this version knows.
    pub known: i32,
    /// When the newest event was accepted, in milliseconds since 1970.
    pub newest: Option<i64>,
}

/// Looks at the database in a directory, and has SQLite check it; `None` if there is none. It blocks.
///
/// Nobody may have the database open meanwhile; that is the caller's to see to.
///
/// # Errors
/// It cannot be opened, it is damaged, or another version wrote it that this one cannot read.
pub fn inspect(directory: &Path, options: &Options) -> Result<Option<Inspection>, OpenError> {
    let file = directory.join(DATABASE);
    if !file.try_exists()? {
        return Ok(None);
    }
    let connection = open::reader(&file, options)?;
    let verdict: String = connection.pragma_query_value(None, "quick_check", |row| row.get(0))?;
    if verdict != "ok" {
        return Err(OpenError::Corrupt(verdict.into()));
    }
    let (schema, known) = schema::versions(&connection)?;
    let newest = match schema {
        Some(_) => connection
            .query_row("SELECT max(accepted_at) FROM inbox", [], |row| row.get(0))
            .optional()?
            .flatten(),
        None => None,
    };
    Ok(Some(Inspection { schema, known, newest }))
}
