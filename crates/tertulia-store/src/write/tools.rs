//! Rounds of tool calls: recorded before they run, completed as results come.

use rusqlite::{Connection, OptionalExtension};
use tertulia_core::chat::{ChatMessage, ToolResult};
use tertulia_core::record::{InboxId, ToolRun};

use super::entries;
use super::turns::{self, Turn};
use crate::fault::Fault;
use crate::rows::entry::{self, EntryColumns};
use crate::rows::words::number;

const INSERT: &str = "INSERT INTO tool_run(turn, attempt, round, call_id, seq, name, args, effect, state, result)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";

const KNOWN: &str = "SELECT role, parts, calls, results, provider, model, provider_data FROM entry
    WHERE turn=?1 AND round=?2 AND role='assistant'";

/// Records a round. The same one again changes nothing; another one under its number replaces it and what followed.
pub(super) fn started(
    db: &Connection,
    trigger: InboxId,
    attempt: u32,
    round: u32,
    assistant: ChatMessage,
    runs: Vec<ToolRun>,
) -> Result<(), Fault> {
    let Some(turn) = turns::unsettled(db, trigger, attempt)? else {
        return Ok(());
    };
    let columns = entry::write(assistant)?;
    if known(db, turn.id, round)?.as_ref() == Some(&columns) {
        return Ok(());
    }
    db.prepare_cached("DELETE FROM entry WHERE turn=?1 AND round>=?2")?
        .execute((turn.id, round))?;
    db.prepare_cached("DELETE FROM tool_run WHERE turn=?1 AND round>=?2")?
        .execute((turn.id, round))?;
    entries::append_round(db, &turn.place(false, turn.began_at), round, &columns)?;
    for (seq, run) in runs.into_iter().enumerate() {
        let state = if run.result.is_some() { "done" } else { "started" };
        let result = run.result.map(entry::write_result).transpose()?;
        let (seq, effect) = (number(seq), run.effect.as_str());
        let row = (
            turn.id,
            attempt,
            round,
            run.call_id,
            seq,
            run.name,
            run.arguments,
            effect,
            state,
            result,
        );
        db.prepare_cached(INSERT)?.execute(row)?;
    }
    Ok(())
}

fn known(db: &Connection, turn: i64, round: u32) -> Result<Option<EntryColumns>, Fault> {
    let found = db.prepare_cached(KNOWN)?.query_row((turn, round), |row| {
        Ok(EntryColumns {
            role: row.get(0)?,
            parts: row.get(1)?,
            calls: row.get(2)?,
            results: row.get(3)?,
            provider: row.get(4)?,
            model: row.get(5)?,
            provider_data: row.get(6)?,
        })
    });
    Ok(found.optional()?)
}

/// Records a result; the first one of a call holds. False if this one was not recorded.
pub(super) fn done(
    db: &Connection,
    trigger: InboxId,
    attempt: u32,
    round: u32,
    result: ToolResult,
) -> Result<bool, Fault> {
    let Some(turn) = turns::unsettled(db, trigger, attempt)? else {
        return Ok(false);
    };
    let mut call = db.prepare_cached("SELECT state='done' FROM tool_run WHERE turn=?1 AND round=?2 AND call_id=?3")?;
    let done: Option<bool> = call
        .query_row((turn.id, round, &result.call_id), |row| row.get(0))
        .optional()?;
    match done {
        None => return Err(Fault::refused("no such call")),
        Some(true) => return Ok(false),
        Some(false) => {}
    }
    let sql = "UPDATE tool_run SET state='done', result=?4 WHERE turn=?1 AND round=?2 AND call_id=?3";
    let call_id = result.call_id.clone();
    db.prepare_cached(sql)?
        .execute((turn.id, round, call_id, entry::write_result(result)?))?;
    tell(db, &turn, round)?;
    Ok(true)
}

/// Writes all results of a round into its one entry, in the order of the calls.
fn tell(db: &Connection, turn: &Turn, round: u32) -> Result<(), Fault> {
    let sql = "SELECT result FROM tool_run WHERE turn=?1 AND round=?2 AND result IS NOT NULL ORDER BY seq";
    let mut statement = db.prepare_cached(sql)?;
    let texts: Result<Vec<String>, _> = statement.query_map((turn.id, round), |row| row.get(0))?.collect();
    let results: Result<_, Fault> = texts?.iter().map(|text| entry::read_result(text)).collect();
    let columns = entry::write(ChatMessage::Tool { results: results? })?;
    let sql = "UPDATE entry SET results=?3 WHERE turn=?1 AND round=?2 AND role='tool'";
    let changed = db.prepare_cached(sql)?.execute((turn.id, round, &columns.results))?;
    if changed == 0 {
        entries::append_round(db, &turn.place(false, turn.began_at), round, &columns)?;
    }
    Ok(())
}
