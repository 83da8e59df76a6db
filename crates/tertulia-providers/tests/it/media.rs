//! Pictures and sound against strict servers.

mod gemini;
mod openai;
mod server;

use std::sync::Arc;

use tertulia_core::media::{Sound, SpokenWords};
use tertulia_core::provider::{ProviderError, ProviderFault};

use crate::asking::CANARY;

/// As much of a picture as tells that it is one.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\nIHDR";
const OGG: &[u8] = b"OggS\0\x02OpusHead";

fn spoken(bytes: &[u8], mime: &str) -> SpokenWords {
    SpokenWords {
        sound: Sound {
            mime: mime.into(),
            bytes: Arc::from(bytes),
        },
        model: String::new(),
        language: Some("de".into()),
    }
}

/// A failure of a kind that shows no key.
#[track_caller]
fn check<T: std::fmt::Debug>(outcome: Result<T, ProviderError>, kind: ProviderFault, words: &str) {
    let error = outcome.unwrap_err();
    assert_eq!(error.kind, kind, "{error}");
    let text = error.to_string();
    assert!(text.contains(words) && !text.contains(CANARY), "{text}");
}
