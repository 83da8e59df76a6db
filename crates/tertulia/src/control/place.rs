//! Where the socket is: the daemon and its client come to the same answer from the same configuration.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::environment::Environment;

/// The name of the socket's file.
const FILE: &str = "control.sock";

/// Where the socket of the installed service is.
const OF_SERVICE: &str = "/run/tertulia/control.sock";

/// Where the socket of the daemon with this state directory may be; the daemon takes the first of them that can be used.
///
/// That is: in the runtime directory that systemd gives to a service; in the user's runtime directory, in a place of its
/// own for every state directory; in the state directory.
pub(super) fn of_daemon(directory: &Path, environment: &Environment) -> Vec<PathBuf> {
    // systemd separates several directories by colons
    let of_service = environment
        .get("RUNTIME_DIRECTORY")
        .and_then(|list| list.split(':').next())
        .map(|directory| Path::new(directory).join(FILE));
    let of_user = environment
        .path("XDG_RUNTIME_DIR")
        .filter(|runtime| runtime.is_absolute() && is_own(runtime))
        .map(|runtime| runtime.join("tertulia").join(name_of(directory)).join(FILE));
    let of_state = directory.join(FILE);
    of_service.into_iter().chain(of_user).chain([of_state]).collect()
}

/// Where the socket of the installed service is.
pub(super) fn of_service() -> PathBuf {
    PathBuf::from(OF_SERVICE)
}

/// Whether it is a directory of this user: after `sudo -E`, say, it may be another's, who could put a socket of his own there.
fn is_own(directory: &Path) -> bool {
    let us = rustix::process::geteuid().as_raw();
    directory
        .metadata()
        .is_ok_and(|found| found.is_dir() && found.uid() == us)
}

/// A short name for a state directory, however it is written.
fn name_of(directory: &Path) -> String {
    let directory = directory.canonicalize().unwrap_or_else(|_| directory.to_owned());
    let hash = Sha256::digest(directory.as_os_str().as_encoded_bytes());
    let digits: Vec<String> = hash.iter().take(6).map(|byte| format!("{byte:02x}")).collect();
    digits.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn systemd_goes_before_the_user_and_the_user_before_the_state_directory() {
        let home = tempfile::tempdir().unwrap();
        let runtime = home.path().to_str().unwrap();
        let state = Path::new("/no/such/state");
        let of = |environment: Environment| of_daemon(state, &environment);
        let of_state = state.join("control.sock");
        assert_eq!(of(Environment::default()), [of_state.as_path()]);
        assert_eq!(of([("XDG_RUNTIME_DIR", "/no/such")].into()), [of_state.as_path()]);
        let both = of([("RUNTIME_DIRECTORY", "/run/a:/run/b"), ("XDG_RUNTIME_DIR", runtime)].into());
        assert_eq!(both.first().unwrap(), Path::new("/run/a/control.sock"));
        assert!(both.get(1).unwrap().starts_with(home.path().join("tertulia")));
        assert_eq!(both.len(), 3);
        // only root has that one
        let of_root = of([("XDG_RUNTIME_DIR", "/")].into());
        let is_root = rustix::process::geteuid().is_root();
        assert_eq!(of_root.len(), if is_root { 2 } else { 1 });
    }

    #[test]
    fn every_state_directory_has_a_name_of_its_own() {
        let home = tempfile::tempdir().unwrap();
        let (one, two) = (home.path().join("one"), home.path().join("two"));
        std::fs::create_dir(&one).unwrap();
        std::fs::create_dir(&two).unwrap();
        assert_ne!(name_of(&one), name_of(&two));
        assert_eq!(name_of(&one), name_of(&two.join("../one")));
    }
}
