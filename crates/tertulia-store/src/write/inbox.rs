//! Rows of the inbox: found, taken, dropped.

use rusqlite::{Connection, OptionalExtension};
use tertulia_core::record::InboxId;
use tertulia_core::transaction::DropReason;

use crate::fault::Fault;
use crate::rows::words;

/// What has to be known of a row before it is changed.
pub(super) struct Known {
    pub(super) account: i64,
    pub(super) conversation: i64,
    kind: String,
    state: String,
    why: Option<String>,
}

impl Known {
    /// True if it can still be answered. One that was withdrawn after it was read is as if it had been taken first.
    pub(super) fn can_be_taken(&self) -> bool {
        match self.state.as_str() {
            "new" => true,
            "dropped" => self.why.as_deref() == Some(words::drop_reason(DropReason::Redacted)),
            _ => false,
        }
    }

    pub(super) fn is_waiting_command(&self) -> bool {
        self.state == "new" && self.kind == "command"
    }

    pub(super) fn is_done(&self) -> bool {
        self.state == "done"
    }
}

pub(super) fn known(db: &Connection, id: InboxId) -> Result<Known, Fault> {
    let mut statement = db.prepare_cached("SELECT account, conversation, kind, state, why FROM inbox WHERE id=?1")?;
    let found = statement.query_row([id.0], |row| {
        Ok(Known {
            account: row.get(0)?,
            conversation: row.get(1)?,
            kind: row.get(2)?,
            state: row.get(3)?,
            why: row.get(4)?,
        })
    });
    found
        .optional()?
        .ok_or_else(|| Fault::refused(format!("there is no row {}", id.0)))
}

pub(super) fn drop_rows(db: &Connection, rows: &[InboxId], why: DropReason) -> Result<(), Fault> {
    for id in rows {
        known(db, *id)?;
        let mut statement =
            db.prepare_cached("UPDATE inbox SET state='dropped', why=?2 WHERE id=?1 AND state='new'")?;
        statement.execute((id.0, words::drop_reason(why)))?;
    }
    Ok(())
}
