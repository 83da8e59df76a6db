//! Entries of the history.

use rusqlite::{Connection, params};
use tertulia_core::chat::ChatMessage;
use tertulia_core::record::Entry;

use crate::fault::Fault;
use crate::rows::entry::{self, EntryColumns};

/// Not of a round of calls.
const NO_ROUND: i64 = -1;

const INSERT: &str =
    "INSERT INTO entry(conversation, epoch, turn, attempt, round, role, speaker, parts, calls, results,
    provider, model, provider_data, live, cut, created_at, place)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)";

/// Where entries stand, and when they were made.
pub(super) struct Place {
    pub(super) conversation: i64,
    pub(super) epoch: i64,
    /// None for what belongs to no turn.
    pub(super) turn: Option<i64>,
    pub(super) attempt: u32,
    pub(super) live: bool,
    pub(super) at: i64,
    /// By what entries are ordered before their numbers are asked.
    pub(super) order: i64,
}

/// The place of everything that was said here: behind all that was imported, by number.
pub(super) const HERE: i64 = i64::MAX;

impl Place {
    /// That of something that belongs to no turn.
    pub(super) fn beside_turns(conversation: i64, epoch: i64, at: i64) -> Self {
        Self {
            conversation,
            epoch,
            turn: None,
            attempt: 0,
            live: true,
            at,
            order: HERE,
        }
    }
}

/// Appends what people and the model said; empty messages are not remembered.
pub(super) fn append(db: &Connection, place: &Place, entries: Vec<Entry>) -> Result<(), Fault> {
    for entry in entries.into_iter().filter(|entry| entry::has_content(&entry.message)) {
        let columns = entry::write(entry.message)?;
        insert(db, place, NO_ROUND, entry.speaker.as_deref(), entry.cut, &columns)?;
    }
    Ok(())
}

/// Appends something that belongs to no turn, unless it is empty.
pub(super) fn append_one(
    db: &Connection,
    place: &Place,
    speaker: Option<String>,
    message: ChatMessage,
) -> Result<(), Fault> {
    let entry = Entry {
        turn: None,
        speaker,
        message,
        cut: false,
    };
    append(db, place, vec![entry])
}

/// Appends a message of a round of calls.
pub(super) fn append_round(db: &Connection, place: &Place, round: u32, columns: &EntryColumns) -> Result<(), Fault> {
    insert(db, place, i64::from(round), None, false, columns)
}

fn insert(
    db: &Connection,
    place: &Place,
    round: i64,
    speaker: Option<&str>,
    cut: bool,
    columns: &EntryColumns,
) -> Result<(), Fault> {
    db.prepare_cached(INSERT)?.execute(params![
        place.conversation,
        place.epoch,
        place.turn,
        place.attempt,
        round,
        columns.role,
        speaker,
        columns.parts,
        columns.calls,
        columns.results,
        columns.provider,
        columns.model,
        columns.provider_data,
        place.live,
        cut,
        place.at,
        place.order,
    ])?;
    Ok(())
}
