//! What was set and permitted by command.

use rusqlite::{Connection, Row};
use tertulia_core::access::{Permit, Subject};
use tertulia_core::preferences::{Key, Preference, Preferences, Scope};
use tertulia_message::{Level, PersonId};
use tertulia_ports::Governed;

use crate::fault::Fault;
use crate::rows::words;

const SETTINGS: &str = "SELECT scope, key, value, set_by, set_at FROM setting";

const PERMITS: &str = "SELECT subject, level, set_by, set_at, expires_at FROM permit";

const GREETED: &str = "SELECT person, at FROM greeted";

/// All of it. What cannot be read is left out and reported: one bad row must not lock everybody out.
pub(crate) fn governed(db: &Connection) -> Result<Governed, Fault> {
    let mut permits = permits(db)?;
    permits.sort_by(|(one, _), (other, _)| one.cmp(other));
    let mut greeted = readable(db, GREETED, "greeting", |row| Ok(Some(greeting(row)?)))?;
    greeted.sort();
    Ok(Governed {
        preferences: preferences(db)?,
        permits,
        greeted,
    })
}

/// What is set.
pub(crate) fn preferences(db: &Connection) -> Result<Preferences, Fault> {
    let settings = readable(db, SETTINGS, "setting", setting)?;
    Ok(Preferences(settings.into_iter().collect()))
}

/// Who is permitted.
pub(crate) fn permits(db: &Connection) -> Result<Vec<(Subject, Permit)>, Fault> {
    readable(db, PERMITS, "permit", permit)
}

fn setting(row: &Row<'_>) -> rusqlite::Result<Option<((Scope, Key), Preference)>> {
    let preference = Preference {
        value: row.get(2)?,
        set_by: row.get(3)?,
        set_at: row.get(4)?,
    };
    let scope = Scope::parse(&row.get::<_, String>(0)?);
    let key = Key::parse(&row.get::<_, String>(1)?);
    Ok(scope.zip(key).map(|place| (place, preference)))
}

fn permit(row: &Row<'_>) -> rusqlite::Result<Option<(Subject, Permit)>> {
    let Some(level) = Level::parse(&row.get::<_, String>(1)?) else {
        return Ok(None);
    };
    let permit = Permit {
        level,
        set_by: row.get(2)?,
        set_at: row.get(3)?,
        expires_at: row.get(4)?,
    };
    let subject = Subject::parse(&row.get::<_, String>(0)?);
    Ok(subject.map(|subject| (subject, permit)))
}

fn greeting(row: &Row<'_>) -> rusqlite::Result<(PersonId, i64)> {
    Ok((words::person(&row.get::<_, String>(0)?), row.get(1)?))
}

fn readable<T>(
    db: &Connection,
    sql: &str,
    what: &str,
    read: impl Fn(&Row<'_>) -> rusqlite::Result<Option<T>>,
) -> Result<Vec<T>, Fault> {
    let mut statement = db.prepare_cached(sql)?;
    let mut found = statement.query([])?;
    let mut all = Vec::new();
    while let Some(row) = found.next()? {
        if let Ok(Some(one)) = read(row) {
            all.push(one);
        } else {
            // The first column says which it is; it is nothing that people said.
            let name = row.get_ref(0)?.as_str().unwrap_or_default();
            tracing::error!(what, name, "what is stored cannot be read and is left out");
        }
    }
    Ok(all)
}
