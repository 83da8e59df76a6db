//! The whole program as a Telegram bot, against a server that behaves as Telegram does.

mod answers;
mod configuration;
mod first_steps;
mod groups;
mod real_model;
mod restarts;
pub(crate) mod scene;
mod secrets;
mod understanding;
