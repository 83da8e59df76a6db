//! Where secrets come from: files, credentials of systemd, the environment.

use std::io;
use std::path::Path;

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
    /// The name in `$CREDENTIALS_DIRECTORY`.
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
    let directory = environment.path("CREDENTIALS_DIRECTORY");
    match directory
        .map(|directory| directory.join(place.credential))
        .filter(|file| file.exists())
    {
        None => Ok(None),
        Some(file) => read_file(&file).map(Some).map_err(|problem| {
            let problem = format!("{} is read from {}, {problem}", file_key.join("."), file.display());
            ConfigError::new(Origin::Variable("CREDENTIALS_DIRECTORY".to_owned()), problem)
        }),
    }
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
