//! Conversations: found by their path, or made.

use rusqlite::{Connection, OptionalExtension};
use tertulia_message::path::InterfacePath;

use crate::fault::Fault;

/// The number of the conversation at a path; it is made where there is none.
pub(super) fn at(db: &Connection, path: &InterfacePath) -> Result<i64, Fault> {
    if let Some(id) = find(db, path)? {
        return Ok(id);
    }
    let sql = "INSERT INTO conversation(path, interface, target) VALUES (?1, ?2, ?3)";
    db.prepare_cached(sql)?
        .execute((path.as_str(), path.interface(), path.target()))?;
    Ok(db.last_insert_rowid())
}

pub(super) fn find(db: &Connection, path: &InterfacePath) -> Result<Option<i64>, Fault> {
    let mut statement = db.prepare_cached("SELECT id FROM conversation WHERE path=?1")?;
    Ok(statement.query_row([path.as_str()], |row| row.get(0)).optional()?)
}

/// Its present epoch.
pub(super) fn epoch(db: &Connection, id: i64) -> Result<i64, Fault> {
    let mut statement = db.prepare_cached("SELECT epoch FROM conversation WHERE id=?1")?;
    let found = statement.query_row([id], |row| row.get(0)).optional()?;
    found.ok_or_else(unknown)
}

pub(super) fn unknown() -> Fault {
    Fault::refused("there is no such conversation")
}
