//! What the process that ended before left to do.

use rusqlite::{Connection, Row};
use tertulia_core::record::ConversationId;
use tertulia_message::path::InterfacePath;
use tertulia_ports::Restored;

use super::conversation;
use super::inbox::{self, Context};
use super::slots;
use crate::fault::Fault;
use crate::media::Media;

/// Conversations with open rows. Repeats the WHERE of the index `inbox_open`.
pub(super) const OPEN: &str = "SELECT c.id, c.path FROM conversation c WHERE c.id IN
    (SELECT conversation FROM inbox WHERE state IN('sealed','new','taken') AND state<>'sealed') ORDER BY c.id";

/// Waiting commands. Repeats the WHERE of the index `inbox_open` where nothing else asks for an order: else the whole
/// inbox would be walked to save a sort of a few rows.
pub(super) const COMMANDS: &str = "WHERE i.id IN
    (SELECT id FROM inbox WHERE state IN('sealed','new','taken') AND state='new' AND kind='command') ORDER BY i.id";

/// The columns that tell which row it is: its number, and its conversation's.
type Number = (usize, usize);

/// What was left to do. A row that cannot be read is left out and reported: it must not keep the others waiting.
pub(crate) fn restore(db: &Connection, media: &Media, now: i64) -> Result<Restored, Fault> {
    let context = Context { media, now };
    let commands = format!("{} {COMMANDS}", inbox::ROWS);
    let due = format!("{} {}", slots::SLOTS, slots::DUE);
    let mut slots = readable(db, &due, (24, 5), "slot", |row| slots::read(row, now))?;
    slots::sort(&mut slots);
    Ok(Restored {
        conversations: readable(db, OPEN, (0, 0), "conversation", open)?,
        commands: readable(db, &commands, (0, 3), "command", |row| inbox::read(row, &context))?,
        slots,
    })
}

fn open(row: &Row<'_>) -> Result<(ConversationId, InterfacePath), Fault> {
    let path = row.get_ref(1)?.as_str().map_err(rusqlite::Error::from)?;
    Ok((ConversationId(row.get(0)?), conversation::path(path)?))
}

fn readable<T>(
    db: &Connection,
    sql: &str,
    number: Number,
    what: &str,
    read: impl Fn(&Row<'_>) -> Result<T, Fault>,
) -> Result<Vec<T>, Fault> {
    let mut statement = db.prepare_cached(sql)?;
    let mut found = statement.query([])?;
    let mut all = Vec::new();
    while let Some(row) = found.next()? {
        if let Ok(one) = read(row) {
            all.push(one);
        } else {
            // Without the reason: it may quote what people said.
            let (id, conversation): (i64, i64) = (row.get(number.0)?, row.get(number.1)?);
            tracing::error!(
                what,
                row = id,
                conversation,
                "what is stored cannot be read and is left out"
            );
        }
    }
    Ok(all)
}
