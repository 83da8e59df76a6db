//! The crash simulation: a world of the pure machines, a store, a scripted model and a strict chat platform, which
//! is dropped after every single effect and rebuilt from the store.
//!
//! Whatever the moment, the platform's own record has to show each question answered once, in its place.

mod model;
mod run;
mod tools;
mod transcript;
mod world;

pub use run::{Disk, Sweep, sweep};
pub use transcript::{Transcript, transcripts};
