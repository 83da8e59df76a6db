//! What the courier changes.

use rusqlite::{Connection, OptionalExtension};
use tertulia_core::record::{Slot, SlotProgress, Wish};
use tertulia_message::SlotId;

use super::{WishColumns, key, no_such_slot, put_all, raise};
use crate::fault::Fault;

const PROGRESS: &str = "UPDATE slot SET state=?4, ext_id=?5, got_rev=?6, forced=?7, tries=?8, not_before=?9, error=?10
    WHERE trigger=?1 AND kind=?2 AND part=?3";

const REACHED: &str = "SELECT 1 FROM slot WHERE trigger=?1 AND kind=?2 AND part=?3 AND state=?4 AND ext_id IS ?5
    AND got_rev=?6 AND forced=?7 AND tries=?8 AND not_before IS ?9 AND error IS ?10";

const WISH: &str = "SELECT want='shown', want_rev, body, src_from, src_to FROM slot
    WHERE trigger=?1 AND kind=?2 AND part=?3";

const BLOCK: &str = "UPDATE conversation SET blocked=?4
    WHERE id=(SELECT conversation FROM slot WHERE trigger=?1 AND kind=?2 AND part=?3)";

/// Transactions D and E.
pub(in crate::write) fn progress(db: &Connection, id: SlotId, progress: &SlotProgress) -> Result<(), Fault> {
    let (trigger, kind, part) = key(id);
    let changed = db.prepare_cached(PROGRESS)?.execute((
        trigger,
        kind,
        part,
        progress.state.as_str(),
        &progress.ext_id,
        progress.got_rev,
        progress.forced,
        progress.tries,
        progress.not_before,
        &progress.error,
    ))?;
    if changed == 0 { Err(no_such_slot()) } else { Ok(()) }
}

/// Splits a slot, unless the session has changed its wish meanwhile: then the parts would be those of an old text.
pub(in crate::write) fn split(
    db: &Connection,
    id: SlotId,
    wish: &Wish,
    reached: &SlotProgress,
    rest: &[Slot],
) -> Result<(), Fault> {
    let wish = WishColumns::of(wish)?;
    let stored = stored_wish(db, id)?.ok_or_else(no_such_slot)?;
    if stored == wish {
        return Ok(());
    }
    if stored.rev >= wish.rev {
        return Err(Fault::refused("the slot's wish has changed since"));
    }
    progress(db, id, reached)?;
    raise(db, id, &wish)?;
    put_all(db, rest)
}

/// Gives a slot up and blocks its conversation.
pub(in crate::write) fn block(db: &Connection, id: SlotId, reached: &SlotProgress, why: &str) -> Result<(), Fault> {
    if is_reached(db, id, reached)? {
        // A repetition: something may have come from the conversation since, and lifted the block.
        return Ok(());
    }
    progress(db, id, reached)?;
    let (trigger, kind, part) = key(id);
    db.prepare_cached(BLOCK)?.execute((trigger, kind, part, why))?;
    Ok(())
}

fn is_reached(db: &Connection, id: SlotId, progress: &SlotProgress) -> Result<bool, Fault> {
    let (trigger, kind, part) = key(id);
    Ok(db.prepare_cached(REACHED)?.exists((
        trigger,
        kind,
        part,
        progress.state.as_str(),
        &progress.ext_id,
        progress.got_rev,
        progress.forced,
        progress.tries,
        progress.not_before,
        &progress.error,
    ))?)
}

fn stored_wish(db: &Connection, id: SlotId) -> Result<Option<WishColumns>, Fault> {
    let found = db.prepare_cached(WISH)?.query_row(key(id), |row| {
        Ok(WishColumns {
            want: if row.get(0)? { "shown" } else { "gone" },
            rev: row.get(1)?,
            body: row.get(2)?,
            from: row.get(3)?,
            to: row.get(4)?,
        })
    });
    Ok(found.optional()?)
}
