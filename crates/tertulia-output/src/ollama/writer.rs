//! What belongs to a stream: which messages it has shown already, and calls that are still coming in.

use std::collections::BTreeSet;

use tertulia_message::{Assembler, Kind, Message};

use super::{Chunk, adapt};
use crate::links::{LinkError, Links};

/// Turns the messages of one answer into its pieces.
///
/// Calls come in whole: the deltas of one are put together until it is done. A link for a message is given once. A
/// finished message that was streamed before adds nothing.
#[derive(Debug, Clone, Default)]
pub struct Writer {
    links: Links,
    shown: BTreeSet<String>,
    calls: Assembler,
    open_calls: Vec<String>,
}

impl Writer {
    /// A writer for a new answer.
    #[must_use]
    pub fn new(links: Links) -> Self {
        Self {
            links,
            ..Self::default()
        }
    }

    /// What the next message adds to the answer.
    ///
    /// # Errors
    /// The message cannot be shown; the stream goes on without it.
    pub fn write(&mut self, message: &Message) -> Result<Option<Chunk>, LinkError> {
        if message.builtin() == Some(Kind::ToolCall) && !message.id.is_empty() {
            return Ok(self.collect(message));
        }
        let known = !message.id.is_empty() && self.shown.contains(&message.id);
        if known && (is_shown_once(message) || (message.done && !message.delta)) {
            return Ok(None);
        }
        let chunk = adapt(message, &self.links)?;
        if chunk.is_some() && !message.id.is_empty() {
            self.shown.insert(message.id.clone());
        }
        Ok(chunk)
    }

    /// The calls whose end was never told, at the end of the answer.
    pub fn close(&mut self) -> Vec<Chunk> {
        let open = std::mem::take(&mut self.open_calls);
        open.iter().filter_map(|id| self.assembled(id)).collect()
    }

    fn collect(&mut self, message: &Message) -> Option<Chunk> {
        if self.shown.contains(&message.id) {
            return None;
        }
        // a delta that does not fit leaves the call as it was
        self.calls.push(message).ok()?;
        if message.delta && !message.done {
            if !self.open_calls.contains(&message.id) {
                self.open_calls.push(message.id.clone());
            }
            return None;
        }
        self.open_calls.retain(|id| *id != message.id);
        self.shown.insert(message.id.clone());
        self.assembled(&message.id)
    }

    fn assembled(&self, id: &str) -> Option<Chunk> {
        adapt(self.calls.get(id)?, &self.links).ok().flatten()
    }
}

/// Media and custom types are links: one is enough, however often the message changes.
fn is_shown_once(message: &Message) -> bool {
    matches!(message.builtin(), None | Some(Kind::Image | Kind::Audio | Kind::Video))
}
