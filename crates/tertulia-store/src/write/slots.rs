//! Slots: the session's wishes and the courier's progress, each in its own columns.

mod courier;

use rusqlite::{Connection, OptionalExtension};
use tertulia_core::record::{ConversationId, InboxId, Slot, SlotState, Wish};
use tertulia_message::{SlotId, SlotKind};

use super::{accept, conversation, inbox, turns};
use crate::fault::Fault;
use crate::rows::post;
use crate::rows::words::number;
pub(super) use courier::{block, progress, split};

const INSERT: &str = "INSERT INTO slot(conversation, account, trigger, kind, part, want, want_rev, body, src_from,
    src_to, ext_id, got_rev, state, forced, tries, not_before, expires_at, error)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)";

/// What is not wanted and was never posted is reached already.
const RAISE: &str = "UPDATE slot SET want=?4, want_rev=?5, body=?6, src_from=?7, src_to=?8,
    got_rev=CASE WHEN ?4='gone' AND ext_id IS NULL AND state='idle' THEN ?5 ELSE got_rev END
    WHERE trigger=?1 AND kind=?2 AND part=?3 AND want_rev<?5";

const SURPLUS: &str = "UPDATE slot SET want='gone', want_rev=want_rev+1,
    got_rev=CASE WHEN ext_id IS NULL AND state='idle' THEN want_rev+1 ELSE got_rev END
    WHERE trigger=?1 AND kind='answer' AND part=?2 AND want<>'gone'";

const REVIVE: &str = "UPDATE slot SET state='idle', tries=0, not_before=NULL, error=NULL, expires_at=?4,
    got_rev=CASE WHEN want='gone' AND ext_id IS NULL THEN want_rev ELSE got_rev END
    WHERE trigger=?1 AND kind=?2 AND part=?3 AND state='dead'";

/// A wish as it lies in its columns.
#[derive(PartialEq, Eq)]
struct WishColumns {
    want: &'static str,
    rev: u32,
    body: String,
    from: Option<i64>,
    to: Option<i64>,
}

impl WishColumns {
    fn of(wish: &Wish) -> Result<Self, Fault> {
        Ok(Self {
            want: if wish.shown { "shown" } else { "gone" },
            rev: wish.rev,
            body: post::write(&wish.post)?,
            from: wish.source.as_ref().map(|source| number(source.start)),
            to: wish.source.as_ref().map(|source| number(source.end)),
        })
    }
}

/// Transaction P. A slot that is there keeps its progress; only a newer wish counts.
pub(super) fn open(db: &Connection, closed: Option<(SlotId, Wish)>, open: &Slot) -> Result<(), Fault> {
    if turns::get(db, InboxId(open.id.trigger))?.settled {
        let known = wish_rev(db, open.id)?.is_some();
        return if known {
            Ok(())
        } else {
            Err(Fault::refused("the turn is settled"))
        };
    }
    if let Some((id, wish)) = closed {
        wish_rev(db, id)?.ok_or_else(no_such_slot)?;
        raise(db, id, &WishColumns::of(&wish)?)?;
    }
    put(db, open)
}

/// Gives the reply of a command; false if it was given before.
pub(super) fn reply(db: &Connection, trigger: InboxId, slots: &[Slot]) -> Result<bool, Fault> {
    let row = inbox::known(db, trigger)?;
    if row.is_done() {
        return Ok(false);
    }
    if !row.can_be_taken() {
        return Err(Fault::refused("the row is not a waiting command"));
    }
    db.prepare_cached("UPDATE inbox SET state='done', why=NULL WHERE id=?1")?
        .execute([trigger.0])?;
    put_all(db, slots)?;
    Ok(true)
}

pub(super) fn put_all(db: &Connection, slots: &[Slot]) -> Result<(), Fault> {
    slots.iter().try_for_each(|slot| put(db, slot))
}

/// Inserts a slot; of one that is there only a newer wish counts.
pub(super) fn put(db: &Connection, slot: &Slot) -> Result<(), Fault> {
    let row = inbox::known(db, InboxId(slot.id.trigger))?;
    let wish = WishColumns::of(&slot.wish)?;
    if wish_rev(db, slot.id)?.is_some() {
        return raise(db, slot.id, &wish);
    }
    let (conversation, account) = if slot.id.kind == SlotKind::Say {
        (said_in(db, slot)?, accept::account(db, &slot.account)?)
    } else {
        (row.conversation, row.account)
    };
    let progress = &slot.progress;
    let skipped = !slot.wish.shown && progress.ext_id.is_none() && progress.state == SlotState::Idle;
    db.prepare_cached(INSERT)?.execute(rusqlite::params![
        conversation,
        account,
        slot.id.trigger,
        slot.id.kind.as_str(),
        slot.id.part,
        wish.want,
        wish.rev,
        wish.body,
        wish.from,
        wish.to,
        progress.ext_id,
        if skipped { wish.rev } else { progress.got_rev },
        progress.state.as_str(),
        progress.forced,
        progress.tries,
        progress.not_before,
        slot.expires_at,
        progress.error,
    ])?;
    Ok(())
}

/// Where an operator's words stand: in another conversation than the command, which may have been merged meanwhile.
fn said_in(db: &Connection, slot: &Slot) -> Result<i64, Fault> {
    let ConversationId(id) = slot.conversation;
    if conversation::epoch(db, id).is_ok() {
        return Ok(id);
    }
    conversation::find(db, &slot.path)?.ok_or_else(conversation::unknown)
}

/// A newer wish counts; a slot that is not there is left alone.
pub(super) fn rewish(db: &Connection, id: SlotId, wish: &Wish) -> Result<(), Fault> {
    raise(db, id, &WishColumns::of(wish)?)
}

/// A dead letter is tried again; what was posted of it stays known.
pub(super) fn revive(db: &Connection, id: SlotId, expires_at: i64) -> Result<(), Fault> {
    let (trigger, kind, part) = key(id);
    db.prepare_cached(REVIVE)?.execute((trigger, kind, part, expires_at))?;
    Ok(())
}

/// A dead letter is deleted; gives its body, if there was one.
pub(super) fn bury(db: &Connection, id: SlotId) -> Result<Option<String>, Fault> {
    let sql = "DELETE FROM slot WHERE trigger=?1 AND kind=?2 AND part=?3 AND state='dead' RETURNING body";
    let mut statement = db.prepare_cached(sql)?;
    Ok(statement.query_row(key(id), |row| row.get(0)).optional()?)
}

fn raise(db: &Connection, id: SlotId, wish: &WishColumns) -> Result<(), Fault> {
    let (trigger, kind, part) = key(id);
    let row = (trigger, kind, part, wish.want, wish.rev, &wish.body, wish.from, wish.to);
    db.prepare_cached(RAISE)?.execute(row)?;
    Ok(())
}

/// Answer slots that are not listed are to be deleted.
pub(super) fn remove_surplus(db: &Connection, trigger: InboxId, listed: &[u32]) -> Result<(), Fault> {
    let mut statement = db.prepare_cached("SELECT part FROM slot WHERE trigger=?1 AND kind=?2")?;
    let parts = statement.query_map((trigger.0, SlotKind::Answer.as_str()), |row| row.get(0))?;
    for part in parts.collect::<Result<Vec<u32>, _>>()? {
        if !listed.contains(&part) {
            db.prepare_cached(SURPLUS)?.execute((trigger.0, part))?;
        }
    }
    Ok(())
}

fn wish_rev(db: &Connection, id: SlotId) -> Result<Option<u32>, Fault> {
    let mut statement = db.prepare_cached("SELECT want_rev FROM slot WHERE trigger=?1 AND kind=?2 AND part=?3")?;
    Ok(statement.query_row(key(id), |row| row.get(0)).optional()?)
}

fn key(id: SlotId) -> (i64, &'static str, u32) {
    (id.trigger, id.kind.as_str(), id.part)
}

fn no_such_slot() -> Fault {
    Fault::refused("there is no such slot")
}
