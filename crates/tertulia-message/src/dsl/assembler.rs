//! Puts messages together from their deltas.

use std::collections::HashMap;

use super::{MergeError, Merged, Message, merge_into};

/// The merged messages of a stream, by id, in order of first appearance.
///
/// A message without an id stands alone: nothing is ever merged into it.
#[derive(Debug, Clone, Default)]
pub struct Assembler {
    messages: Vec<Message>,
    places: HashMap<String, usize>,
    ignored: u64,
}

impl Assembler {
    /// An assembler that has seen nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next message of the stream and gives back what it is now part of.
    ///
    /// A delta for an unknown id starts from empty props; one for a message that is done is
    /// ignored and counted.
    ///
    /// # Errors
    /// A delta that cannot be merged. Nothing is changed, and the stream may go on.
    #[expect(clippy::indexing_slicing, reason = "places point into messages, which never shrinks")]
    pub fn push(&mut self, message: &Message) -> Result<&Message, MergeError> {
        let place = match self.places.get(&message.id) {
            Some(place) => *place,
            None => return self.begin(message),
        };
        if merge_into(&mut self.messages[place], message)? == Merged::Ignored {
            self.ignored += 1;
        }
        Ok(&self.messages[place])
    }

    fn begin(&mut self, message: &Message) -> Result<&Message, MergeError> {
        let mut begun = Message::new(&message.kind);
        begun.id.clone_from(&message.id);
        merge_into(&mut begun, message)?;
        if !message.id.is_empty() {
            self.places.insert(message.id.clone(), self.messages.len());
        }
        Ok(self.messages.push_mut(begun))
    }

    /// The merged message of this id.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&Message> {
        self.messages.get(*self.places.get(id)?)
    }

    /// All merged messages, in order of first appearance.
    #[must_use]
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// How many deltas came after their message was done.
    #[must_use]
    pub fn ignored(&self) -> u64 {
        self.ignored
    }
}
