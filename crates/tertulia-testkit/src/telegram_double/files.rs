//! Files that the server keeps.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// The largest file that a bot may fetch, in bytes.
pub(super) const LARGEST_DOWNLOAD: u64 = 20 << 20;

/// A file.
#[derive(Debug, Clone)]
pub(super) struct File {
    pub(super) path: String,
    /// The size that the server tells, in bytes; it may be larger than what there is.
    pub(super) size: u64,
    pub(super) bytes: Vec<u8>,
    /// True once the bot has asked for its path.
    pub(super) is_asked_for: bool,
}

/// All files, by the id that the bot knows.
#[derive(Debug, Default)]
pub(super) struct Files {
    files: BTreeMap<String, File>,
}

impl Files {
    /// Keeps a file; gives its id, and the fields that every kind of file has.
    pub(super) fn keep(&mut self, folder: &str, extension: &str, bytes: Vec<u8>, size: Option<u64>) -> (String, Value) {
        let n = self.files.len() + 1;
        let id = format!("BQACAgIAAxkB-{n:06}");
        let size = size.unwrap_or(bytes.len() as u64);
        let file = File {
            path: format!("{folder}/file_{n}.{extension}"),
            size,
            bytes,
            is_asked_for: false,
        };
        self.files.insert(id.clone(), file);
        let fields = json!({"file_id": id, "file_unique_id": format!("AgAD{n:06}"), "file_size": size});
        (id, fields)
    }

    pub(super) fn by_id(&mut self, id: &str) -> Option<&mut File> {
        self.files.get_mut(id)
    }

    /// The bytes behind a path that the bot was given.
    pub(super) fn by_path(&self, path: &str) -> Option<&[u8]> {
        let mut files = self.files.values();
        let file = files.find(|file| file.is_asked_for && file.path == path)?;
        Some(&file.bytes)
    }

    /// The bytes of a file, for the test.
    pub(super) fn bytes(&self, id: &str) -> Option<Vec<u8>> {
        self.files.get(id).map(|file| file.bytes.clone())
    }
}
