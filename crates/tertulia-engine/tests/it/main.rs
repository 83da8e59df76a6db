//! Tests of the running engine: doubles on every side, time on pause.
#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "test code")]

mod alive;
mod answers;
mod attachments;
mod behind;
mod bounds;
mod chains;
mod commands;
mod deliveries;
mod doors;
mod exports;
mod failures;
mod gate;
mod levels;
mod many;
mod messages;
mod moves;
mod panics;
mod reload;
mod rig;
mod stops;
mod stores;
