//! What a conversation has to do next.

use rusqlite::{Connection, OptionalExtension};
use tertulia_core::record::{ConversationId, InboxRow, UnfinishedTurn, Work};

use super::entries;
use super::inbox::{self, Context};
use super::slots;
use crate::fault::Fault;
use crate::media::Media;
use crate::rows::settings;

/// The oldest turn that is not settled. Repeats the WHERE of the index `turn_one`.
pub(super) const UNFINISHED: &str = "SELECT id, trigger, attempt, boot, settings, partial FROM turn
    WHERE conversation=?1 AND state<>'settled' ORDER BY trigger LIMIT 1";

/// The rows of a turn, its trigger first. Rows of an unsettled turn are taken, hence the index `inbox_open`.
pub(super) const TAKEN: &str = "WHERE i.conversation=?1 AND i.state IN('sealed','new','taken') AND i.turn=?2
    ORDER BY i.id<>?3, i.id";

/// The oldest waiting row; if that is a command, messages wait until it is done.
pub(super) const OLDEST: &str = "SELECT id, join_key, kind='command' FROM inbox
    WHERE conversation=?1 AND state IN('sealed','new','taken') AND state='new'
    ORDER BY id LIMIT 1";

/// Where the rows that follow it stop to have its key, or a command stands.
pub(super) const NEXT_OTHER: &str = "SELECT id FROM inbox
    WHERE conversation=?1 AND state IN('sealed','new','taken') AND state='new'
    AND id>?2 AND (join_key IS NOT ?3 OR kind='command') ORDER BY id LIMIT 1";

pub(super) const WAITING: &str = "WHERE i.conversation=?1 AND i.state IN('sealed','new','taken') AND i.state='new'
    AND i.kind<>'command' AND i.id>=?2 AND i.id<?3 ORDER BY i.id";

pub(crate) fn next_work(
    db: &Connection,
    conversation: ConversationId,
    limit: u32,
    media: &Media,
    now: i64,
) -> Result<Option<Work>, Fault> {
    let ConversationId(conversation) = conversation;
    let mut statement = db.prepare_cached("SELECT epoch FROM conversation WHERE id=?1")?;
    let Some(epoch) = statement.query_row([conversation], |row| row.get(0)).optional()? else {
        return Ok(None);
    };
    let context = Context { media, now };
    let (rows, unfinished) = match unfinished(db, conversation, &context)? {
        Some((rows, turn)) => (rows, Some(turn)),
        None => (waiting(db, conversation, &context)?, None),
    };
    let Some(trigger) = rows.first().map(|row| row.id.0) else {
        return Ok(None);
    };
    Ok(Some(Work {
        history: entries::window(db, conversation, epoch, limit, media)?,
        slots: slots::slots(db, "WHERE s.trigger=?1", [trigger], now)?,
        rows,
        unfinished,
        epoch,
    }))
}

fn unfinished(
    db: &Connection,
    conversation: i64,
    context: &Context<'_>,
) -> Result<Option<(Vec<InboxRow>, UnfinishedTurn)>, Fault> {
    let mut statement = db.prepare_cached(UNFINISHED)?;
    let mut found = statement.query([conversation])?;
    let Some(row) = found.next()? else { return Ok(None) };
    let (turn, trigger): (i64, i64) = (row.get(0)?, row.get(1)?);
    let unfinished = UnfinishedTurn {
        attempt: row.get(2)?,
        boot: row.get(3)?,
        settings: settings::read(&row.get::<_, String>(4)?)?,
        partial: row.get(5)?,
        rounds: entries::rounds(db, turn, context.media)?,
    };
    Ok(Some((
        inbox::rows(db, TAKEN, (conversation, turn, trigger), context)?,
        unfinished,
    )))
}

fn waiting(db: &Connection, conversation: i64, context: &Context<'_>) -> Result<Vec<InboxRow>, Fault> {
    let mut statement = db.prepare_cached(OLDEST)?;
    let oldest = statement
        .query_row([conversation], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .optional()?;
    let Some((first, key, false)): Option<(i64, Option<String>, bool)> = oldest else {
        return Ok(Vec::new());
    };
    let end = match key {
        None => first + 1,
        Some(key) => {
            let mut statement = db.prepare_cached(NEXT_OTHER)?;
            let other = statement
                .query_row((conversation, first, key), |row| row.get(0))
                .optional()?;
            other.unwrap_or(i64::MAX)
        }
    };
    inbox::rows(db, WAITING, (conversation, first, end), context)
}
