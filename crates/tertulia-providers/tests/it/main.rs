//! The providers against servers on loopback.
#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "test code")]

mod asking;
mod contract;
mod failures;
mod recordings;
mod streams;
