//! Why the engine could not start, or had to end.

use std::error::Error;

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

/// An error of the store with what is behind it, in one line: operators have to know that a disk is full.
pub(crate) fn with_cause(error: &StoreError) -> String {
    match error.source() {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_is_told() {
        let full = StoreError::Busy("the disk is full".into());
        assert_eq!(
            with_cause(&full),
            "the store cannot write at the moment: the disk is full"
        );
        let refused = StoreError::Refused("no".to_owned());
        assert_eq!(with_cause(&refused), "refused by the store: no");
    }
}
