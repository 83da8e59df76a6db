//! Slots that did not get where they should.

use rusqlite::Connection;
use tertulia_core::record::Slot;
use tertulia_ports::SlotQuery;

use super::slots::{self, read};
use crate::fault::Fault;

/// Answers of which a part is due. Repeats the WHERE of the index `slot_due`.
pub(super) const UNSENT: &str = "WHERE s.kind='answer' AND s.trigger IN
    (SELECT d.trigger FROM slot d INDEXED BY slot_due JOIN turn u ON u.trigger=d.trigger AND u.state='settled'
    WHERE d.state<>'dead' AND (d.got_rev<d.want_rev OR d.state<>'idle')
    AND d.conversation=?1 AND d.trigger<?2 AND d.kind='answer')";

/// All that is due. Repeats the WHERE of the index `slot_due`.
pub(super) const DUE: &str = "WHERE s.id IN (SELECT d.id FROM slot d INDEXED BY slot_due
    WHERE d.state<>'dead' AND (d.got_rev<d.want_rev OR d.state<>'idle') AND d.conversation=?1 AND d.trigger<?2)";

/// Repeats the WHERE of the index `slot_dead`.
pub(super) const DEAD: &str = "WHERE s.state='dead' ORDER BY s.trigger DESC, s.kind, s.part LIMIT ?1";

pub(crate) fn letters(db: &Connection, query: &SlotQuery, now: i64) -> Result<Vec<Slot>, Fault> {
    match query {
        SlotQuery::Unsent(conversation, before) => slots::slots(db, UNSENT, (conversation.0, before.0), now),
        SlotQuery::Due(conversation, before) => slots::slots(db, DUE, (conversation.0, before.0), now),
        SlotQuery::Dead(count) => dead(db, *count, now),
    }
}

/// One that cannot be read is left out and reported: it must not hide the others.
fn dead(db: &Connection, count: u32, now: i64) -> Result<Vec<Slot>, Fault> {
    let mut statement = db.prepare_cached(&format!("{} {DEAD}", slots::SLOTS))?;
    let mut found = statement.query([count])?;
    let mut all = Vec::new();
    while let Some(row) = found.next()? {
        if let Ok(slot) = read(row, now) {
            all.push(slot);
        } else {
            let slot: i64 = row.get(24)?;
            tracing::error!(slot, "a dead letter cannot be read and is left out");
        }
    }
    Ok(all)
}
