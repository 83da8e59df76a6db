//! Whether the daemon behind a door can do its work.

use async_trait::async_trait;
use jiff::Timestamp;

/// Whether the daemon behind a door can do its work.
#[async_trait]
pub trait Readiness: Send + Sync {
    /// What keeps it from its work; nothing if it is ready. Everybody may read it: no secrets, no files, no conversations.
    async fn troubles(&self) -> Vec<Trouble>;
}

/// A part that is not as it should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble {
    /// The part, e.g. `store` or the name of an interface.
    pub part: String,
    /// What is wrong with it, e.g. `does not answer`.
    pub problem: String,
    /// Since when, if that is known.
    pub since: Option<Timestamp>,
}
