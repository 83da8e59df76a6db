//! A command becomes a message that is answered in the place of an older turn.

use rusqlite::Connection;
use tertulia_core::record::{InboxId, RowBody};

use super::{inbox, turns};
use crate::fault::Fault;
use crate::rows::body;

pub(super) fn retry(db: &Connection, trigger: InboxId, body: RowBody, supersedes: InboxId) -> Result<(), Fault> {
    let row = inbox::known(db, trigger)?;
    if !row.is_waiting_command() {
        return Ok(());
    }
    if matches!(body, RowBody::Command { .. }) {
        return Err(Fault::refused("a command cannot be answered again"));
    }
    let turn = turns::get(db, supersedes)?;
    if turn.conversation != row.conversation {
        return Err(Fault::refused("the turn is one of another conversation"));
    }
    if !turn.settled {
        return Err(Fault::refused("the turn is not settled"));
    }
    db.prepare_cached("UPDATE turn SET outcome='superseded' WHERE id=?1")?
        .execute([turn.id])?;
    db.prepare_cached("UPDATE entry SET live=0 WHERE turn=?1")?
        .execute([turn.id])?;
    let kind = body::kind(&body);
    db.prepare_cached("UPDATE inbox SET kind=?2, body=?3 WHERE id=?1")?
        .execute((trigger.0, kind, body::write(body)?))?;
    Ok(())
}
