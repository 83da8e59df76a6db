//! The question to a model, made for what it can do at the moment of asking.

use tertulia_message::path::InterfacePath;
use tertulia_message::{Generation, ToolOffer};

use super::SystemParts;
use crate::chat::ChatMessage;
use crate::provider::{Capabilities, ModelRequest};

/// The parameter of a tool that takes the address of a conversation.
pub const PATH_PARAMETER: &str = "interface_path";

/// What is asked, before it is known what the model can do.
#[derive(Debug, Clone)]
pub struct Asked<'a> {
    /// The model, by the provider's own name.
    pub model: &'a str,
    /// The base of the system prompt.
    pub base: &'a str,
    /// The files of the project, as a tree; empty if there is none.
    pub tree: &'a str,
    /// The conversation's address.
    pub path: &'a InterfacePath,
    /// Whether the model is told the address also where no tool asks for one.
    pub tells_path: bool,
    /// The tools it may call.
    pub tools: &'a [ToolOffer],
    /// How to generate.
    pub generation: &'a Generation,
}

impl Asked<'_> {
    /// The system prompt, as this model needs it.
    #[must_use]
    pub fn system(&self) -> String {
        let asks_for_path = self.tools.iter().any(takes_path);
        let parts = SystemParts {
            base: self.base.to_owned(),
            tree: self.tree.to_owned(),
            tools: if asks_for_path {
                COPY_THE_PATH.to_owned()
            } else {
                String::new()
            },
            context: if asks_for_path || self.tells_path {
                format!("Interface path of this conversation: {}", self.path)
            } else {
                String::new()
            },
        };
        parts.compose()
    }

    /// The request: `messages` end with what is to be answered, `system` was made for the same abilities.
    #[must_use]
    pub fn request(&self, system: String, messages: Vec<ChatMessage>, able: &Capabilities) -> ModelRequest {
        ModelRequest {
            model: self.model.to_owned(),
            system,
            messages,
            tools: if able.tool_calls {
                self.tools.to_vec()
            } else {
                Vec::new()
            },
            generation: self.generation.clone(),
        }
    }
}

const COPY_THE_PATH: &str = "Where a tool asks for an interface_path, copy the interface path of this conversation \
                             letter by letter from below, unless you were given another one.";

fn takes_path(tool: &ToolOffer) -> bool {
    tool.parameters
        .get("properties")
        .is_some_and(|properties| properties.get(PATH_PARAMETER).is_some())
}
