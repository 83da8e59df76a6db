//! Decides everything and performs nothing.
