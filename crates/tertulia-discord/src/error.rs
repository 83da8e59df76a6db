//! What can be wrong with a configuration.

/// Why the interface cannot be made. No text holds a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The token is none.
    #[error("the token is not one of a bot: three parts of letters, digits, - and _, with dots between them")]
    Token,
    /// The address of the API is none.
    #[error("base_url is not of the form http(s)://host[:port][/path]")]
    BaseUrl,
    /// The address of the gateway is none.
    #[error("gateway_url is not of the form ws(s)://host[:port][/path]")]
    GatewayUrl,
    /// A place that is to be always on is none.
    #[error("a place that is always on is not of the form channel[/thread] in ids, as it stands in paths")]
    AlwaysOn,
    /// The sign of a reaction is none.
    #[error("ack_reaction is neither one emoji nor name:id of a server's own")]
    Reaction,
    /// The bounds of what is caught up with cannot be kept.
    #[error("catch_up is at most fourteen days and a thousand messages of a conversation")]
    CatchUp,
}
