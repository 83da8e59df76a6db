//! A conversation gets a new address, or becomes part of the one that has it.

use rusqlite::{Connection, OptionalExtension};
use tertulia_core::access::Access;
use tertulia_message::path::InterfacePath;

use super::change;
use crate::fault::Fault;
use crate::read;

/// Everything that names a conversation. The present epochs become one; older ones stay out of sight. A turn that is
/// not settled keeps a mark of where it came from, since two may now be at work side by side.
const MERGE: [&str; 5] = [
    "UPDATE inbox SET conversation=?2 WHERE conversation=?1",
    "UPDATE slot SET conversation=?2 WHERE conversation=?1",
    "UPDATE entry SET conversation=?2, epoch=CASE WHEN epoch=?3 THEN ?4 ELSE min(epoch, ?4-1) END WHERE conversation=?1",
    "UPDATE turn SET conversation=?2, epoch=CASE WHEN epoch=?3 THEN ?4 ELSE min(epoch, ?4-1) END,
        merged_from=CASE WHEN merged_from=0 THEN ?1 ELSE merged_from END WHERE conversation=?1",
    "DELETE FROM conversation WHERE id=?1",
];

pub(super) fn moved(db: &Connection, from: &InterfacePath, to: &InterfacePath) -> Result<(), Fault> {
    if from == to {
        return Ok(());
    }
    let is_chat = from.parent().is_none();
    for (id, path) in chat(db, from)? {
        let thread = path.strip_prefix(from.as_str()).and_then(|rest| rest.strip_prefix('/'));
        if path == from.as_str() {
            rename(db, id, to)?;
        } else if let (true, Some(rest)) = (is_chat, thread) {
            let there = InterfacePath::parse(&format!("{to}/{rest}"));
            rename(db, id, &there.map_err(|error| Fault::refused(error.to_string()))?)?;
        }
    }
    move_settings(db, from, to)?;
    move_permits(db, from, to)
}

/// The core says what becomes of them: what is in memory must be the same as what is read at the next start.
fn move_settings(db: &Connection, from: &InterfacePath, to: &InterfacePath) -> Result<(), Fault> {
    let before = read::preferences(db)?;
    let mut after = before.clone();
    after.moved(from, to);
    for (scope, key) in before.0.keys().filter(|name| !after.0.contains_key(name)) {
        change::set(db, scope, *key, None)?;
    }
    for (name, preference) in after.0.iter().filter(|(name, value)| before.0.get(name) != Some(value)) {
        change::set(db, &name.0, name.1, Some(preference))?;
    }
    Ok(())
}

fn move_permits(db: &Connection, from: &InterfacePath, to: &InterfacePath) -> Result<(), Fault> {
    let before = read::permits(db)?.into_iter().collect();
    let mut after = Access {
        permits: before,
        ..Access::default()
    };
    let before = after.permits.clone();
    after.moved(from, to);
    for subject in before.keys().filter(|subject| !after.permits.contains_key(subject)) {
        change::permit(db, subject, None)?;
    }
    let changed = after
        .permits
        .iter()
        .filter(|(subject, permit)| before.get(subject) != Some(permit));
    for (subject, permit) in changed {
        change::permit(db, subject, Some(permit))?;
    }
    Ok(())
}

fn chat(db: &Connection, path: &InterfacePath) -> Result<Vec<(i64, String)>, Fault> {
    let mut statement = db.prepare("SELECT id, path FROM conversation WHERE interface=?1 AND target=?2 ORDER BY id")?;
    let rows = statement.query_map((path.interface(), path.target()), |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn rename(db: &Connection, id: i64, to: &InterfacePath) -> Result<(), Fault> {
    let mut statement = db.prepare("SELECT id FROM conversation WHERE path=?1")?;
    let there: Option<i64> = statement.query_row([to.as_str()], |row| row.get(0)).optional()?;
    match there {
        Some(there) if there == id => Ok(()),
        Some(there) => merge(db, id, there),
        None => {
            let sql = "UPDATE conversation SET path=?2, interface=?3, target=?4 WHERE id=?1";
            db.execute(sql, (id, to.as_str(), to.interface(), to.target()))?;
            Ok(())
        }
    }
}

fn merge(db: &Connection, old: i64, into: i64) -> Result<(), Fault> {
    let epoch = |id: i64| {
        db.query_row("SELECT epoch FROM conversation WHERE id=?1", [id], |row| {
            row.get::<_, i64>(0)
        })
    };
    let (before, after) = (epoch(old)?, epoch(into)?);
    let [inbox, slot, entry, turn, conversation] = MERGE;
    db.execute(inbox, (old, into))?;
    db.execute(slot, (old, into))?;
    db.execute(entry, (old, into, before, after))?;
    db.execute(turn, (old, into, before, after))?;
    db.execute(conversation, [old])?;
    Ok(())
}
