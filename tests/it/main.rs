//! The whole program, driven from the outside.

#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "test code")]
#![cfg_attr(
    feature = "loopback",
    expect(clippy::print_stdout, reason = "the kill test prints what it counted")
)]

mod canary;
#[cfg(feature = "loopback")]
mod claim;
mod cli;
mod config;
mod control;
mod daemon;
mod disk;
mod doctor;
#[cfg(feature = "loopback")]
mod governed;
mod import;
#[cfg(feature = "loopback")]
mod kill;
#[cfg(feature = "matrix")]
mod matrix;
mod ollama;
mod ollama_client;
mod personas;
mod provider_failures;
mod providers;
mod real_model;
mod reload;
mod service;
mod stand_ins;
mod telegram;
mod test_tools;
mod tidy;
