//! What is said of Matrix in a program that was built without it.

use super::super::super::Platform;
use super::super::super::error::ConfigError;
use super::super::super::secrets::Known;
use super::super::super::settings::Settings;
use crate::environment::Environment;

const PROBLEM: &str = "this program was built without Matrix (cargo's feature matrix)";

/// Nothing is there by variables.
pub(super) fn is_found(_: &Environment) -> bool {
    false
}

/// No account can be.
pub(super) struct Accounts<'a> {
    settings: &'a Settings,
    environment: &'a Environment,
    pub(super) known: Known,
}

impl<'a> Accounts<'a> {
    #[expect(clippy::unnecessary_wraps, reason = "the other one looks for its directory")]
    pub(super) fn new(settings: &'a Settings, environment: &'a Environment) -> Result<Self, ConfigError> {
        Ok(Self {
            settings,
            environment,
            known: Known::default(),
        })
    }

    /// One that is switched off does no harm.
    pub(super) fn read(&mut self, name: &str, is_on: bool) -> Result<Option<Platform>, ConfigError> {
        if is_on {
            let problem = format!("is of the kind matrix, and {PROBLEM}");
            return Err(self.settings.wrong(&["interfaces", name], problem));
        }
        Ok(None)
    }

    #[expect(clippy::unnecessary_wraps, reason = "the other one may find half of what is needed")]
    pub(super) fn found(&mut self) -> Result<(Option<Platform>, Option<String>), ConfigError> {
        let is_set = self.environment.get("MATRIX_HOMESERVER").is_some();
        Ok((
            None,
            is_set.then(|| format!("MATRIX_HOMESERVER is set, but {PROBLEM}.")),
        ))
    }
}
