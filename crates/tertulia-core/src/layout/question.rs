//! Puts a question together where nobody gives a budget of tokens: system prompt, history, current message.

use super::DEFAULT_SYSTEM;
use crate::chat::ChatMessage;
use crate::window;

/// How many messages of the history are kept unless told otherwise.
pub const USUAL_HISTORY: usize = 10;

/// A system prompt, and the messages that end with what is to be answered.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// The system prompt.
    pub system: String,
    /// The messages.
    pub messages: Vec<ChatMessage>,
}

impl Question {
    /// Without a system prompt there is [`DEFAULT_SYSTEM`]. Of the history the newest `most` messages are kept, whole
    /// rounds of calls and results, never beginning with a model's message. Nothing is said now where a round of tools is to be
    /// answered.
    #[must_use]
    pub fn new(system: Option<&str>, history: &[ChatMessage], current: Option<ChatMessage>, most: usize) -> Self {
        let mut messages = window::newest(history, most);
        messages.extend(current);
        Self {
            system: system.unwrap_or(DEFAULT_SYSTEM).to_owned(),
            messages,
        }
    }
}
