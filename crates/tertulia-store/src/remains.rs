//! What has to go from the disk after something was forgotten: old pages in the log, pictures, and copies made before a
//! migration.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::Connection;

use crate::fault::Fault;
use crate::media::Media;
use crate::open::DATABASE;
use crate::stop::OpenMark;
use crate::write::Aftermath;

/// How long emptying the log waits for readers; others wait to write meanwhile.
const PATIENCE: Duration = Duration::from_millis(500);

/// What checkpoints leave of the log at most.
const LARGE_LOG: u64 = 64 * 1024 * 1024;

/// Clears away what was forgotten.
pub(crate) struct Remains {
    directory: PathBuf,
    media: Media,
    mark: OpenMark,
    /// That of the connection.
    patience: Duration,
    /// Set while the log, or a copy, may still hold what was forgotten.
    left: bool,
}

/// Set with the transaction that forgets, until nothing of it is left.
const IS_NOTED: &str = "SELECT EXISTS(SELECT 1 FROM meta WHERE key='forgotten')";
const DONE: &str = "DELETE FROM meta WHERE key='forgotten'";

impl Remains {
    pub(crate) fn new(directory: &Path, media: Media, mark: OpenMark, patience: Duration) -> Self {
        Self {
            directory: directory.to_owned(),
            media,
            mark,
            patience,
            left: false,
        }
    }

    /// Deletes the files of pictures that no row names: those of a process that ended before it had deleted them.
    pub(crate) fn sweep(&self, db: &Connection) -> io::Result<()> {
        for name in self.media.names()? {
            self.media.discard(&name, || is_named(db, &name))?;
        }
        Ok(())
    }

    /// Clears away what a process has left that ended between forgetting and clearing away.
    pub(crate) fn finish(&mut self, db: &Connection) -> Result<(), rusqlite::Error> {
        let forgotten = db.query_row(IS_NOTED, [], |row| row.get(0))?;
        let pictures = Vec::new();
        self.clear(db, Aftermath { forgotten, pictures });
        Ok(())
    }

    /// Clears away what a batch has left, after it was committed. What fails is reported; log and copies are tried again
    /// with the next batch.
    pub(crate) fn clear(&mut self, db: &Connection, aftermath: Aftermath) {
        for name in aftermath.pictures {
            if let Err(error) = self.media.discard(&name, || is_named(db, &name)) {
                tracing::error!(name, %error, "a picture that was forgotten could not be deleted");
            }
        }
        self.left |= aftermath.forgotten;
        if self.left {
            let cleared = [self.copies_are_deleted(), self.log_is_emptied(db)];
            self.left = !(cleared.iter().all(|cleared| *cleared) && is_done(db));
        }
    }

    /// Says so if the log has grown far beyond what checkpoints keep it at: something reads for hours, or the disk is full.
    pub(crate) fn watch_log(&self) {
        let log = fs::metadata(self.directory.join(format!("{DATABASE}-wal")));
        if let Some(bytes) = log.ok().map(|log| log.len()).filter(|bytes| *bytes > LARGE_LOG) {
            tracing::warn!(
                bytes,
                "the database's log has grown large; something may have kept it from being emptied"
            );
        }
    }

    /// Everything is in the main file and the log is empty.
    pub(crate) fn closed(self) {
        if let Err(error) = self.mark.clear() {
            tracing::warn!(%error, "the next start looks the database over: the mark of an open one cannot be deleted");
        }
    }

    fn copies_are_deleted(&self) -> bool {
        let deleted = self.delete_copies();
        if let Err(error) = &deleted {
            tracing::error!(%error, "a copy of the database from before something was forgotten could not be deleted");
        }
        deleted.is_ok()
    }

    fn log_is_emptied(&self, db: &Connection) -> bool {
        self.truncate(db).unwrap_or_else(|fault| {
            tracing::warn!(?fault, "the log could not be emptied of what was forgotten");
            false
        })
    }

    /// False if a reader still needs the log.
    fn truncate(&self, db: &Connection) -> Result<bool, Fault> {
        db.busy_timeout(PATIENCE.min(self.patience))?;
        let busy = db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0));
        db.busy_timeout(self.patience)?;
        Ok(busy? == 0)
    }

    /// They served to go back to an older version; keeping them would keep what was forgotten.
    fn delete_copies(&self) -> io::Result<()> {
        let copies = format!("{DATABASE}.pre-");
        for file in fs::read_dir(&self.directory)? {
            let file = file?;
            if file.file_name().to_string_lossy().starts_with(&copies) {
                fs::remove_file(file.path())?;
                tracing::info!(file = %file.path().display(), "deleted, since it held what was forgotten");
            }
        }
        Ok(())
    }
}

/// False if that could not be written down.
fn is_done(db: &Connection) -> bool {
    let done = db.execute(DONE, []);
    if let Err(error) = &done {
        tracing::warn!(%error, "it could not be noted that what was forgotten is cleared away");
    }
    done.is_ok()
}

/// Also where it cannot be found out: a picture too many is better than one too few.
fn is_named(db: &Connection, name: &str) -> bool {
    let row = db.query_row(
        "SELECT EXISTS(SELECT 1 FROM media WHERE sha256=unhex(?1))",
        [name],
        |row| row.get(0),
    );
    row.unwrap_or(true)
}
