//! What an account logs in with: a user and a password, or a token.

use secrecy::{ExposeSecret, SecretString};
use tertulia_matrix::Error;
use tertulia_message::Secret;

use super::super::super::super::error::ConfigError;
use super::values::{Given, PASSWORD, TOKEN, USER, Values};

/// What was found.
pub(super) enum Login {
    Password {
        user: Given<String>,
        password: Given<SecretString>,
    },
    Token(Given<SecretString>),
}

/// What is missing.
#[derive(Clone, Copy)]
pub(super) enum Missing {
    /// A password is there, and not whose it is.
    User,
    /// A user is there, and no password.
    Password,
    /// Nothing is there.
    Everything,
}

/// What the section says, and where it says nothing, what variables do.
pub(super) fn read(values: &Values<'_>) -> Result<Result<Login, Missing>, ConfigError> {
    let (token, password) = (values.own_secret(&TOKEN)?, values.own_secret(&PASSWORD)?);
    let user = values.text(&USER);
    let own_user = user.as_ref().filter(|user| user.is_own());
    match (token, password) {
        (Some(token), Some(password)) => Err(both(values, &token, &password)),
        (Some(token), None) => match own_user {
            Some(user) => Err(user.wrong(
                values,
                "belongs to a password; with a token the server tells whose it is",
            )),
            None => Ok(Ok(Login::Token(token))),
        },
        (None, Some(password)) => Ok(with_password(user, Some(password))),
        (None, None) => of_variables(values, user),
    }
}

fn of_variables(values: &Values<'_>, user: Option<Given<String>>) -> Result<Result<Login, Missing>, ConfigError> {
    let (token, password) = (values.secret_of_variable(&TOKEN), values.secret_of_variable(&PASSWORD));
    // a section that names a user speaks of a password
    let is_named = user.as_ref().is_some_and(Given::is_own);
    match (token.filter(|_| !is_named), password) {
        (Some(token), Some(password)) => Err(both(values, &token, &password)),
        (Some(token), None) => Ok(Ok(Login::Token(token))),
        (None, password) => Ok(with_password(user, password)),
    }
}

fn with_password(user: Option<Given<String>>, password: Option<Given<SecretString>>) -> Result<Login, Missing> {
    match (user, password) {
        (Some(user), Some(password)) => Ok(Login::Password { user, password }),
        (None, Some(_)) => Err(Missing::User),
        (Some(_), None) => Err(Missing::Password),
        (None, None) => Err(Missing::Everything),
    }
}

fn both(values: &Values<'_>, token: &Given<SecretString>, password: &Given<SecretString>) -> ConfigError {
    let other = password.place(values.name);
    token.wrong(
        values,
        &format!("is one way to log in, and {other} another: leave one out"),
    )
}

impl Login {
    /// The bot's own id, where it is configured.
    pub(super) fn user(&self) -> Option<&str> {
        match self {
            Self::Password { user, .. } => Some(&user.value),
            Self::Token(_) => None,
        }
    }

    /// The secret, with the word for it.
    pub(super) fn secret(&self) -> (&'static str, SecretString) {
        match self {
            Self::Password { password, .. } => ("password", password.value.clone()),
            Self::Token(token) => ("token", token.value.clone()),
        }
    }

    /// As the interface takes it.
    pub(super) fn config(&self) -> tertulia_matrix::Login {
        match self {
            Self::Password { user, password } => tertulia_matrix::Login::Password {
                user: user.value.clone(),
                password: Secret::new(password.value.expose_secret()),
            },
            Self::Token(token) => tertulia_matrix::Login::Token(Secret::new(token.value.expose_secret())),
        }
    }

    /// What tells one account from another, and where it stands.
    pub(super) fn identity(&self, values: &Values<'_>) -> (String, String) {
        match self {
            Self::Password { user, .. } => (user.value.clone(), user.place(values.name)),
            Self::Token(token) => (token.value.expose_secret().to_owned(), token.place(values.name)),
        }
    }

    /// An error about what tells one account from another.
    pub(super) fn about(&self, values: &Values<'_>, problem: &str) -> ConfigError {
        match self {
            Self::Password { user, .. } => user.wrong(values, problem),
            Self::Token(token) => token.wrong(values, problem),
        }
    }

    /// An error about the form of one of them.
    pub(super) fn wrong(&self, values: &Values<'_>, error: Error) -> ConfigError {
        match (self, error) {
            (Self::Password { user, .. }, Error::User) => {
                user.wrong(values, "must be the bot's whole id, such as @bot:example.org")
            }
            (Self::Password { password: secret, .. } | Self::Token(secret), _) => {
                secret.wrong(values, "is empty, or has more than one line")
            }
        }
    }
}

impl Missing {
    /// In a section.
    pub(super) fn of_section(self, values: &Values<'_>) -> ConfigError {
        match self {
            Self::User => values.missing(
                "user",
                "is missing, and so is MATRIX_USER: the bot's id, such as @bot:example.org",
            ),
            Self::Password => values.missing("password_file", "is missing, and so is MATRIX_PASSWORD"),
            Self::Everything => values.missing(
                "user",
                "and password_file are missing, and so is token_file: the bot logs in with a password or with a token",
            ),
        }
    }

    /// Where there are only variables, of which that of the server is set.
    pub(super) fn of_variables(self) -> &'static str {
        match self {
            Self::User => {
                "MATRIX_HOMESERVER and MATRIX_PASSWORD are set, but not MATRIX_USER, the bot's id: there is no Matrix account."
            }
            Self::Password => {
                "MATRIX_HOMESERVER and MATRIX_USER are set, but not MATRIX_PASSWORD: there is no Matrix account."
            }
            Self::Everything => {
                "MATRIX_HOMESERVER is set, but neither MATRIX_USER and MATRIX_PASSWORD nor MATRIX_TOKEN: \
                 there is no Matrix account."
            }
        }
    }
}
