//! Pictures, and files that go out, as files named by their hash, so that the database stays small.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

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
    held: Held,
}

/// How many are about to name which picture: its file must not be deleted although no row names it.
type Held = Arc<Mutex<BTreeMap<String, usize>>>;

/// Pictures that are on disk, held there until their rows are.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    rows: Vec<MediaRow>,
    names: Vec<String>,
    held: Held,
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
        let held = Held::default();
        Ok(Self { folder, held })
    }

    /// Writes pictures so that they survive a loss of power, and gives their rows.
    pub(crate) fn keep(&self, pictures: &[Picture]) -> io::Result<Kept> {
        let mut kept = Kept {
            rows: Vec::new(),
            names: Vec::new(),
            held: self.held.clone(),
        };
        for picture in pictures {
            kept.hold(name_of(&picture.bytes));
            kept.rows.push(self.keep_one(picture)?);
        }
        File::open(&self.folder)?.sync_all()?;
        Ok(kept)
    }

    /// The names of all pictures; also of those that no row names.
    pub(crate) fn names(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for file in fs::read_dir(&self.folder)? {
            let name = file?.file_name().to_string_lossy().into_owned();
            if name.len() == 64 && name.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                names.push(name);
            }
        }
        Ok(names)
    }

    /// Deletes the file of a picture, unless somebody is about to name it. `is_named`: whether a row names it now.
    pub(crate) fn discard(&self, name: &str, is_named: impl FnOnce() -> bool) -> io::Result<()> {
        let held = lock(&self.held);
        if held.contains_key(name) || is_named() {
            return Ok(());
        }
        match fs::remove_file(self.folder.join(name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Writes any content so that it survives a loss of power, and gives its name. It has no row yet.
    pub(crate) fn keep_content(&self, bytes: &[u8]) -> io::Result<String> {
        let name = name_of(bytes);
        self.write(&name, bytes)?;
        File::open(&self.folder)?.sync_all()?;
        Ok(name)
    }

    /// The content of this name, unless its file is gone.
    pub(crate) fn content(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        match fs::read(self.folder.join(name)) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn keep_one(&self, picture: &Picture) -> io::Result<MediaRow> {
        self.write(&name_of(&picture.bytes), &picture.bytes)?;
        Ok(MediaRow {
            sha256: Sha256::digest(&picture.bytes).to_vec(),
            mime: picture.mime.clone(),
            bytes: picture.bytes.len(),
        })
    }

    fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let target = self.folder.join(name);
        if let Ok(known) = File::open(&target)
            && known.metadata()?.len() == bytes.len() as u64
        {
            // It may have been written by a process that ended before it was synced.
            known.sync_all()?;
        } else {
            let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
            let unfinished = self.folder.join(format!("{name}.{number}.{UNFINISHED}"));
            let mut file = File::create(&unfinished)?;
            file.write_all(bytes)?;
            file.sync_all()?;
            fs::rename(&unfinished, &target)?;
        }
        Ok(())
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

impl Kept {
    pub(crate) fn rows(&self) -> &[MediaRow] {
        &self.rows
    }

    fn hold(&mut self, name: String) {
        *lock(&self.held).entry(name.clone()).or_insert(0) += 1;
        self.names.push(name);
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        let mut held = lock(&self.held);
        for name in &self.names {
            if let Some(count) = held.get_mut(name) {
                *count -= 1;
            }
        }
        held.retain(|_, count| *count > 0);
    }
}

fn lock(held: &Held) -> MutexGuard<'_, BTreeMap<String, usize>> {
    held.lock().unwrap_or_else(PoisonError::into_inner)
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
    requests.flat_map(of_history).collect()
}

fn of_history(history: &RequestHistory) -> Vec<Picture> {
    let (RequestHistory::Stored(messages) | RequestHistory::Supplied(messages)) = history;
    messages
        .iter()
        .flat_map(|message| message.pictures.iter().cloned())
        .collect()
}

/// The pictures that come with a transaction.
pub(crate) fn of_transaction(tx: &Transaction) -> Vec<Picture> {
    match tx {
        Transaction::Begin(begin) => of_entries(&begin.entries),
        Transaction::Settle(settle) => of_entries(&settle.entries),
        Transaction::Retry { body, .. } => match &**body {
            RowBody::Request(request) => of_history(&request.history),
            RowBody::Message(_) | RowBody::Command { .. } => Vec::new(),
        },
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
