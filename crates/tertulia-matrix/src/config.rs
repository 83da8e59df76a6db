//! The section of `bot.toml` for an interface of `kind = "matrix"`.

use std::fmt;
use std::path::PathBuf;

use tertulia_message::Secret;

use crate::error::Error;
use crate::ids;
use crate::place::Place;

/// How commands begin: a slash is caught by most clients.
const PREFIX: &str = "!";
/// The longest prefix of commands, in characters.
const LONGEST_PREFIX: usize = 8;
/// The longest reaction, in bytes: emoji are made of up to ten code points.
const LONGEST_REACTION: usize = 40;
/// The largest file that is fetched, in bytes: what a server takes by default.
const LARGEST: u64 = 50 << 20;

/// How to reach the platform, and how to behave there.
///
/// Secrets are read from their files by whoever makes this: nothing in here names a file that holds one.
#[derive(Clone)]
pub struct Config {
    /// Where the client API is served, e.g. `https://matrix.example.org`: the address, not the server's name.
    pub homeserver: String,
    /// What it logs in with.
    pub login: Login,
    /// The name that people see of the bot's device.
    pub device_name: String,
    /// The key that opens the account's own encrypted secrets, where they were set up before; else one is made, and kept in
    /// the state directory.
    pub recovery_key: Option<Secret>,
    /// Whether encrypted rooms are answered.
    pub encryption: Encryption,
    /// Whose invites are accepted.
    pub invites: Invites,
    /// How commands begin, besides with a slash.
    pub command_prefix: String,
    /// How an answer in the making is shown.
    pub stream: Stream,
    /// Rooms and threads in which the bot hears everything, not only what is said to it.
    pub always_on: Vec<Place>,
    /// Other bots, by their ids: they are never answered.
    pub bots: Vec<String>,
    /// The sign, e.g. `👀`, with which the bot reacts to each message that it has taken; none if it does not. Reactions count as
    /// messages to the server, and are never encrypted.
    pub ack_reaction: Option<String>,
    /// Larger files are not fetched, in bytes.
    pub largest_file: u64,
    /// Where session, device and keys are kept, for ever.
    pub state: PathBuf,
}

/// What the bot logs in with.
#[derive(Clone)]
pub enum Login {
    /// A password; it is used once, then the session is kept.
    Password {
        /// The bot's own id, `@name:server`.
        user: String,
        /// Its password.
        password: Secret,
    },
    /// An access token that somebody made for the bot; it belongs to one device for ever, and the server tells whose it is.
    Token(Secret),
}

/// Whether encrypted rooms are answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Encryption {
    /// In encrypted rooms everything is encrypted.
    #[default]
    On,
    /// What is said in encrypted rooms is neither read nor answered; nothing is ever sent in clear there.
    Off,
}

/// Whose invites are accepted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Invites {
    /// Nobody's.
    Nobody,
    /// Those of people who govern the bot.
    #[default]
    Admins,
    /// Those of people who govern the bot, and of these users (`@name:server`) and servers.
    Listed(Vec<String>),
    /// Everybody's.
    Everybody,
}

/// How an answer in the making is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Stream {
    /// As a message that is edited.
    #[default]
    Edit,
    /// Not at all: only the finished answer is posted.
    Off,
}

impl Config {
    /// A bot with everything else as it is when absent.
    #[must_use]
    pub fn new(homeserver: impl Into<String>, login: Login, state: impl Into<PathBuf>) -> Self {
        Self {
            homeserver: homeserver.into(),
            login,
            device_name: "Tertulia".to_owned(),
            recovery_key: None,
            encryption: Encryption::default(),
            invites: Invites::default(),
            command_prefix: PREFIX.to_owned(),
            stream: Stream::default(),
            always_on: Vec::new(),
            bots: Vec::new(),
            ack_reaction: None,
            largest_file: LARGEST,
            state: state.into(),
        }
    }

    /// Checks what can be checked without a server.
    ///
    /// # Errors
    /// The first thing that cannot be right.
    pub fn check(&self) -> Result<(), Error> {
        check(is_address(&self.homeserver), Error::Homeserver)?;
        check(self.login.user().is_none_or(ids::is_user), Error::User)?;
        check(is_secret(self.login.secret()), Error::Secret)?;
        let key = self.recovery_key.as_ref();
        check(key.is_none_or(|key| is_recovery_key(key.expose())), Error::RecoveryKey)?;
        check(is_prefix(&self.command_prefix), Error::Prefix)?;
        let sign = self.ack_reaction.as_ref();
        check(sign.is_none_or(|sign| is_reaction(sign)), Error::Reaction)?;
        check(self.bots.iter().all(|bot| ids::is_user(bot)), Error::User)?;
        self.invites.check()
    }

    /// True if everything is heard at this place.
    #[must_use]
    pub fn is_always_on(&self, place: &Place) -> bool {
        let covers = |on: &Place| on.room() == place.room() && (on.thread().is_none() || on.thread() == place.thread());
        self.always_on.iter().any(covers)
    }
}

impl Login {
    /// The bot's own id, where it is configured.
    #[must_use]
    pub fn user(&self) -> Option<&str> {
        match self {
            Self::Password { user, .. } => Some(user),
            Self::Token(_) => None,
        }
    }

    fn secret(&self) -> &str {
        match self {
            Self::Password { password, .. } => password.expose(),
            Self::Token(token) => token.expose(),
        }
    }
}

impl Invites {
    /// True if an invite of this user is accepted.
    #[must_use]
    pub fn accepts(&self, inviter: &str, is_admin: bool) -> bool {
        let is_listed = |listed: &String| match listed.strip_prefix('@') {
            Some(_) => listed == inviter,
            None => inviter.split_once(':').is_some_and(|(_, server)| server == listed),
        };
        match self {
            Self::Nobody => false,
            Self::Everybody => true,
            Self::Admins => is_admin,
            Self::Listed(listed) => is_admin || listed.iter().any(is_listed),
        }
    }

    fn check(&self) -> Result<(), Error> {
        let Self::Listed(listed) = self else { return Ok(()) };
        check(listed.iter().all(|text| is_inviter(text)), Error::Inviter)
    }
}

/// True for the id of a user: `@name:server`.
#[must_use]
pub fn is_user(text: &str) -> bool {
    ids::is_user(text)
}

/// True for whom a list of [`Invites`] may name: a user, or a server.
#[must_use]
pub fn is_inviter(text: &str) -> bool {
    ids::is_user(text) || ids::is_user(&format!("@x:{text}"))
}

/// Reads `!room` or `!room/$event`, as they stand in interface paths behind the name of the interface.
///
/// # Errors
/// Everything else.
pub fn always_on(text: &str) -> Result<Place, Error> {
    let path = format!("matrix/{text}").parse().map_err(|_| Error::AlwaysOn)?;
    Place::try_from(&path).map_err(|_| Error::AlwaysOn)
}

fn check(is_right: bool, error: Error) -> Result<(), Error> {
    if is_right { Ok(()) } else { Err(error) }
}

/// True for `http(s)://host[:port][/path]`. A password in the address would stand in logs.
fn is_address(text: &str) -> bool {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let is_plain = |c: char| c.is_ascii_graphic() && !"?#@\\\"<>^`{|}".contains(c);
    rest.is_some_and(|rest| {
        let host = rest.split('/').next().unwrap_or_default();
        let has_name = !host.is_empty() && !host.starts_with(':');
        has_name && rest.chars().all(is_plain)
    })
}

fn is_secret(text: &str) -> bool {
    !text.is_empty() && !text.contains(['\n', '\r', '\0'])
}

/// A recovery key is the base58 form of 35 bytes, in blocks; a passphrase would be anything, and is not taken.
fn is_recovery_key(text: &str) -> bool {
    let signs = || text.chars().filter(|c| !c.is_whitespace());
    (46..=50).contains(&signs().count()) && signs().all(|c| c.is_ascii_alphanumeric() && !"0OIl".contains(c))
}

fn is_prefix(text: &str) -> bool {
    let is_sign = |c: char| !c.is_alphanumeric() && !c.is_whitespace() && !c.is_control();
    !text.is_empty() && text.chars().count() <= LONGEST_PREFIX && text.chars().all(is_sign)
}

/// A few signs make one emoji; whole words are no light sign.
fn is_reaction(text: &str) -> bool {
    let is_sign = |c: char| !c.is_control() && !c.is_whitespace();
    !text.is_empty() && text.len() <= LONGEST_REACTION && text.chars().all(is_sign)
}

impl fmt::Debug for Config {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Config")
            .field("login", &self.login)
            .field("encryption", &self.encryption)
            .field("invites", &self.invites)
            .field("stream", &self.stream)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Login {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Password { user, .. } => write!(formatter, "Password({user}, ..)"),
            Self::Token(_) => formatter.write_str("Token(..)"),
        }
    }
}

#[cfg(test)]
mod tests;
