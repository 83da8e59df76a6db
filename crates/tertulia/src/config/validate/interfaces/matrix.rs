//! The keys of a Matrix account, and the account that is there by variables alone.

mod login;
mod policy;
mod values;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use secrecy::{ExposeSecret, SecretString};
use tertulia_interface::Interface;
use tertulia_matrix::{Config, Encryption, Error, Matrix};
use tertulia_message::Secret;

use super::super::super::error::ConfigError;
use super::super::super::secrets::Known;
use super::super::super::settings::Settings;
use super::super::super::{MatrixAccount, Platform, PlatformKind};
use super::super::paths;
use super::{MATRIX, check_keys};
use crate::environment::Environment;
use login::Login;
use values::{Given, HOMESERVER, LOGIN_VARIABLES, RECOVERY_KEY, Values};

const KEYS: [&str; 19] = [
    "kind",
    "enabled",
    "homeserver",
    "user",
    "password_file",
    "password",
    "token_file",
    "token",
    "recovery_key_file",
    "recovery_key",
    "device_name",
    "encryption",
    "invites",
    "command_prefix",
    "stream",
    "always_on",
    "bots",
    "ack_reaction",
    "largest_file_mb",
];

/// True if there is an account, whatever the configuration says.
pub(super) fn is_found(environment: &Environment) -> bool {
    environment.get(HOMESERVER.variable).is_some()
}

/// The accounts that were read so far.
pub(super) struct Accounts<'a> {
    settings: &'a Settings,
    environment: &'a Environment,
    /// Their secrets.
    pub(super) known: Known,
    /// The directory that everything is kept in.
    directory: PathBuf,
    is_configured: bool,
    /// Where each account's user or token stands, by itself.
    places: BTreeMap<String, String>,
}

impl<'a> Accounts<'a> {
    pub(super) fn new(settings: &'a Settings, environment: &'a Environment) -> Result<Self, ConfigError> {
        Ok(Self {
            settings,
            environment,
            known: Known::default(),
            directory: paths::directory(settings, environment)?,
            is_configured: settings.names(&["interfaces"]).contains(&MATRIX),
            places: BTreeMap::new(),
        })
    }

    /// An account with a section of its own; none if it is switched off, which needs no secrets.
    pub(super) fn read(&mut self, name: &str, is_on: bool) -> Result<Option<Platform>, ConfigError> {
        self.is_configured = true;
        check_keys(self.settings, name, MATRIX, &KEYS)?;
        let values = self.values(name);
        let behaviour = self.behaviour(name, values.text(&HOMESERVER))?;
        if !is_on {
            return Ok(None);
        }
        let Some(homeserver) = values.text(&HOMESERVER) else {
            let problem = "is missing, and so is MATRIX_HOMESERVER: the address of the server's client API, \
                such as https://matrix.example.org";
            return Err(values.missing(HOMESERVER.key, problem));
        };
        let login = login::read(&values)?.map_err(|missing| missing.of_section(&values))?;
        self.account(name, behaviour, homeserver, &login).map(Some)
    }

    /// The account that is there by variables alone, if no section speaks of one, and a sentence about it, or about what is
    /// missing.
    pub(super) fn found(&mut self) -> Result<(Option<Platform>, Option<String>), ConfigError> {
        if self.is_configured {
            return Ok((None, None));
        }
        let values = self.values(MATRIX);
        let Some(homeserver) = values.text(&HOMESERVER) else {
            let given = LOGIN_VARIABLES
                .into_iter()
                .find(|name| self.environment.get(name).is_some());
            let sentence = |name| {
                format!(
                    "{name} is set, but not MATRIX_HOMESERVER, the address of the server: there is no Matrix account."
                )
            };
            return Ok((None, given.map(sentence)));
        };
        let login = match login::read(&values)? {
            Ok(login) => login,
            Err(missing) => return Ok((None, Some(missing.of_variables().to_owned()))),
        };
        let who = login.user().map_or("a Matrix account", |user| user).to_owned();
        let sentence = format!("MATRIX_HOMESERVER is set: {who} is the interface {MATRIX}.");
        let behaviour = self.behaviour(MATRIX, None)?;
        let account = self.account(MATRIX, behaviour, homeserver, &login)?;
        Ok((Some(account), Some(sentence)))
    }

    fn values<'n>(&self, name: &'n str) -> Values<'n>
    where
        'a: 'n,
    {
        Values {
            settings: self.settings,
            environment: self.environment,
            name,
        }
    }

    /// Everything but where it is and what it logs in with.
    fn behaviour(&mut self, name: &str, homeserver: Option<Given<String>>) -> Result<Config, ConfigError> {
        let settings = self.settings;
        if let Some(address) = homeserver {
            self.known.add_url(&address.value);
        }
        let nobody = tertulia_matrix::Login::Token(Secret::new(""));
        let mut config = Config::new("", nobody, self.directory.join("matrix").join(name));
        if let Some(device) = policy::device_name(settings, name)? {
            config.device_name = device;
        }
        if settings.flag(&["interfaces", name, "encryption"]) == Some(false) {
            config.encryption = Encryption::Off;
        }
        config.invites = policy::invites(settings, name)?;
        if let Some(prefix) = settings.text(&["interfaces", name, "command_prefix"]) {
            prefix.clone_into(&mut config.command_prefix);
        }
        config.stream = policy::stream(settings, name)?;
        config.always_on = policy::always_on(settings, name)?;
        config.bots = policy::bots(settings, name)?;
        config.ack_reaction = settings.text(&["interfaces", name, "ack_reaction"]).map(str::to_owned);
        if let Some(megabytes) = settings.whole(&["interfaces", name, "largest_file_mb"]) {
            config.largest_file = megabytes << 20;
        }
        Ok(config)
    }

    fn account(
        &mut self,
        name: &str,
        mut config: Config,
        homeserver: Given<String>,
        login: &Login,
    ) -> Result<Platform, ConfigError> {
        let values = self.values(name);
        let recovery_key = values.secret(&RECOVERY_KEY)?;
        let mut secrets = vec![login.secret()];
        secrets.extend(recovery_key.iter().map(|key| ("recovery key", key.value.clone())));
        for (_, secret) in &secrets {
            self.know(secret);
        }
        let user = login.user().map(str::to_owned);
        self.check_first(&values, login)?;
        config.homeserver.clone_from(&homeserver.value);
        config.recovery_key = recovery_key.as_ref().map(|key| Secret::new(key.value.expose_secret()));
        config.login = login.config();
        let wrong = |error| match error {
            Error::Homeserver => homeserver.wrong(&values, "must be an address such as https://matrix.example.org"),
            Error::User | Error::Secret => login.wrong(&values, error),
            Error::RecoveryKey => {
                let problem =
                    "is no recovery key: twelve blocks of four letters and digits, as it was shown when it was made";
                let given = recovery_key.as_ref().map(|key| key.wrong(&values, problem));
                given.unwrap_or_else(|| values.missing(RECOVERY_KEY.key, problem))
            }
            Error::Prefix => {
                let problem = "must be one to eight signs that are neither letters, digits nor blanks, such as \"!\"";
                values.missing("command_prefix", problem)
            }
            Error::Reaction => values.missing("ack_reaction", "must be one sign without blanks, such as \"👀\""),
            error => self.settings.wrong(&["interfaces", name], error),
        };
        let (directory, command_prefix) = (config.state.clone(), config.command_prefix.clone());
        let is_encrypting = config.encryption == Encryption::On;
        let interface = Arc::new(Matrix::new(name, config).map_err(wrong)?);
        Ok(Platform {
            interface: Arc::clone(&interface) as Arc<dyn Interface>,
            kind: PlatformKind::Matrix(MatrixAccount {
                interface,
                homeserver: homeserver.value,
                user,
                command_prefix,
                is_encrypting,
                directory,
                secrets,
            }),
        })
    }

    /// A recovery key may also be written without the blanks in it.
    fn know(&mut self, secret: &SecretString) {
        self.known.add(secret);
        let bare: String = secret.expose_secret().split_whitespace().collect();
        self.known.add(&bare.into());
    }

    /// Two interfaces would both answer, each on a device of its own.
    fn check_first(&mut self, values: &Values<'_>, login: &Login) -> Result<(), ConfigError> {
        let (account, place) = login.identity(values);
        match self.places.insert(account, place) {
            None => Ok(()),
            Some(other) => {
                let problem = format!("is of the same account as {other}: each account can be one interface only");
                Err(login.about(values, &problem))
            }
        }
    }
}
