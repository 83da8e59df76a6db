//! The contract between a chat platform (or an HTTP door) and the daemon.
//!
//! A platform implements [`Interface`]; the daemon hands it an [`Inlet`].

pub mod backoff;
mod inlet;

use async_trait::async_trait;
pub use inlet::{Accept, AcceptError, Batch, Inlet, Standing, Verdict};
use tertulia_message::path::InterfacePath;
use tertulia_message::{DeliverError, FileRef, Found, Limits, Outbound, Receipt, Signal};
use tokio_util::sync::CancellationToken;

/// A chat platform or an HTTP door.
///
/// All methods may be called at once from many tasks. None may panic: an error is a value.
#[async_trait]
pub trait Interface: Send + Sync {
    /// What a conversation can take. Called often: answers from memory, never blocks.
    fn limits(&self, path: &InterfacePath) -> Limits;

    /// Receives events until `stop` fires, and hands them to `inlet`.
    ///
    /// Called once at a time. It reconnects by itself; it returns early only for what a new try
    /// cannot mend (a wrong token), and then the interface is reported as down while the others go on.
    async fn listen(&self, inlet: Inlet, stop: CancellationToken) -> Result<(), ListenError>;

    /// Posts, edits or deletes one platform message.
    ///
    /// One call at a time per conversation. It may wait for the network, but has a deadline of its own;
    /// it never retries: the error says what the caller may do.
    async fn deliver(&self, outbound: &Outbound) -> Result<Receipt, DeliverError>;

    /// Shows a fleeting sign to the conversation, about the message with platform id `re`.
    ///
    /// Returns at once in all but exceptional cases; what cannot be shown is dropped.
    async fn signal(&self, path: &InterfacePath, re: &str, signal: Signal);

    /// Looks for a post of unknown outcome, before anything is sent again.
    async fn find(&self, outbound: &Outbound) -> Found;

    /// Fetches a file, after its message was accepted.
    async fn fetch(&self, file: &FileRef) -> Result<Vec<u8>, FetchError>;
}

/// Why an interface stopped listening although nobody asked it to.
#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    /// The platform refuses us, and a new try would not help.
    #[error("refused for good: {0}")]
    Refused(String),
    /// Something broke; a new try may help.
    #[error("broken: {0}")]
    Broken(String),
}

/// Why a file could not be fetched.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// Larger than we take.
    #[error("too large")]
    TooLarge,
    /// It is no longer there.
    #[error("gone")]
    Gone,
    /// A new try may help.
    #[error("not fetched: {0}")]
    Failed(String),
}
