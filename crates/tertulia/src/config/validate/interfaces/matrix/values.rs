//! Values that stand in a section or in a variable, and know where they stand.

use secrecy::SecretString;

use super::super::super::super::error::{ConfigError, Origin};
use super::super::super::super::schema::Shape;
use super::super::super::super::secrets::{self, Place};
use super::super::super::super::settings::Settings;
use crate::environment::Environment;

/// A value that a section or a variable may have.
pub(super) struct Source {
    pub(super) key: &'static str,
    /// The key that names a file with it; none for what is no secret.
    pub(super) file_key: &'static str,
    /// What the section does not say is taken from here.
    pub(super) variable: &'static str,
}

pub(super) const HOMESERVER: Source = source("homeserver", "", "MATRIX_HOMESERVER");
pub(super) const USER: Source = source("user", "", "MATRIX_USER");
pub(super) const PASSWORD: Source = source("password", "password_file", "MATRIX_PASSWORD");
pub(super) const TOKEN: Source = source("token", "token_file", "MATRIX_TOKEN");
pub(super) const RECOVERY_KEY: Source = source("recovery_key", "recovery_key_file", "MATRIX_RECOVERY_KEY");

/// What shows that an account was meant.
pub(super) const LOGIN_VARIABLES: [&str; 3] = [USER.variable, PASSWORD.variable, TOKEN.variable];

const fn source(key: &'static str, file_key: &'static str, variable: &'static str) -> Source {
    Source {
        key,
        file_key,
        variable,
    }
}

/// A value and where it stands.
pub(super) struct Given<T> {
    pub(super) value: T,
    at: At,
}

/// Where a value stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    Key(&'static str),
    Variable(&'static str),
}

/// Where values of an account are looked for.
pub(super) struct Values<'a> {
    pub(super) settings: &'a Settings,
    pub(super) environment: &'a Environment,
    /// The name of the interface.
    pub(super) name: &'a str,
}

impl Values<'_> {
    /// What is no secret.
    pub(super) fn text(&self, source: &Source) -> Option<Given<String>> {
        let own = self.settings.text(&["interfaces", self.name, source.key]);
        let own = own.map(|text| Given::at(text.to_owned(), At::Key(source.key)));
        own.or_else(|| {
            let text = self.environment.get(source.variable)?;
            Some(Given::at(text.trim().to_owned(), At::Variable(source.variable)))
        })
    }

    /// A secret: the section's own, else the variable's.
    pub(super) fn secret(&self, source: &Source) -> Result<Option<Given<SecretString>>, ConfigError> {
        let own = self.own_secret(source)?;
        Ok(own.or_else(|| self.secret_of_variable(source)))
    }

    /// A secret of the section: from the environment's layer, a file, or a credential.
    pub(super) fn own_secret(&self, source: &Source) -> Result<Option<Given<SecretString>>, ConfigError> {
        let place = Place {
            section: &["interfaces", self.name],
            file_key: source.file_key,
            key: source.key,
            credential: &format!("{}_{}", self.name, source.key),
        };
        let is_set = self.settings.text(&["interfaces", self.name, source.key]).is_some();
        let at = if is_set { source.key } else { source.file_key };
        let secret = secrets::read(&place, self.settings, self.environment)?;
        Ok(secret.map(|secret| Given::at(secret, At::Key(at))))
    }

    pub(super) fn secret_of_variable(&self, source: &Source) -> Option<Given<SecretString>> {
        let secret = self.environment.get(source.variable)?;
        Some(Given::at(secret.trim().into(), At::Variable(source.variable)))
    }

    /// An error about a key of the section.
    pub(super) fn missing(&self, key: &str, problem: &str) -> ConfigError {
        self.settings.wrong(&["interfaces", self.name, key], problem)
    }
}

impl<T> Given<T> {
    fn at(value: T, at: At) -> Self {
        Self { value, at }
    }

    /// True if the section has it.
    pub(super) fn is_own(&self) -> bool {
        matches!(self.at, At::Key(_))
    }

    /// Where it stands, in a sentence.
    pub(super) fn place(&self, name: &str) -> String {
        match self.at {
            At::Key(key) => format!("interfaces.{name}.{key}"),
            At::Variable(variable) => variable.to_owned(),
        }
    }

    /// An error about it, which also names the file that it was read from.
    pub(super) fn wrong(&self, values: &Values<'_>, problem: &str) -> ConfigError {
        let key = match self.at {
            At::Key(key) => key,
            At::Variable(variable) => {
                return ConfigError::new(Origin::Variable(variable.to_owned()), format!("the value {problem}"));
            }
        };
        let path = ["interfaces", values.name, key];
        let setting = values.settings.find(&path);
        let file = setting
            .filter(|setting| setting.shape == Shape::File)
            .zip(values.settings.text(&path));
        let file = file.map(|(setting, file)| setting.origin.base().join(file));
        let file = file.map(|file| format!("names {}, whose content ", file.display()));
        values
            .settings
            .wrong(&path, format!("{}{problem}", file.unwrap_or_default()))
    }
}
