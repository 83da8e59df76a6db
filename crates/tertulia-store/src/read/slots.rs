//! Slots with what is known of their conversation and their row.

use rusqlite::{Connection, Params, Row};
use tertulia_core::record::{ConversationId, Slot, SlotProgress, SlotState, Wish};
use tertulia_message::{Account, SlotId, SlotKind};

use super::conversation;
use super::inbox::token;
use crate::fault::Fault;
use crate::rows::post;

/// What every query for slots begins with; `read` reads its columns.
pub(super) const SLOTS: &str = "SELECT s.trigger, s.kind, s.part, a.interface, a.identity, s.conversation, c.path,
    i.ext_id, i.reply_token, i.accepted_at, s.want='shown', s.want_rev, s.body, s.src_from, s.src_to, s.ext_id,
    s.got_rev, s.state, s.forced, s.tries, s.not_before, s.error, s.expires_at,
    s.kind='answer' AND EXISTS(SELECT 1 FROM turn t WHERE t.trigger=s.trigger AND t.state<>'settled'), s.id
    FROM slot s JOIN inbox i ON i.id=s.trigger JOIN account a ON a.id=s.account
    JOIN conversation c ON c.id=s.conversation";

/// Slots that are due; word for word the WHERE of the index `slot_due`.
pub(super) const DUE: &str = "WHERE s.state<>'dead' AND (s.got_rev<s.want_rev OR s.state<>'idle')";

pub(super) fn slots(db: &Connection, which: &str, params: impl Params, now: i64) -> Result<Vec<Slot>, Fault> {
    let mut statement = db.prepare_cached(&format!("{SLOTS} {which}"))?;
    let mut found = statement.query(params)?;
    let mut slots = Vec::new();
    while let Some(row) = found.next()? {
        slots.push(read(row, now)?);
    }
    sort(&mut slots);
    Ok(slots)
}

pub(super) fn sort(slots: &mut [Slot]) {
    slots.sort_by_key(|slot| (slot.conversation, slot.id));
}

pub(super) fn read(row: &Row<'_>, now: i64) -> Result<Slot, Fault> {
    let kind: String = row.get(1)?;
    let kind = SlotKind::parse(&kind).ok_or_else(|| Fault::unreadable("a slot's kind"))?;
    Ok(Slot {
        id: SlotId {
            trigger: row.get(0)?,
            kind,
            part: row.get(2)?,
        },
        account: Account {
            interface: row.get(3)?,
            identity: row.get(4)?,
        },
        conversation: ConversationId(row.get(5)?),
        path: conversation::path(row.get_ref(6)?.as_str().map_err(rusqlite::Error::from)?)?,
        re: row.get(7)?,
        // it is good only where the row stands
        token: token(row.get(8)?, row.get(9)?, now).filter(|_| kind != SlotKind::Say),
        wish: wish(row)?,
        progress: progress(row)?,
        expires_at: row.get(22)?,
        open: row.get(23)?,
    })
}

fn wish(row: &Row<'_>) -> Result<Wish, Fault> {
    let source = match (row.get::<_, Option<usize>>(13)?, row.get::<_, Option<usize>>(14)?) {
        (Some(from), Some(to)) => Some(from..to),
        _ => None,
    };
    let post = post::read(row.get_ref(12)?.as_str().map_err(rusqlite::Error::from)?)?;
    Ok(Wish {
        shown: row.get(10)?,
        rev: row.get(11)?,
        post,
        source,
    })
}

fn progress(row: &Row<'_>) -> Result<SlotProgress, Fault> {
    let state: String = row.get(17)?;
    Ok(SlotProgress {
        state: SlotState::parse(&state).ok_or_else(|| Fault::unreadable("a slot's state"))?,
        ext_id: row.get(15)?,
        got_rev: row.get(16)?,
        forced: row.get(18)?,
        tries: row.get(19)?,
        not_before: row.get(20)?,
        error: row.get(21)?,
    })
}
