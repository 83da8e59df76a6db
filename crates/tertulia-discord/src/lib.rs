//! Discord as an interface of the daemon: servers, threads, forum posts and direct messages.
//!
//! What is here decides and performs nothing. What comes in is read by own types that take unknown kinds and fields, since one
//! strange event must not be lost; what goes out is made as JSON. Times are arguments.

pub mod config;
pub mod error;
mod fields;
pub mod files;
pub mod ids;
pub mod inbound;
pub mod intents;
pub mod known;
pub mod place;
pub mod render;
pub mod wire;

pub use config::{CatchUp, Config, Hears, Stream, always_on};
pub use error::Error;
pub use place::Place;
