//! Where secrets come from: files, credentials of systemd, the environment.

use std::io;
use std::path::{Path, PathBuf};

use reqwest::Url;
use secrecy::{ExposeSecret, SecretString};

use super::error::{ConfigError, Origin};
use super::file;
use super::settings::Settings;
use crate::environment::Environment;

/// Larger files are no secrets, in bytes.
const LARGEST: u64 = 64 << 10;

/// What the names of variables with secrets end with.
const WORDS: [&str; 4] = ["TOKEN", "KEY", "PASSWORD", "SECRET"];

/// Every secret that was read, so that no log shows one.
#[derive(Default, Clone)]
pub(crate) struct Known(Vec<SecretString>);

impl Known {
    pub(crate) fn add(&mut self, secret: &SecretString) {
        self.0.push(secret.clone());
    }

    /// Takes over what another one knows.
    pub(crate) fn join(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// An address may have a password in it, or a key in its query.
    pub(crate) fn add_url(&mut self, address: &str) {
        let Ok(url) = Url::parse(address) else { return };
        let values = url.query_pairs().map(|(_, value)| value.into_owned());
        let secrets = url.password().map(str::to_owned).into_iter().chain(values);
        self.0.extend(secrets.map(SecretString::from));
    }

    /// What lies in the environment and is a secret by its name, whoever it is for.
    pub(crate) fn add_environment(&mut self, environment: &Environment) {
        let is_secret = |name: &str| WORDS.iter().any(|word| name.ends_with(word));
        let secrets = environment.all().filter(|(name, _)| is_secret(name));
        self.0.extend(secrets.map(|(_, value)| SecretString::from(value)));
        for (name, value) in environment.all() {
            if name.ends_with("_URL") {
                self.add_url(value);
            }
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(ExposeSecret::expose_secret)
    }
}

/// A secret with two keys, `<key>_file` and the one that only the environment may set, and a credential.
pub(crate) struct Place<'a> {
    /// The section of the two keys.
    pub(crate) section: &'a [&'a str],
    /// The key that names a file.
    pub(crate) file_key: &'a str,
    /// The key that only the environment may set.
    pub(crate) key: &'a str,
    /// The name in `$CREDENTIALS_DIRECTORY`, also with `secrets_` before it.
    pub(crate) credential: &'a str,
}

/// Reads a secret: the environment's, else the file's, else the credential.
pub(crate) fn read(
    place: &Place<'_>,
    settings: &Settings,
    environment: &Environment,
) -> Result<Option<SecretString>, ConfigError> {
    let path = |key| [place.section, &[key]].concat();
    if let Some(secret) = settings.text(&path(place.key)) {
        return Ok(Some(secret.into()));
    }
    let file_key = path(place.file_key);
    if let Some(setting) = settings.find(&file_key) {
        let name = settings.text(&file_key).unwrap_or_default();
        if name.is_empty() {
            return Err(settings.wrong(&file_key, "is empty"));
        }
        let file = setting.origin.base().join(name);
        let secret = read_file(&file);
        return secret
            .map(Some)
            .map_err(|problem| settings.wrong(&file_key, format!("names {}, {problem}", file.display())));
    }
    match credential(place.credential, environment) {
        None => Ok(None),
        Some(file) => read_file(&file).map(Some).map_err(|problem| {
            let problem = format!("{} is read from {}, {problem}", file_key.join("."), file.display());
            ConfigError::new(Origin::Variable("CREDENTIALS_DIRECTORY".to_owned()), problem)
        }),
    }
}

/// The file of a credential, if there is one: under its name, or as a file of the directory that the unit calls `secrets`.
fn credential(name: &str, environment: &Environment) -> Option<PathBuf> {
    let directory = environment.path("CREDENTIALS_DIRECTORY")?;
    // `LoadCredential=secrets:<directory>` puts the directory's name before those of its files
    let names = [name.to_owned(), format!("secrets_{name}")];
    let mut files = names.iter().map(|name| directory.join(name));
    files.find(|file| file.exists())
}

/// The content of a file, without white space around it.
///
/// # Errors
/// What is wrong with the file, to stand behind its name; nothing of its content.
pub(crate) fn read_file(file: &Path) -> Result<SecretString, String> {
    let text = file::read_text(file, LARGEST).map_err(|error| words(&error))?;
    match text.trim() {
        "" => Err("which is empty".to_owned()),
        text => Ok(text.into()),
    }
}

/// The key in a variable of a service's own clients.
///
/// # Errors
/// No request could carry it.
pub(crate) fn of_variable(variable: &str, key: &str) -> Result<SecretString, ConfigError> {
    let key = SecretString::from(key);
    match unsendable(&key) {
        None => Ok(key),
        Some(problem) => {
            let origin = Origin::Variable(variable.to_owned());
            Err(ConfigError::new(origin, format!("has a key, {problem}")))
        }
    }
}

/// What is wrong with a key that no request could carry, to stand behind the name of where it is; nothing of the key.
pub(crate) fn unsendable(key: &SecretString) -> Option<&'static str> {
    let text = key.expose_secret().trim();
    if text.contains(['\n', '\r']) {
        return Some("which has more than one line");
    }
    let is_sendable = |letter: char| letter.is_ascii_graphic() || letter == ' ';
    (!text.chars().all(is_sendable)).then_some("which has characters that no key has")
}

fn words(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "which is not there".to_owned(),
        io::ErrorKind::PermissionDenied => "which may not be read by this user".to_owned(),
        io::ErrorKind::IsADirectory => "which is a directory".to_owned(),
        io::ErrorKind::FileTooLarge => format!("which is larger than {LARGEST} bytes"),
        io::ErrorKind::InvalidData => "which is not UTF-8".to_owned(),
        _ => format!("which cannot be read ({error})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is found as the credential `name` in a directory with these files, each with its own name in it.
    #[track_caller]
    fn check(files: &[&str], name: &str, found: Option<&str>) {
        let directory = tempfile::tempdir().unwrap();
        for file in files {
            std::fs::write(directory.path().join(file), format!("{file}\n")).unwrap();
        }
        let environment = Environment::from([("CREDENTIALS_DIRECTORY", directory.path().to_str().unwrap())]);
        let secret = credential(name, &environment).map(|file| read_file(&file).unwrap());
        assert_eq!(secret.as_ref().map(ExposeSecret::expose_secret), found);
    }

    #[test]
    fn credentials_are_found_alone_and_in_their_directory() {
        check(&["server_token"], "server_token", Some("server_token"));
        check(&["secrets_server_token"], "server_token", Some("secrets_server_token"));
        check(
            &["secrets_server_token", "server_token"],
            "server_token",
            Some("server_token"),
        );
        check(&["other", "secrets_other"], "server_token", None);
        check(&[], "server_token", None);
        assert!(credential("server_token", &Environment::from([])).is_none());
    }
}
