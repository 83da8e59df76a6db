//! The tools that come with the daemon.
