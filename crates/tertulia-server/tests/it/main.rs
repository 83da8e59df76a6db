//! The doors over real HTTP, with a scripted daemon behind them.

#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "test code")]

mod catalog;
mod chat;
mod conversations;
mod daemon;
mod failures;
mod generate;
mod gone;
mod guarded;
mod hostile;
mod ready;
mod replaced;
mod requests;
mod stopping;
