//! Properties of the core.

#![expect(clippy::string_slice, reason = "test code")]

mod composer;
mod machines;
mod markdown;
mod split;
mod texts;
