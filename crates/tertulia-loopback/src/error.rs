//! What can go wrong: at construction, and in one call.

use std::time::Duration;

use tertulia_message::RateScope;

/// Why the interface cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The address is not of the form `http://host:port`.
    #[error("base_url is not of the form http://host:port")]
    BaseUrl,
    /// The name is not the name of an interface.
    #[error("the name of the interface: {0}")]
    Name(#[from] tertulia_message::path::PathError),
    /// The HTTP client cannot be made.
    #[error("the http client: {0}")]
    Client(String),
}

/// Why a call gave nothing. No text holds the address, which may hold a password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum CallError {
    /// The platform surely did not do it.
    #[error("not sent: {0}")]
    NotSent(String),
    /// The platform may have done it.
    #[error("outcome unknown: {0}")]
    Unknown(String),
    /// The platform wants us to wait.
    #[error("rate limited for {after:?}")]
    RateLimited { after: Duration, scope: RateScope },
    /// The platform does not know us.
    #[error("unauthorized")]
    Unauthorized,
    /// The platform says what is wrong, and perhaps where the chat has gone.
    #[error("refused: {name}")]
    Named { name: String, to: Option<String> },
}
