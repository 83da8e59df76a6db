//! Transaction S: a turn is over.

use rusqlite::Connection;
use tertulia_core::record::{InboxId, Slot, SlotProgress};
use tertulia_core::transaction::{Settle, UsageRow};

use super::{entries, slots, turns};
use crate::fault::Fault;

pub(super) fn settle(db: &Connection, settle: Settle) -> Result<(), Fault> {
    let Some(turn) = turns::unsettled(db, settle.trigger, settle.attempt)? else {
        return Ok(());
    };
    let others = "DELETE FROM entry WHERE turn=?1 AND attempt<>?2";
    db.prepare_cached(others)?.execute((turn.id, settle.attempt))?;
    if settle.live {
        db.prepare_cached("UPDATE entry SET live=1 WHERE turn=?1")?
            .execute([turn.id])?;
    }
    entries::append(db, &turn.place(settle.live, settle.now), settle.entries)?;
    for row in &settle.usage {
        spend(db, row)?;
    }
    settle_slots(db, settle.trigger, settle.slots)?;
    // Repeats the WHERE of the index `inbox_open`.
    let rows = "UPDATE inbox SET state='done'
        WHERE conversation=?1 AND state IN('sealed','new','taken') AND state='taken' AND turn=?2";
    db.prepare_cached(rows)?.execute((turn.conversation, turn.id))?;
    let over = "UPDATE turn SET state='settled', outcome=?2, settled_at=?3, partial='' WHERE id=?1";
    db.prepare_cached(over)?
        .execute((turn.id, settle.outcome.as_str(), settle.now))?;
    Ok(())
}

fn settle_slots(db: &Connection, trigger: InboxId, wanted: Vec<Slot>) -> Result<(), Fault> {
    let listed: Vec<u32> = wanted.iter().map(|slot| slot.id.part).collect();
    for slot in wanted {
        slots::put(
            db,
            &Slot {
                progress: SlotProgress::default(),
                ..slot
            },
        )?;
    }
    slots::remove_surplus(db, trigger, &listed)
}

/// Records what was spent; the same report again changes nothing.
pub(super) fn spend(db: &Connection, row: &UsageRow) -> Result<(), Fault> {
    let sql = "INSERT INTO usage(trigger, attempt, round, person, provider, model, at,
            tokens_in, tokens_out, cache_read, cache_written, cost)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12) ON CONFLICT DO NOTHING";
    let count = |count: Option<u64>| count.map(crate::rows::words::number);
    db.prepare_cached(sql)?.execute((
        row.trigger.0,
        row.attempt,
        row.round,
        &row.person,
        &row.provider,
        &row.model,
        row.at,
        count(row.usage.tokens_in),
        count(row.usage.tokens_out),
        count(row.usage.cache_read),
        count(row.usage.cache_written),
        count(row.usage.cost),
    ))?;
    Ok(())
}
