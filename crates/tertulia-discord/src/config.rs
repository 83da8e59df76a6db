//! The section of `bot.toml` for an interface of `kind = "discord"`.

use std::fmt;
use std::time::Duration;

use tertulia_message::Secret;

use crate::error::Error;
use crate::ids::Snowflake;
use crate::place::Place;

/// Discord's own server.
const OFFICIAL: &str = "https://discord.com";
/// The largest file that is fetched, in bytes.
const LARGEST: u64 = 25 << 20;
/// The longest reaction, in bytes: emoji are made of up to ten code points.
const LONGEST_REACTION: usize = 60;
/// The bounds of the bounds.
const LONGEST_AGE: Duration = Duration::from_hours(14 * 24);
const MOST: usize = 1000;

/// How to reach the platform, and how to behave there.
///
/// The token is read from its file by whoever makes this.
#[derive(Clone)]
pub struct Config {
    /// The bot's token, as the developer portal gives it.
    pub token: Secret,
    /// Where the API is served, without `/api/v10`: Discord itself, or a double of it.
    pub base_url: String,
    /// Where the gateway is; what the API says, if absent.
    pub gateway_url: Option<String>,
    /// What the bot hears in servers. In direct conversations it hears everything.
    pub hears: Hears,
    /// Channels and threads in which the bot hears everything, not only what is said to it.
    pub always_on: Vec<Place>,
    /// The sign with which the bot reacts to each message that it has taken: an emoji, or `name:id` of a server's own; none if
    /// it does not.
    pub ack_reaction: Option<String>,
    /// Users that are never answered, beside those that Discord calls bots.
    pub bots: Vec<Snowflake>,
    /// Larger files are not fetched, in bytes.
    pub largest_file: u64,
    /// How an answer in the making is shown.
    pub stream: Stream,
    /// Whether the daemon's commands are registered as slash commands.
    pub slash_commands: bool,
    /// What was missed and is still answered.
    pub catch_up: CatchUp,
}

/// What the bot hears in servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Hears {
    /// What is said to it: mentions, replies, commands. Needs no privileged intent.
    #[default]
    Mentions,
    /// Everything, everywhere.
    Everything,
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

/// What was missed and is still answered. A zero in either means nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CatchUp {
    /// The age of the oldest message; at most fourteen days.
    pub age: Duration,
    /// The most messages of one conversation; at most a thousand.
    pub number: usize,
}

impl Default for CatchUp {
    fn default() -> Self {
        Self {
            age: Duration::from_hours(24),
            number: 50,
        }
    }
}

impl Config {
    /// A bot of Discord itself, with everything else as it is when absent.
    #[must_use]
    pub fn official(token: Secret) -> Self {
        Self {
            token,
            base_url: OFFICIAL.to_owned(),
            gateway_url: None,
            hears: Hears::default(),
            always_on: Vec::new(),
            ack_reaction: None,
            bots: Vec::new(),
            largest_file: LARGEST,
            stream: Stream::default(),
            slash_commands: true,
            catch_up: CatchUp::default(),
        }
    }

    /// Checks what can be checked without a server.
    ///
    /// # Errors
    /// The first thing that cannot be right.
    pub fn check(&self) -> Result<(), Error> {
        check(is_token(self.token.expose()), Error::Token)?;
        check(is_address(&self.base_url, ["https://", "http://"]), Error::BaseUrl)?;
        let gateway = self.gateway_url.as_ref();
        let is_gateway = |url: &String| is_address(url, ["wss://", "ws://"]);
        check(gateway.is_none_or(is_gateway), Error::GatewayUrl)?;
        let sign = self.ack_reaction.as_ref();
        check(sign.is_none_or(|sign| is_reaction(sign)), Error::Reaction)?;
        let CatchUp { age, number } = self.catch_up;
        check(age <= LONGEST_AGE && number <= MOST, Error::CatchUp)
    }

    /// True if everything is heard at this place.
    #[must_use]
    pub fn is_always_on(&self, place: Place) -> bool {
        self.hears == Hears::Everything || self.always_on.iter().any(|on| on.covers(place))
    }
}

/// Reads `channel` or `channel/thread`, as they stand in interface paths behind the name of the interface.
///
/// # Errors
/// Everything else.
pub fn always_on(text: &str) -> Result<Place, Error> {
    let path = format!("discord/{text}").parse().map_err(|_| Error::AlwaysOn)?;
    Place::try_from(&path).map_err(|_| Error::AlwaysOn)
}

fn check(is_right: bool, error: Error) -> Result<(), Error> {
    if is_right { Ok(()) } else { Err(error) }
}

/// The three parts are the bot's id, the time, and a signature, of which only the form is known.
fn is_token(text: &str) -> bool {
    let is_sign = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    let parts: Vec<&str> = text.split('.').collect();
    parts.len() == 3 && parts.iter().all(|part| !part.is_empty() && part.chars().all(is_sign))
}

/// True for `scheme://host[:port][/path]`. A password in the address would stand in logs.
fn is_address(text: &str, schemes: [&str; 2]) -> bool {
    let rest = schemes.iter().find_map(|scheme| text.strip_prefix(scheme));
    let is_plain = |c: char| c.is_ascii_graphic() && !"?#@\\\"<>^`{|}".contains(c);
    rest.is_some_and(|rest| {
        let host = rest.split('/').next().unwrap_or_default();
        let has_name = !host.is_empty() && !host.starts_with(':');
        has_name && rest.chars().all(is_plain)
    })
}

/// An emoji, or the name and the id of a server's own; words are no light sign.
fn is_reaction(text: &str) -> bool {
    if let Some((name, id)) = text.split_once(':') {
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        return !name.is_empty() && name.len() <= 32 && name.chars().all(is_name) && id.parse::<Snowflake>().is_ok();
    }
    let is_sign = |c: char| !c.is_control() && !c.is_whitespace() && !c.is_ascii_alphabetic();
    let is_emoji = !text.is_ascii();
    is_emoji && text.len() <= LONGEST_REACTION && text.chars().all(is_sign)
}

impl fmt::Debug for Config {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Config")
            .field("hears", &self.hears)
            .field("always_on", &self.always_on)
            .field("stream", &self.stream)
            .field("slash_commands", &self.slash_commands)
            .field("catch_up", &self.catch_up)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
