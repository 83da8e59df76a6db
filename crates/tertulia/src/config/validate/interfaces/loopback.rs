//! The keys of the platform that only tests use.

use std::sync::Arc;

use tertulia_interface::Interface;
use tertulia_loopback::{Config, Loopback, ShownProgress};

use super::super::super::error::ConfigError;
use super::super::super::nearest::hint;
use super::super::super::settings::Settings;

/// Its keys.
const KEYS: [&str; 5] = ["kind", "enabled", "base_url", "progress", "deadline_ms"];

pub(super) fn read(settings: &Settings, name: &str) -> Result<Arc<dyn Interface>, ConfigError> {
    super::check_keys(settings, name, "loopback", &KEYS)?;
    let base_url = ["interfaces", name, "base_url"];
    let Some(address) = settings.text(&base_url) else {
        return Err(settings.wrong(&base_url, "is missing"));
    };
    let mut config = Config::at(address);
    let progress = ["interfaces", name, "progress"];
    config.progress = match settings.text(&progress) {
        None | Some("edit") => ShownProgress::Edit,
        Some("hidden") => ShownProgress::Hidden,
        Some(word) => {
            let near = hint(word, ["edit", "hidden"]);
            return Err(settings.wrong(&progress, format!("must be edit or hidden, not {word:?}{near}")));
        }
    };
    if let Some(deadline) = settings.whole(&["interfaces", name, "deadline_ms"]) {
        config.deadline_ms = deadline;
    }
    match Loopback::new(name, &config) {
        Ok(loopback) => Ok(Arc::new(loopback)),
        Err(error) => Err(settings.wrong(&base_url, format!("cannot be used: {error}"))),
    }
}
