//! The store on SQLite.
//!
//! One thread owns the only connection that writes and checkpoints; it takes what waits for it as one transaction,
//! so that many callers share one fsync. Reading has connections of its own and never waits for writing.

mod fault;
mod inspect;
mod media;
mod open;
mod read;
mod readers;
mod remains;
mod rows;
mod schema;
mod sent;
mod stop;
mod store;
mod write;
mod writer;

pub use inspect::{Inspection, inspect};
pub use open::{Clock, DATABASE, OpenError, Options};
pub use store::SqliteStore;
pub use writer::Counters;
