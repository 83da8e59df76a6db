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
    pub fn push(&mut self, message: &Message) -> Result<&Message, MergeError> {
        match self
            .places
            .get(&message.id)
            .and_then(|place| self.messages.get_mut(*place))
        {
            // a second lookup below, since a borrow that is returned here would hold for all arms
            Some(known) => {
                if merge_into(known, message)? == Merged::Ignored {
                    self.ignored += 1;
                }
            }
            None => self.begin(message)?,
        }
        let place = self
            .places
            .get(&message.id)
            .copied()
            .unwrap_or(self.messages.len().saturating_sub(1));
        self.messages
            .get(place)
            .ok_or_else(|| MergeError::NoValue(message.delta_path.clone()))
    }

    fn begin(&mut self, message: &Message) -> Result<(), MergeError> {
        let mut begun = Message {
            kind: message.kind.clone(),
            id: message.id.clone(),
            ..Message::default()
        };
        merge_into(&mut begun, message)?;
        if !message.id.is_empty() {
            self.places.insert(message.id.clone(), self.messages.len());
        }
        self.messages.push(begun);
        Ok(())
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
