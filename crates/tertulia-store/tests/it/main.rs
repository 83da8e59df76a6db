//! Tests of the store on SQLite.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "test code")]

mod bench;
mod conformance;
mod contract;
mod disk;
mod forgotten;
mod governed;
mod media;
mod model;
mod moved;
mod opening;
mod simulation;
mod writer;
