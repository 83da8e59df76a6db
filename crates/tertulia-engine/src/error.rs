//! Why the engine could not start, or had to end.

use tertulia_ports::StoreError;

/// Why the engine could not start, or had to end.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The store is broken, or cannot be read at start.
    #[error("the store failed")]
    Store(#[from] StoreError),
    /// A provider is named that is not configured.
    #[error("there is no provider {0:?}")]
    NoProvider(String),
    /// A task that everything depends on has died.
    #[error("the {0} died")]
    TaskDied(&'static str),
}
