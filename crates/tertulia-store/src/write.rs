//! Writing: every transaction as SQL. The caller opens, commits and rolls back.

mod accept;
mod change;
mod conversation;
mod entries;
mod forget;
mod import;
mod inbox;
mod moved;
mod retry;
mod settle;
mod slots;
mod tools;
mod turns;

#[cfg(test)]
pub(crate) use accept::OPEN as QUEUED;
#[cfg(test)]
pub(crate) use forget::{FILES_OF, FORGET, NAMING};
use rusqlite::Connection;
use tertulia_core::record::{InboxId, Slot};
use tertulia_core::transaction::{AcceptTx, Accepted, Change, Imported, ImportedLine, Said, Transaction};

use crate::fault::Fault;
use crate::media::MediaRow;
use crate::read::TOKEN_LIFE_MS;
use crate::sent;

/// Performs transaction A.
pub(crate) fn accept(db: &Connection, tx: AcceptTx, media: &[MediaRow], now: i64) -> Result<Vec<Accepted>, Fault> {
    keep_media(db, media, &tx.account.interface, now)?;
    accept::accept(db, tx)
}

/// What is left to do on the disk once a batch is committed.
#[derive(Debug, Default)]
pub(crate) struct Aftermath {
    /// Something was forgotten: nothing of it may stay anywhere.
    pub(crate) forgotten: bool,
    /// The names of pictures that nothing uses any more.
    pub(crate) pictures: Vec<String>,
}

/// Takes in lines of an older bot's history.
pub(crate) fn import(db: &Connection, lines: Vec<ImportedLine>) -> Result<Imported, Fault> {
    import::import(db, lines)
}

/// Performs any other transaction.
pub(crate) fn commit(
    db: &Connection,
    tx: Transaction,
    media: &[MediaRow],
    now: i64,
    aftermath: &mut Aftermath,
) -> Result<(), Fault> {
    keep_media(db, media, "", now)?;
    keep_media(db, &sent::rows(&tx), "", now)?;
    match tx {
        Transaction::Begin(begin) => turns::begin(db, begin),
        Transaction::Again { trigger, attempt, boot } => turns::again(db, trigger, attempt, &boot),
        Transaction::Checkpoint { trigger, partial } => turns::checkpoint(db, trigger, &partial),
        Transaction::ToolsStarted {
            trigger,
            attempt,
            round,
            assistant,
            runs,
        } => tools::started(db, trigger, attempt, round, assistant, runs),
        Transaction::ToolDone {
            trigger,
            attempt,
            round,
            result,
            said,
            ..
        } => {
            if tools::done(db, trigger, attempt, round, result)? {
                say(db, said, aftermath)?;
            }
            Ok(())
        }
        Transaction::OpenSlot { closed, open } => slots::open(db, closed, &open),
        Transaction::Settle(settle) => settle::settle(db, *settle),
        Transaction::Reply {
            trigger,
            slots,
            changes,
        } => reply(db, trigger, &slots, changes, aftermath),
        Transaction::Retry {
            trigger,
            body,
            supersedes,
        } => retry::retry(db, trigger, *body, supersedes),
        Transaction::Greeted { person, now } => change::greet(db, &person, now),
        Transaction::Notice { slots } => slots::put_all(db, &slots),
        Transaction::Drop { rows, why } => inbox::drop_rows(db, &rows, why),
        Transaction::Progress { slot, progress, .. } => slots::progress(db, slot, &progress),
        Transaction::Split {
            slot,
            wish,
            progress,
            rest,
        } => slots::split(db, slot, &wish, &progress, &rest),
        Transaction::Block {
            slot, progress, why, ..
        } => slots::block(db, slot, &progress, &why),
        Transaction::Moved { from, to } => moved::moved(db, &from, &to),
        Transaction::Spent(row) => settle::spend(db, &row),
    }
}

/// A command is done, with all that it changes.
fn reply(
    db: &Connection,
    trigger: InboxId,
    slots: &[Slot],
    changes: Vec<Change>,
    aftermath: &mut Aftermath,
) -> Result<(), Fault> {
    if !slots::reply(db, trigger, slots)? {
        return Ok(());
    }
    let mut changes = changes.into_iter();
    changes.try_for_each(|change| change::change(db, change, aftermath))
}

/// What a tool had said, with what it changes.
fn say(db: &Connection, said: Option<Box<Said>>, aftermath: &mut Aftermath) -> Result<(), Fault> {
    let Some(said) = said else { return Ok(()) };
    slots::put_all(db, &said.slots)?;
    let mut changes = said.changes.into_iter();
    changes.try_for_each(|change| change::change(db, change, aftermath))
}

/// Empties the reply tokens that are too old; they are secrets. Repeats the WHERE of the index `inbox_token`.
pub(crate) fn forget_tokens(db: &Connection, now: i64) -> Result<(), Fault> {
    let sql = "UPDATE inbox SET reply_token=NULL WHERE reply_token IS NOT NULL AND accepted_at<=?1";
    db.prepare_cached(sql)?.execute([now.saturating_sub(TOKEN_LIFE_MS)])?;
    Ok(())
}

fn keep_media(db: &Connection, media: &[MediaRow], origin: &str, now: i64) -> Result<(), Fault> {
    let sql = "INSERT INTO media(sha256, mime, bytes, origin, created_at) VALUES (?1, ?2, ?3, ?4, ?5)
        ON CONFLICT DO NOTHING";
    for row in media {
        let bytes = crate::rows::words::number(row.bytes);
        db.prepare_cached(sql)?
            .execute((&row.sha256, &row.mime, bytes, origin, now))?;
    }
    Ok(())
}
