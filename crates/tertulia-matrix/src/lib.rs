//! Matrix as an interface of the daemon, in plain and in encrypted rooms.
//!
//! matrix-sdk holds the session, encrypts and decrypts. What comes in is read by own types that take unknown kinds and fields,
//! since one strange event must not be lost; what goes out is made as JSON, which the library encrypts and sends as it is. The
//! library's event handlers and its send queue are not used for conversations: it stores how far it has come before anybody has
//! handled anything.

mod call;
mod check;
mod config;
mod content;
mod deliver;
mod error;
mod fetch;
mod fields;
mod find;
mod ids;
mod inbound;
mod listen;
mod matrix;
mod pace;
mod place;
mod refusal;
mod relation;
mod render;
mod rooms;
mod session;
mod signs;
mod sizes;
mod transaction;
mod trust;
mod verify;

pub use check::{CheckError, Report, SessionReport};
pub use config::{Config, Encryption, Invites, Login, Stream, always_on, is_inviter, is_user};
pub use error::Error;
pub use matrix::Matrix;
pub use place::Place;
