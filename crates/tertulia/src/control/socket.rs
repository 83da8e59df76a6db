//! The socket itself: bound where nobody else can reach it, removed when it is dropped.

use std::fs::{self, DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, PermissionsExt};
use std::path::{Path, PathBuf};

use tokio::net::{UnixListener, UnixStream};

use super::place;
use crate::environment::Environment;
use crate::failure::Failure;

/// The kernel's bound for the path of a socket, in bytes.
const LONGEST_PATH: usize = 107;

/// A bound socket.
pub(crate) struct Socket {
    listener: UnixListener,
    file: PathBuf,
    owner: u32,
}

/// Why a place for the socket cannot be used.
enum Unusable {
    /// Another place may do.
    Here(String),
    /// Another daemon answers there.
    Taken,
}

impl Socket {
    /// Binds the socket at the first place that can be used. Whoever calls this has the lock on the state directory, so a
    /// socket that is left there belongs to nobody.
    ///
    /// # Errors
    /// No place can be used, or another daemon answers at one.
    pub(crate) async fn bind(directory: &Path, environment: &Environment) -> Result<Self, Failure> {
        let mut problems = Vec::new();
        for file in place::of_daemon(directory, environment) {
            match Self::at(&file).await {
                Ok(socket) => return Ok(socket),
                Err(Unusable::Taken) => {
                    let shown = file.display();
                    let sentence =
                        format!("another daemon answers at {shown}; give this one a RUNTIME_DIRECTORY of its own");
                    return Err(Failure::busy(sentence));
                }
                Err(Unusable::Here(problem)) => problems.push(format!("{} {problem}", file.display())),
            }
        }
        let problems = problems.join("; ");
        Err(Failure::config(format!(
            "there is no place for the control socket: {problems}. Set RUNTIME_DIRECTORY, or a shorter store.directory"
        )))
    }

    async fn at(file: &Path) -> Result<Self, Unusable> {
        let length = file.as_os_str().len();
        if length > LONGEST_PATH {
            let problem = format!("is {length} bytes long, and the path of a socket has at most {LONGEST_PATH}");
            return Err(Unusable::Here(problem));
        }
        let failed = |error: io::Error| Unusable::Here(format!("cannot be made: {error}"));
        if let Some(parent) = file.parent() {
            let made = DirBuilder::new().recursive(true).mode(0o700).create(parent);
            made.map_err(failed)?;
        }
        clear(file).await?;
        let listener = UnixListener::bind(file).map_err(failed)?;
        fs::set_permissions(file, Permissions::from_mode(0o600)).map_err(failed)?;
        Ok(Self {
            listener,
            file: file.to_owned(),
            owner: own_user().map_err(failed)?,
        })
    }

    /// Where it is.
    pub(crate) fn file(&self) -> &Path {
        &self.file
    }

    /// The user that this process runs as.
    pub(super) fn owner(&self) -> u32 {
        self.owner
    }

    pub(super) async fn accept(&self) -> io::Result<UnixStream> {
        self.listener.accept().await.map(|(stream, _)| stream)
    }

    /// Removes the file: nobody answers here any more.
    pub(super) fn remove(&self) {
        // where it cannot be removed, the next start replaces it
        let _ = fs::remove_file(&self.file);
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        self.remove();
    }
}

/// Removes the socket of a daemon that is dead.
async fn clear(file: &Path) -> Result<(), Unusable> {
    let Ok(found) = fs::symlink_metadata(file) else {
        return Ok(());
    };
    if !found.file_type().is_socket() {
        return Err(Unusable::Here("is there, and is no socket".to_owned()));
    }
    if UnixStream::connect(file).await.is_ok() {
        return Err(Unusable::Taken);
    }
    fs::remove_file(file).map_err(|error| Unusable::Here(format!("cannot be replaced: {error}")))
}

/// The user that this process runs as: what the kernel tells about the other end, where both ends are ours.
pub(crate) fn own_user() -> io::Result<u32> {
    let (one, _other) = UnixStream::pair()?;
    Ok(one.peer_cred()?.uid())
}
