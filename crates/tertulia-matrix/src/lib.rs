//! Matrix as an interface of the daemon: the parts that perform nothing.
//!
//! What comes in is read by own types that take unknown kinds and fields, since one strange event must not be lost; what goes
//! out is made as JSON, which the client library encrypts and sends as it is.

pub mod config;
pub mod content;
pub mod error;
mod fields;
pub mod ids;
pub mod inbound;
pub mod pace;
pub mod place;
pub mod refusal;
pub mod relation;
pub mod render;
pub mod sizes;
pub mod transaction;

pub use config::Config;
pub use error::Error;
