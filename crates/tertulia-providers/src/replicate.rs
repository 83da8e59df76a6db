//! Models that run at Replicate: predictions, streamed or polled.

mod config;

pub use config::{ReplicateConfig, ReplicateModel};
