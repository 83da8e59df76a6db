//! Telegram as an interface of the daemon: an own long poll on teloxide's client, text with entities, topics.
//!
//! teloxide's dispatcher is not used: it confirms updates before they are handled. Its types are used for what goes out; what
//! comes in is read by [`wire`](self) types that take unknown kinds and fields, since one strange update must not be lost.

mod api;
mod check;
mod config;
mod deliver;
mod error;
mod fetch;
mod forums;
mod gates;
mod gather;
mod inbound;
mod limits;
mod listen;
mod menu;
mod place;
mod render;
mod signs;
mod telegram;
mod wire;

pub use check::{CheckError, Report};
pub use config::{AlwaysOn, Config, Stream};
pub use error::Error;
pub use telegram::Telegram;
