//! Brings a database to the schema of this version.

use std::error::Error;
use std::fs::{self, File};
use std::path::Path;

use refinery::error::Kind;
use refinery::{Migration, Runner};
use rusqlite::{Connection, OptionalExtension};

use crate::open::{self, DATABASE, OpenError};

mod embedded {
    refinery::embed_migrations!("../../migrations");
}

/// Applies what is missing; makes a copy first where there is something to lose.
pub(crate) fn migrate(connection: &mut Connection, directory: &Path) -> Result<(), OpenError> {
    migrate_with(connection, directory, embedded::migrations::runner().get_migrations())
}

/// The newest migration that was applied, if any, and the newest one that is known.
///
/// # Errors
/// The database is of a newer version that says that this one cannot read it.
pub(crate) fn versions(connection: &Connection) -> Result<(Option<i32>, i32), OpenError> {
    let known = embedded::migrations::runner();
    let known = known.get_migrations().iter().map(Migration::version).max().unwrap_or(0);
    let applied = applied(connection)?;
    match applied.filter(|found| *found > known) {
        Some(found) if min_reader(connection)? > known => Err(OpenError::TooNew { found, known }),
        _ => Ok((applied, known)),
    }
}

fn migrate_with(connection: &mut Connection, directory: &Path, known: &[Migration]) -> Result<(), OpenError> {
    let newest = known.iter().map(Migration::version).max().unwrap_or(0);
    let applied = applied(connection)?;
    if let Some(found) = applied.filter(|found| *found > newest) {
        return if min_reader(connection)? <= newest {
            Ok(())
        } else {
            Err(OpenError::TooNew { found, known: newest })
        };
    }
    if applied.is_some_and(|found| found < newest) {
        back_up(connection, directory, newest)?;
    }
    let runner = Runner::new(known).set_grouped(true);
    runner.run(connection).map_err(|error| match error.kind() {
        Kind::DivergentVersion(migration, _) => OpenError::Edited(migration.version()),
        _ => why(error),
    })?;
    Ok(())
}

/// SQLite's own reason, without the whole text of the migration that comes with it.
fn why(error: refinery::Error) -> OpenError {
    let mut cause: Option<&(dyn Error + 'static)> = Some(&error);
    while let Some(current) = cause {
        if let Some(rusqlite::Error::SqlInputError { msg, .. }) = current.downcast_ref() {
            return OpenError::Migration(msg.clone().into());
        }
        cause = current.source();
    }
    OpenError::Migration(Box::new(error))
}

/// The newest migration that was applied; `None` if there is no table yet.
fn applied(connection: &Connection) -> Result<Option<i32>, OpenError> {
    let table = "SELECT count(*) FROM sqlite_schema WHERE name='refinery_schema_history'";
    let tables: i64 = connection.query_row(table, [], |row| row.get(0))?;
    if tables == 0 {
        return Ok(None);
    }
    Ok(connection.query_row("SELECT max(version) FROM refinery_schema_history", [], |row| row.get(0))?)
}

/// The oldest version that may read a newer schema; nobody may where nothing is said.
fn min_reader(connection: &Connection) -> Result<i32, OpenError> {
    let value: Option<String> = connection
        .query_row("SELECT value FROM meta WHERE key='min_reader'", [], |row| row.get(0))
        .optional()?;
    Ok(value.and_then(|value| value.parse().ok()).unwrap_or(i32::MAX))
}

fn back_up(connection: &Connection, directory: &Path, newest: i32) -> Result<(), OpenError> {
    let target = directory.join(format!("{DATABASE}.pre-{newest}"));
    let unfinished = directory.join(format!("{DATABASE}.pre-{newest}.tmp"));
    if unfinished.exists() {
        fs::remove_file(&unfinished)?;
    }
    let name = unfinished
        .to_str()
        .ok_or(OpenError::NotDurable("the directory's name is not UTF-8"))?;
    // SQLite takes an empty file, and leaves its rights
    open::private_file(&unfinished)?;
    connection.execute("VACUUM INTO ?1", [name])?;
    File::open(&unfinished)?.sync_all()?;
    fs::rename(&unfinished, &target)?;
    File::open(directory)?.sync_all()?;
    tracing::info!(backup = %target.display(), "the database was copied before it is migrated");
    Ok(())
}

#[cfg(test)]
mod tests;
