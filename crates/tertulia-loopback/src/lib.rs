//! A little chat platform over HTTP, for tests that kill the real program.
//!
//! The platform itself is a server of the test; this is the daemon's side, built like every platform's.

mod backoff;
mod client;
mod config;
mod deliver;
mod error;
mod inbound;
mod listen;
mod loopback;
mod place;
mod render;
mod wire;

pub use config::{Config, ShownProgress};
pub use error::Error;
pub use loopback::Loopback;
