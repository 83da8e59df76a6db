//! Adapters from the message DSL to what each kind of client understands.
//!
//! Everything here is a pure function of its arguments, or a small state machine around one: no
//! clock, no socket, no ids of its own.

pub mod links;
pub mod ollama;
