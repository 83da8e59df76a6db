//! What the process that ended before left to do.

use rusqlite::Connection;
use tertulia_core::record::ConversationId;
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

pub(crate) fn restore(db: &Connection, media: &Media, now: i64) -> Result<Restored, Fault> {
    let mut conversations = Vec::new();
    let mut statement = db.prepare_cached(OPEN)?;
    let mut found = statement.query([])?;
    while let Some(row) = found.next()? {
        let path: String = row.get(1)?;
        conversations.push((ConversationId(row.get(0)?), conversation::path(&path)?));
    }
    Ok(Restored {
        conversations,
        commands: inbox::rows(db, COMMANDS, [], &Context { media, now })?,
        slots: slots::slots(db, slots::DUE, [], now)?,
    })
}
