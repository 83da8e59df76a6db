//! The content of a conversation: what people, the model and tools said, in any provider's absence.

use tertulia_message::Picture;

/// One piece of what somebody said.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    /// Text.
    Text(String),
    /// A picture.
    Picture(Picture),
}

/// A call of a tool by the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCall {
    /// The call's id, unique within its round.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments as JSON text, verbatim.
    pub arguments: String,
}

/// How a tool call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolStatus {
    /// It did what it should.
    Ok,
    /// It failed; the content says why.
    Failed,
}

/// The result of a tool call, as the model reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolResult {
    /// Which call it answers.
    pub call_id: String,
    /// The tool's name.
    pub name: String,
    /// How it ended.
    pub status: ToolStatus,
    /// What the model reads.
    pub content: String,
}

/// Data of a provider that must go back to it unchanged with the turn it belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderData {
    /// The provider's kind, e.g. `anthropic`.
    pub kind: String,
    /// The model.
    pub model: String,
    /// Opaque bytes; only the provider that made them reads them.
    pub bytes: Vec<u8>,
}

/// One message to a model.
#[derive(Debug, Clone, PartialEq)]
pub enum ChatMessage {
    /// What people said.
    User {
        /// Text and pictures.
        parts: Vec<Part>,
    },
    /// What the model said.
    Assistant {
        /// The text.
        text: String,
        /// Its calls; each has its result in the `Tool` message that follows.
        calls: Vec<ToolCall>,
        /// What the provider wants back.
        data: Option<ProviderData>,
    },
    /// The results of the calls of the assistant's message before.
    Tool {
        /// One per call.
        results: Vec<ToolResult>,
    },
}

impl ChatMessage {
    /// A person's message of text alone.
    #[must_use]
    pub fn user(text: impl Into<String>) -> Self {
        Self::User {
            parts: vec![Part::Text(text.into())],
        }
    }

    /// A model's message of text alone.
    #[must_use]
    pub fn assistant(text: impl Into<String>) -> Self {
        Self::Assistant {
            text: text.into(),
            calls: Vec::new(),
            data: None,
        }
    }

    /// The results of a round, all in one message; none if there are none.
    #[must_use]
    pub fn results(results: Vec<ToolResult>) -> Option<Self> {
        (!results.is_empty()).then_some(Self::Tool { results })
    }

    /// True for what the model reads and people never see.
    #[must_use]
    pub fn is_internal(&self) -> bool {
        matches!(self, Self::Tool { .. })
    }
}
