//! Where everything is kept.

use std::path::{Path, PathBuf};

use super::super::error::ConfigError;
use super::super::settings::Settings;
use crate::environment::Environment;

/// The state directory: the configured one, systemd's, or the one of the XDG rules.
pub(super) fn directory(settings: &Settings, environment: &Environment) -> Result<PathBuf, ConfigError> {
    let key = ["store", "directory"];
    if let Some(setting) = settings.find(&key) {
        let directory = settings.text(&key).unwrap_or_default();
        if directory.is_empty() {
            return Err(settings.wrong(&key, "is empty"));
        }
        let directory = setting.origin.base().join(directory);
        if directory.exists() && !directory.is_dir() {
            let problem = format!("names {}, which is not a directory", directory.display());
            return Err(settings.wrong(&key, problem));
        }
        return Ok(directory);
    }
    // systemd separates several directories by colons
    let of_systemd = environment
        .get("STATE_DIRECTORY")
        .and_then(|list| list.split(':').next());
    if let Some(directory) = of_systemd {
        return Ok(directory.into());
    }
    let absolute = |name| environment.path(name).filter(|path: &PathBuf| path.is_absolute());
    let state = absolute("XDG_STATE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".local/state")));
    state.map(|state| state.join(Path::new("tertulia"))).ok_or_else(|| {
        settings.wrong(
            &key,
            "is not set, and neither is STATE_DIRECTORY, XDG_STATE_HOME or HOME",
        )
    })
}
