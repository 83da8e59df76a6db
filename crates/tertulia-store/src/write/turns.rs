//! Turns: begun, run again, saved.

use rusqlite::{Connection, OptionalExtension};
use tertulia_core::record::InboxId;
use tertulia_core::transaction::Begin;

use super::entries::{self, Place};
use super::{conversation, inbox};
use crate::fault::Fault;
use crate::rows::settings;

const INSERT: &str = "INSERT INTO turn(conversation, trigger, epoch, attempt, boot, state, settings, began_at)
    VALUES (?1, ?2, ?3, 1, ?4, 'running', ?5, ?6)";

/// A turn as it is stored.
pub(super) struct Turn {
    pub(super) id: i64,
    pub(super) conversation: i64,
    pub(super) epoch: i64,
    pub(super) attempt: u32,
    pub(super) boot: String,
    pub(super) settled: bool,
    pub(super) began_at: i64,
}

impl Turn {
    /// Where its entries stand.
    pub(super) fn place(&self, live: bool, at: i64) -> Place {
        Place {
            conversation: self.conversation,
            epoch: self.epoch,
            turn: Some(self.id),
            attempt: self.attempt,
            live,
            at,
            order: entries::HERE,
        }
    }
}

pub(super) fn find(db: &Connection, trigger: InboxId) -> Result<Option<Turn>, Fault> {
    let sql = "SELECT id, conversation, epoch, attempt, boot, state='settled', began_at FROM turn WHERE trigger=?1";
    let found = db.prepare_cached(sql)?.query_row([trigger.0], |row| {
        Ok(Turn {
            id: row.get(0)?,
            conversation: row.get(1)?,
            epoch: row.get(2)?,
            attempt: row.get(3)?,
            boot: row.get(4)?,
            settled: row.get(5)?,
            began_at: row.get(6)?,
        })
    });
    Ok(found.optional()?)
}

pub(super) fn get(db: &Connection, trigger: InboxId) -> Result<Turn, Fault> {
    find(db, trigger)?.ok_or_else(|| Fault::refused(format!("row {} has no turn", trigger.0)))
}

/// The turn, unless it is settled: then what comes is a repetition, or came too late.
pub(super) fn unsettled(db: &Connection, trigger: InboxId, attempt: u32) -> Result<Option<Turn>, Fault> {
    let turn = get(db, trigger)?;
    if turn.settled {
        return Ok(None);
    }
    if turn.attempt != attempt {
        return Err(Fault::refused("another attempt is under way"));
    }
    Ok(Some(turn))
}

pub(super) fn begin(db: &Connection, begin: Begin) -> Result<(), Fault> {
    if let Some(turn) = find(db, begin.trigger)? {
        let repeated = turn.settled || turn.boot == begin.boot;
        return if repeated {
            Ok(())
        } else {
            Err(Fault::refused("another start of the process began this turn"))
        };
    }
    let conversation = inbox::known(db, begin.trigger)?.conversation;
    let mut other = db.prepare_cached("SELECT 1 FROM turn WHERE conversation=?1 AND state<>'settled'")?;
    if other.exists([conversation])? {
        return Err(Fault::refused("another turn of the conversation is not settled"));
    }
    // The conversation that was meant may have been merged into another one since: then that one's epoch holds.
    let epoch = if conversation == begin.conversation.0 {
        begin.epoch
    } else {
        conversation::epoch(db, conversation)?
    };
    let settings = settings::write(begin.settings)?;
    db.prepare_cached(INSERT)?
        .execute((conversation, begin.trigger.0, epoch, begin.boot, settings, begin.now))?;
    let turn = get(db, begin.trigger)?;
    take(db, turn.id, conversation, begin.trigger)?;
    for row in begin.rows.into_iter().filter(|row| *row != begin.trigger) {
        take(db, turn.id, conversation, row)?;
    }
    entries::append(db, &turn.place(false, begin.now), begin.entries)
}

fn take(db: &Connection, turn: i64, conversation: i64, id: InboxId) -> Result<(), Fault> {
    let row = inbox::known(db, id)?;
    if row.conversation != conversation || !row.can_be_taken() {
        return Err(Fault::refused(format!("row {} cannot be taken", id.0)));
    }
    let sql = "UPDATE inbox SET state='taken', why=NULL, turn=?2 WHERE id=?1";
    db.prepare_cached(sql)?.execute((id.0, turn))?;
    Ok(())
}

pub(super) fn again(db: &Connection, trigger: InboxId, attempt: u32, boot: &str) -> Result<(), Fault> {
    let turn = get(db, trigger)?;
    if turn.settled {
        return Ok(());
    }
    if attempt < turn.attempt {
        return Err(Fault::refused("a later attempt has begun"));
    }
    db.prepare_cached("UPDATE turn SET attempt=?2, boot=?3 WHERE id=?1")?
        .execute((turn.id, attempt, boot))?;
    db.prepare_cached("UPDATE entry SET attempt=?2 WHERE turn=?1")?
        .execute((turn.id, attempt))?;
    db.prepare_cached("UPDATE tool_run SET attempt=?2 WHERE turn=?1")?
        .execute((turn.id, attempt))?;
    Ok(())
}

pub(super) fn checkpoint(db: &Connection, trigger: InboxId, partial: &str) -> Result<(), Fault> {
    let turn = get(db, trigger)?;
    if !turn.settled {
        db.prepare_cached("UPDATE turn SET partial=?2 WHERE id=?1")?
            .execute((turn.id, partial))?;
    }
    Ok(())
}
