//! The contract between a chat platform and the daemon.
