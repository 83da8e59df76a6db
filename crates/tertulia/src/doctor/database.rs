//! The database of a daemon that does not run.

use std::sync::Arc;

use jiff::Timestamp;
use tertulia_store::{OpenError, Options, inspect};

use super::report::Report;
use crate::config::Configuration;
use crate::failure::chain;
use crate::run::now;

/// Looks at it, and gives back when its newest message was stored.
pub(super) fn look(configuration: &Configuration, report: &mut Report) -> Option<Timestamp> {
    let options = Options::new(Arc::new(|| now().as_millisecond()));
    let inspection = match inspect(&configuration.directory, &options) {
        Ok(Some(inspection)) => inspection,
        Ok(None) => {
            report.ok("database", "none yet; the first start makes it");
            return None;
        }
        Err(error) => {
            report.fail("database", chain(&error), advice(&error));
            return None;
        }
    };
    let known = inspection.known;
    match inspection.schema {
        Some(found) if found < known => {
            let finding = format!("sound, with schema {found}; this version has {known}");
            report.ok(
                "database",
                format!("{finding}: the next start copies it and brings it up to date"),
            );
        }
        Some(found) if found > known => {
            report.ok(
                "database",
                format!("sound, with schema {found} of a newer version, which this one can read"),
            );
        }
        Some(found) => report.ok("database", format!("sound, with schema {found}")),
        None => report.ok("database", "empty"),
    }
    inspection
        .newest
        .and_then(|millis| Timestamp::from_millisecond(millis).ok())
}

fn advice(error: &OpenError) -> &'static str {
    match error {
        OpenError::TooNew { .. } => "a newer version wrote it: install that version again, or one that is newer still",
        OpenError::Edited(_) => {
            "another program, or another branch of this one, wrote it: use that one, or another store.directory"
        }
        OpenError::Corrupt(_) => {
            "keep a copy of the whole directory, then put back a backup, or try `sqlite3 tertulia.db .recover`"
        }
        OpenError::Locked(_) => "another program has it open: find out which (`fuser tertulia.db`), and end it",
        OpenError::NotDurable(_) => "put store.directory on a local disk",
        OpenError::Io(_) | OpenError::Migration(_) => "look at the permissions and the disk of store.directory",
    }
}
