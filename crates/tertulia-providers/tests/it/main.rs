//! The providers against servers on loopback.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "test code")]
#![expect(clippy::print_stdout, reason = "the recordings say what is left out")]

mod anthropic;
mod asking;
mod chat_kinds;
mod contract;
mod failures;
mod google;
mod huggingface;
mod layout;
mod media;
mod ollama;
mod overrides;
mod recordings;
mod replicate;
mod responses;
mod rough;
mod streams;
mod wire;
