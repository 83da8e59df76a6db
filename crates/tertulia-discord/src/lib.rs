//! Discord as an interface of the daemon: servers, threads, forum posts and direct messages.
//!
//! What is here decides and performs nothing. What comes in is read by own types that take unknown kinds and fields, since one
//! strange event must not be lost; what goes out is made as JSON. Times are arguments.

pub mod buckets;
pub mod catch_up;
pub mod close;
pub mod config;
pub mod content;
pub mod error;
mod fields;
pub mod files;
pub mod find;
pub mod identify;
pub mod ids;
pub mod inbound;
pub mod intents;
pub mod invalid;
pub mod invite;
pub mod known;
pub mod limits;
pub mod nonce;
pub mod order;
pub mod place;
pub mod refusal;
pub mod render;
pub mod slash;
pub mod wire;

pub use config::{CatchUp, Config, Hears, Stream, always_on};
pub use error::Error;
pub use place::Place;
