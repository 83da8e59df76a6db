//! Pictures as files named by their hash, so that the database stays small.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use sha2::{Digest, Sha256};
use tertulia_core::authorize::{Admission, Authorized};
use tertulia_core::chat::{ChatMessage, Part};
use tertulia_core::record::{Entry, RowBody};
use tertulia_core::transaction::Transaction;
use tertulia_message::{Picture, RequestHistory};

use crate::open;
use crate::rows::entry::PictureRow;

/// Ends the name of a file that is being written.
const UNFINISHED: &str = "tmp";

/// Tells apart the files of two callers that keep the same picture at once.
static WRITTEN: AtomicU64 = AtomicU64::new(0);

/// The folder of pictures.
#[derive(Debug, Clone)]
pub(crate) struct Media {
    folder: PathBuf,
}

/// A row of the table `media`.
#[derive(Debug)]
pub(crate) struct MediaRow {
    pub(crate) sha256: Vec<u8>,
    pub(crate) mime: String,
    pub(crate) bytes: usize,
}

/// The name of a picture's file: the hash of its bytes.
pub(crate) fn name_of(bytes: &[u8]) -> String {
    use std::fmt::Write;
    Sha256::digest(bytes).iter().fold(String::new(), |mut name, byte| {
        // Writing to a string cannot fail.
        let _ = write!(name, "{byte:02x}");
        name
    })
}

impl Media {
    pub(crate) fn open(directory: &Path) -> io::Result<Self> {
        let folder = directory.join("media");
        open::private_directory(&folder)?;
        File::open(directory)?.sync_all()?;
        // What a process that was killed had not finished.
        for file in fs::read_dir(&folder)? {
            let path = file?.path();
            if path.extension().is_some_and(|extension| extension == UNFINISHED) {
                fs::remove_file(path)?;
            }
        }
        Ok(Self { folder })
    }

    /// Writes pictures so that they survive a loss of power, and gives their rows.
    pub(crate) fn keep(&self, pictures: &[Picture]) -> io::Result<Vec<MediaRow>> {
        let rows: io::Result<Vec<_>> = pictures.iter().map(|picture| self.keep_one(picture)).collect();
        File::open(&self.folder)?.sync_all()?;
        rows
    }

    fn keep_one(&self, picture: &Picture) -> io::Result<MediaRow> {
        let name = name_of(&picture.bytes);
        let target = self.folder.join(&name);
        if let Ok(known) = File::open(&target)
            && known.metadata()?.len() == picture.bytes.len() as u64
        {
            // It may have been written by a process that ended before it was synced.
            known.sync_all()?;
        } else {
            let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
            let unfinished = self.folder.join(format!("{name}.{number}.{UNFINISHED}"));
            let mut file = File::create(&unfinished)?;
            file.write_all(&picture.bytes)?;
            file.sync_all()?;
            fs::rename(&unfinished, &target)?;
        }
        let sha256 = Sha256::digest(&picture.bytes).to_vec();
        Ok(MediaRow {
            sha256,
            mime: picture.mime.clone(),
            bytes: picture.bytes.len(),
        })
    }

    /// The picture, unless its file is gone: then what was said stays without it.
    pub(crate) fn load(&self, row: PictureRow) -> Option<Picture> {
        match fs::read(self.folder.join(&row.sha256)) {
            Ok(bytes) => Some(Picture {
                mime: row.mime,
                bytes: bytes.into(),
            }),
            Err(error) => {
                tracing::warn!(sha256 = row.sha256, %error, "a stored picture cannot be read");
                None
            }
        }
    }
}

/// The pictures that come with events.
pub(crate) fn of_events(events: &[Authorized]) -> Vec<Picture> {
    let rows = events.iter().filter_map(|event| match event.admission() {
        Admission::Row(row) => Some(&row.body),
        Admission::Amend { .. } | Admission::Withdraw { .. } => None,
    });
    let requests = rows.filter_map(|body| match body {
        RowBody::Request(request) => Some(&request.history),
        RowBody::Message(_) | RowBody::Command { .. } => None,
    });
    let messages = requests.flat_map(|history| match history {
        RequestHistory::Stored(messages) | RequestHistory::Supplied(messages) => messages,
    });
    messages.flat_map(|message| message.pictures.iter().cloned()).collect()
}

/// The pictures that come with a transaction.
pub(crate) fn of_transaction(tx: &Transaction) -> Vec<Picture> {
    match tx {
        Transaction::Begin(begin) => of_entries(&begin.entries),
        Transaction::Settle(settle) => of_entries(&settle.entries),
        _ => Vec::new(),
    }
}

fn of_entries(entries: &[Entry]) -> Vec<Picture> {
    let parts = entries.iter().filter_map(|entry| match &entry.message {
        ChatMessage::User { parts } => Some(parts),
        ChatMessage::Assistant { .. } | ChatMessage::Tool { .. } => None,
    });
    let pictures = parts.flatten().filter_map(|part| match part {
        Part::Picture(picture) => Some(picture.clone()),
        Part::Text(_) => None,
    });
    pictures.collect()
}
