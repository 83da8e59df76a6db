//! Performs what the core decides: tasks, queues, deadlines, retries.
//!
//! [`Engine::new`] takes the assembled [`Parts`]; [`Engine::run`] listens until it is told to stop.

mod asking;
mod backing;
mod clock;
mod commands;
mod commit_queue;
mod courier_task;
mod crash;
mod engine;
mod error;
mod gate;
mod give_up;
mod governed;
mod handle;
mod hub;
mod listen;
mod many;
mod outbox;
mod parts;
mod pulse;
mod reload;
mod sent_files;
mod session_task;
mod tool_task;

pub use clock::WallClock;
pub use engine::Engine;
pub use error::EngineError;
pub use handle::Handle;
pub use listen::InterfaceState;
pub use many::{Reply, Unanswered, run_many};
pub use parts::{Live, Parts, ProviderPart, Reload, Reloaded, Settings};
