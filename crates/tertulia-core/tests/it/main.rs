//! Properties of the core.

#![expect(clippy::string_slice, reason = "test code")]

mod buttons;
mod chain;
mod composer;
mod machines;
mod markdown;
mod missing;
mod money;
mod play;
mod shorten;
mod split;
mod stop;
mod text_tools;
mod texts;
mod thinking;
