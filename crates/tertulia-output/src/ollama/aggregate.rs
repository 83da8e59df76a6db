//! The whole answer in one object, for clients that do not stream.

use serde_json::Value;

use super::line::Parts;
use super::{Chunk, Done, Line};

/// The pieces of an answer, put together.
#[derive(Debug, Clone, Default)]
pub struct Aggregate {
    parts: Parts,
    error: Option<String>,
}

impl Aggregate {
    /// Adds a piece. The first error stays.
    pub fn push(&mut self, chunk: Chunk) {
        match chunk {
            Chunk::Content(text) => self.parts.content.push_str(&text),
            Chunk::Thinking(text) => self.parts.thinking.push_str(&text),
            Chunk::Call(call) => self.parts.calls.push(call.to_json(self.parts.calls.len())),
            Chunk::Error(text) => {
                self.error.get_or_insert(text);
            }
        }
    }

    /// The answer.
    ///
    /// # Errors
    /// The text of the error that was among the pieces.
    pub fn finish(self, line: &Line<'_>, done: &Done) -> Result<Value, String> {
        match self.error {
            Some(text) => Err(text),
            None => Ok(line.last(self.parts, done)),
        }
    }
}
