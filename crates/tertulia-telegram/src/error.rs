//! What can go wrong: at construction, and in one call.

use std::time::Duration;

/// Why the interface cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The address is none that the Bot API could be served at.
    #[error("base_url is not of the form http(s)://host[:port][/path]")]
    BaseUrl,
    /// The token cannot be one.
    #[error("the token has not the form that @BotFather gives: digits, a colon, then letters and digits")]
    Token,
    /// The name is not the name of an interface.
    #[error("the name of the interface: {0}")]
    Name(#[from] tertulia_message::path::PathError),
    /// The HTTP client cannot be made.
    #[error("the http client: {0}")]
    Client(String),
}

/// Why a call gave nothing. No text holds the address: the token is a part of it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum CallError {
    /// Telegram surely did not do it.
    #[error("not sent: {0}")]
    NotSent(String),
    /// Telegram may have done it.
    #[error("outcome unknown: {0}")]
    Unknown(String),
    /// Telegram wants us to wait. It does not say for whom that holds.
    #[error("rate limited for {0:?}")]
    RateLimited(Duration),
    /// The group has become a supergroup with this id.
    #[error("moved to chat {0}")]
    Moved(i64),
    /// Telegram refuses it, with the status and the words of its answer.
    #[error("refused with {code}: {description}")]
    Refused {
        /// The status, from 400 to 499.
        code: u16,
        /// Telegram's words, in English; empty if something else answered.
        description: String,
    },
}
