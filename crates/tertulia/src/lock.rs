//! One instance per state directory.

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

use crate::failure::Failure;

/// The name of the file that is locked.
const FILE: &str = "lock";

/// The state directory is ours as long as this lives.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: File,
}

/// Who has a state directory.
pub(crate) enum Holder {
    /// Nobody; nobody else can take it as long as the lock lives, if there is one to hold.
    Nobody { _lock: Option<Lock> },
    /// An instance that runs.
    Daemon,
}

/// Looks who has the state directory; makes nothing.
///
/// # Errors
/// That cannot be told.
pub(crate) fn look(directory: &Path) -> std::io::Result<Holder> {
    let file = match File::open(directory.join(FILE)) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Holder::Nobody { _lock: None }),
        Err(error) => return Err(error),
    };
    match file.try_lock() {
        Ok(()) => Ok(Holder::Nobody {
            _lock: Some(Lock { _file: file }),
        }),
        Err(TryLockError::WouldBlock) => Ok(Holder::Daemon),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Makes the state directory if it is not there, and takes it.
///
/// # Errors
/// Another instance has it, or it cannot be used.
pub(crate) fn take(directory: &Path) -> Result<Lock, Failure> {
    let shown = directory.display();
    let unusable = |error: &std::io::Error| {
        Failure::config(format!(
            "the state directory {shown} (store.directory) cannot be used: {error}"
        ))
    };
    let made = DirBuilder::new().recursive(true).mode(0o700).create(directory);
    made.map_err(|error| unusable(&error))?;
    let open = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .mode(0o600)
        .open(directory.join(FILE));
    let file = open.map_err(|error| unusable(&error))?;
    match file.try_lock() {
        Ok(()) => Ok(Lock { _file: file }),
        Err(TryLockError::WouldBlock) => Err(Failure::busy(format!(
            "another instance works in the state directory {shown} (store.directory)"
        ))),
        Err(TryLockError::Error(error)) => Err(unusable(&error)),
    }
}
