//! HuggingFace: the router's chat, and text generation.

mod config;

pub use config::{HuggingFaceApi, HuggingFaceConfig};
