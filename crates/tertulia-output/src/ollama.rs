//! What a client of Ollama's API reads: one JSON object per line, or one for the whole answer.

mod adapt;
mod aggregate;
mod calls;
mod line;
mod writer;

pub use adapt::adapt;
pub use aggregate::Aggregate;
pub use line::{Done, Line, Route, error, rfc3339};
pub use writer::Writer;

use serde_json::{Map, Value};

/// A piece of an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Chunk {
    /// Text of the answer.
    Content(String),
    /// Reasoning, and what goes on meanwhile.
    Thinking(String),
    /// A whole call of one of the client's tools.
    Call(Call),
    /// A fault that a person may read; nothing may follow it.
    Error(String),
}

/// A call of one of the client's tools.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// The call's id; may be empty.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// Its arguments: always an object, since clients refuse everything else.
    pub arguments: Map<String, Value>,
}

#[cfg(test)]
mod tests;
