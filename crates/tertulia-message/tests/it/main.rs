//! Paths and the message DSL from outside: conformance, properties, and the frozen format.

mod conformance;
mod golden;
mod properties;
