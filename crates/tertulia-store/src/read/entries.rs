//! The history as the model reads it, and the rounds of a turn that goes on.

use rusqlite::{Connection, Row};
use tertulia_core::record::{Entry, InboxId, RoundRecord, ToolEffect, ToolRun};

use crate::fault::Fault;
use crate::media::Media;
use crate::rows::entry::{EntryColumns, read_result};

/// The newest entries of an epoch, newest first. `live=1` is word for word the WHERE of the index `entry_window`.
pub(super) const WINDOW: &str = "SELECT e.role, e.parts, e.calls, e.results, e.provider, e.model, e.provider_data,
    t.trigger, e.speaker, e.cut FROM entry e LEFT JOIN turn t ON t.id=e.turn
    WHERE e.conversation=?1 AND e.epoch=?2 AND e.live=1 ORDER BY e.place DESC, e.id DESC LIMIT ?3";

const ROUNDS: &str = "SELECT role, parts, calls, results, provider, model, provider_data, round FROM entry
    WHERE turn=?1 AND role='assistant' AND round>=0 ORDER BY round";

const RUNS: &str = "SELECT call_id, name, args, effect, result FROM tool_run WHERE turn=?1 AND round=?2 ORDER BY seq";

/// The newest `limit` entries, oldest first. A turn that the limit cut is left out: half of it would mislead.
pub(super) fn window(
    db: &Connection,
    conversation: i64,
    epoch: i64,
    limit: u32,
    media: &Media,
) -> Result<Vec<Entry>, Fault> {
    let mut statement = db.prepare_cached(WINDOW)?;
    let mut found = statement.query((conversation, epoch, i64::from(limit) + 1))?;
    let mut entries: Vec<Entry> = Vec::new();
    while let Some(row) = found.next()? {
        let turn = row.get::<_, Option<i64>>(7)?.map(InboxId);
        if entries.len() < limit as usize {
            let message = columns(row)?.read(media)?;
            entries.push(Entry {
                turn,
                speaker: row.get(8)?,
                message,
                cut: row.get(9)?,
            });
        } else if turn.is_some() && entries.last().is_some_and(|oldest| oldest.turn == turn) {
            entries.retain(|entry| entry.turn != turn);
        }
    }
    entries.reverse();
    Ok(entries)
}

/// The rounds of tool calls of a turn, by the turn's own number.
pub(super) fn rounds(db: &Connection, turn: i64, media: &Media) -> Result<Vec<RoundRecord>, Fault> {
    let mut statement = db.prepare_cached(ROUNDS)?;
    let mut found = statement.query([turn])?;
    let mut rounds = Vec::new();
    while let Some(row) = found.next()? {
        let runs = runs(db, turn, row.get(7)?)?;
        rounds.push(RoundRecord {
            assistant: columns(row)?.read(media)?,
            runs,
        });
    }
    Ok(rounds)
}

fn runs(db: &Connection, turn: i64, round: i64) -> Result<Vec<ToolRun>, Fault> {
    let mut statement = db.prepare_cached(RUNS)?;
    let mut found = statement.query((turn, round))?;
    let mut runs = Vec::new();
    while let Some(row) = found.next()? {
        let effect: String = row.get(3)?;
        let result: Option<String> = row.get(4)?;
        runs.push(ToolRun {
            call_id: row.get(0)?,
            name: row.get(1)?,
            arguments: row.get(2)?,
            effect: ToolEffect::parse(&effect).ok_or_else(|| Fault::unreadable("a tool's effect"))?,
            result: result.as_deref().map(read_result).transpose()?,
        });
    }
    Ok(runs)
}

/// The first seven columns of an entry.
fn columns(row: &Row<'_>) -> Result<EntryColumns, Fault> {
    Ok(EntryColumns {
        role: row.get(0)?,
        parts: row.get(1)?,
        calls: row.get(2)?,
        results: row.get(3)?,
        provider: row.get(4)?,
        model: row.get(5)?,
        provider_data: row.get(6)?,
    })
}
