//! Performs what the core decides.
