//! Properties of the core.

#![expect(clippy::string_slice, reason = "test code")]

mod composer;
mod machines;
mod markdown;
mod play;
mod split;
mod stop;
mod texts;
