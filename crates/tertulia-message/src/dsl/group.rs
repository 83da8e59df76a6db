//! A group of messages as one value.

use serde::{Deserialize, Serialize};

use super::{Message, Metadata};

/// Messages that belong together and are shown as one.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Group {
    /// Unique within a conversation.
    pub id: String,
    /// In order.
    pub messages: Vec<Message>,
    /// When and in which order the group was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Metadata>,
}
