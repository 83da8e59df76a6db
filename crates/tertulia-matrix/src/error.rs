//! What can be wrong with a configuration.

/// Why the interface cannot be made. No text holds a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The name is none of an interface.
    #[error("not a name of an interface")]
    Name,
    /// The address is none that a homeserver could be served at.
    #[error("homeserver is not of the form http(s)://host[:port][/path]")]
    Homeserver,
    /// The user is no user's id.
    #[error("user is not of the form @name:server")]
    User,
    /// The password or the token is empty, or has line breaks inside.
    #[error("the password or the token is empty, or has more than one line")]
    Secret,
    /// The recovery key is not one.
    #[error("the recovery key is not one: blocks of letters and digits, as the server's other clients show it")]
    RecoveryKey,
    /// The sign of a reaction is none.
    #[error("ack_reaction is not one emoji")]
    Reaction,
    /// The prefix of commands cannot be one.
    #[error("command_prefix is not one to eight signs that are neither letters, digits nor blanks")]
    Prefix,
    /// A room that is to be always on is none.
    #[error("a room that is always on is not of the form !room[/$event], as it stands in paths")]
    AlwaysOn,
    /// Whoever may invite the bot is neither a user nor a server.
    #[error("whoever may invite is not of the form @name:server or server")]
    Inviter,
}
