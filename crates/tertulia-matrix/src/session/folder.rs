//! The state directory: what is in it, who may read it, and that nothing is half written.

use std::fs::Permissions;
use std::io::{Error, ErrorKind};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tokio::fs;
use tokio::io::AsyncWriteExt as _;

/// Whose session it is, and its token.
pub(super) const SESSION: &str = "session.json";
/// The key that opens the account's encrypted secrets.
pub(crate) const RECOVERY_KEY: &str = "recovery-key";
/// The library's store of keys.
const KEYS: &str = "matrix-sdk-crypto.sqlite3";
/// Nobody else reads or writes.
const ONLY_US: u32 = 0o600;
const ONLY_OUR_FOLDER: u32 = 0o700;

/// The state directory of one interface.
#[derive(Debug, Clone)]
pub(crate) struct Folder(PathBuf);

/// What is kept of a session: whose it is is written down before the first login, and never changes.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Kept {
    pub(super) user: String,
    pub(super) device: String,
    /// Missing until the first login has succeeded, and where the token is configured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) token: Option<String>,
}

/// Why the state directory is of no use. The text names the file, never what is in it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum FolderError {
    #[error("{path} cannot be read or written: {why}")]
    Failed { path: String, why: String },
    #[error(
        "{0} is not what was written there; put the backup of the whole directory in its place, or move the directory away to \
         begin anew as another device"
    )]
    Odd(String),
}

impl Folder {
    pub(crate) fn new(path: &Path) -> Self {
        Self(path.to_path_buf())
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Where a file of this name lies.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// True if the library has keys here.
    pub(super) fn has_keys(&self) -> bool {
        self.file(KEYS).exists()
    }

    /// Makes the directory, and lets nobody else in.
    pub(super) async fn make(&self) -> Result<(), FolderError> {
        let told = |error: Error| failed(&self.0, &error);
        fs::create_dir_all(&self.0).await.map_err(told)?;
        let ours = Permissions::from_mode(ONLY_OUR_FOLDER);
        fs::set_permissions(&self.0, ours).await.map_err(told)
    }

    /// Takes all files from everybody else: the library makes its own as the process's mask lets it.
    pub(super) async fn close(&self) -> Result<(), FolderError> {
        let told = |error: Error| failed(&self.0, &error);
        let mut entries = fs::read_dir(&self.0).await.map_err(told)?;
        while let Some(entry) = entries.next_entry().await.map_err(told)? {
            let is_file = entry.file_type().await.is_ok_and(|kind| kind.is_file());
            let closed = if is_file {
                fs::set_permissions(entry.path(), Permissions::from_mode(ONLY_US)).await
            } else {
                Ok(())
            };
            match closed {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(told(error)),
                _ => {}
            }
        }
        Ok(())
    }

    /// The session that is kept, if there is one.
    pub(super) async fn kept(&self) -> Result<Option<Kept>, FolderError> {
        let odd = || FolderError::Odd(self.file(SESSION).display().to_string());
        let Some(text) = self.read(SESSION).await? else {
            return Ok(None);
        };
        serde_json::from_str(&text).map(Some).map_err(|_| odd())
    }

    pub(super) async fn keep(&self, kept: &Kept) -> Result<(), FolderError> {
        let odd = || FolderError::Odd(self.file(SESSION).display().to_string());
        let text = serde_json::to_string(kept).map_err(|_| odd())?;
        self.write(SESSION, &text).await
    }

    /// A file's text, if there is such a file.
    pub(crate) async fn read(&self, name: &str) -> Result<Option<String>, FolderError> {
        let path = self.file(name);
        match fs::read_to_string(&path).await {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) if error.kind() == ErrorKind::InvalidData => Err(FolderError::Odd(path.display().to_string())),
            Err(error) => Err(failed(&path, &error)),
        }
    }

    /// Puts a text in the place of a file: after a power cut either the old or the new one is there, whole.
    pub(crate) async fn write(&self, name: &str, text: &str) -> Result<(), FolderError> {
        let path = self.file(name);
        let written = self.file(&format!("{name}.new"));
        let replaced = async {
            let mut options = fs::OpenOptions::new();
            options.write(true).create(true).truncate(true).mode(ONLY_US);
            let mut file = options.open(&written).await?;
            file.write_all(text.as_bytes()).await?;
            file.sync_all().await?;
            fs::rename(&written, &path).await?;
            fs::File::open(&self.0).await?.sync_all().await
        };
        replaced.await.map_err(|error| failed(&path, &error))
    }
}

fn failed(path: &Path, error: &Error) -> FolderError {
    FolderError::Failed {
        path: path.display().to_string(),
        why: error.to_string(),
    }
}

impl std::fmt::Debug for Kept {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Kept({} on {}, ..)", self.user, self.device)
    }
}

#[cfg(test)]
mod tests;
