//! Lines of an older bot's history.

use rusqlite::Connection;
use tertulia_core::chat::ChatMessage;
use tertulia_core::transaction::{Imported, ImportedLine};

use super::conversation;
use super::entries::{self, Place};
use crate::fault::Fault;

pub(super) fn import(db: &Connection, lines: Vec<ImportedLine>) -> Result<Imported, Fault> {
    let mut told = Imported::default();
    for line in lines {
        let mut key = db.prepare_cached("INSERT INTO imported(key) VALUES (?1) ON CONFLICT DO NOTHING")?;
        if key.execute([&line.key])? == 0 {
            told.known += 1;
        } else {
            take_in(db, line)?;
            told.added += 1;
        }
    }
    Ok(told)
}

fn take_in(db: &Connection, line: ImportedLine) -> Result<(), Fault> {
    let id = conversation::at(db, &line.path)?;
    let message = if line.speaker.is_some() {
        ChatMessage::user(line.text)
    } else {
        ChatMessage::assistant(line.text)
    };
    let place = Place {
        order: line.at,
        ..Place::beside_turns(id, conversation::epoch(db, id)?, line.at)
    };
    entries::append_one(db, &place, line.speaker, message)
}
