//! Writing: every transaction as SQL. The caller opens, commits and rolls back.

mod accept;
mod entries;
mod inbox;
mod moved;
mod settle;
mod slots;
mod tools;
mod turns;

#[cfg(test)]
pub(crate) use accept::OPEN as QUEUED;
use rusqlite::Connection;
use tertulia_core::transaction::{AcceptTx, Accepted, Transaction};

use crate::fault::Fault;
use crate::media::MediaRow;
use crate::read::TOKEN_LIFE_MS;

/// Performs transaction A.
pub(crate) fn accept(db: &Connection, tx: AcceptTx, media: &[MediaRow], now: i64) -> Result<Vec<Accepted>, Fault> {
    keep_media(db, media, &tx.account.interface, now)?;
    accept::accept(db, tx)
}

/// Performs any other transaction.
pub(crate) fn commit(db: &Connection, tx: Transaction, media: &[MediaRow], now: i64) -> Result<(), Fault> {
    keep_media(db, media, "", now)?;
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
            ..
        } => tools::done(db, trigger, attempt, round, result),
        Transaction::OpenSlot { closed, open } => slots::open(db, closed, &open),
        Transaction::Settle(settle) => settle::settle(db, *settle),
        Transaction::Reply { trigger, slots, .. } => slots::reply(db, trigger, &slots),
        Transaction::Retry { .. } | Transaction::Greeted { .. } => Err(Fault::refused("not yet")),
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
