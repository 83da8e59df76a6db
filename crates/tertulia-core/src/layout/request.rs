//! The question to a model, made for what it can do at the moment of asking.

use tertulia_message::path::InterfacePath;
use tertulia_message::{Generation, ToolOffer};

use super::{SystemParts, textual};
use crate::chat::ChatMessage;
use crate::provider::{Capabilities, ModelRequest};
use crate::text_tools::instructions;

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
    /// True if the model is told of its tools in words, and calls them in its text: it has no way of its own.
    #[must_use]
    pub fn has_text_tools(&self, able: &Capabilities) -> bool {
        !self.tools.is_empty() && !has_own_way(able)
    }

    /// The system prompt, as a model of these abilities needs it.
    #[must_use]
    pub fn system(&self, able: &Capabilities) -> String {
        let asks_for_path = self.tools.iter().any(takes_path);
        let mut tools = Vec::new();
        if self.has_text_tools(able) {
            tools.push(instructions(self.tools));
        }
        if asks_for_path {
            tools.push(COPY_THE_PATH.to_owned());
        }
        let parts = SystemParts {
            base: self.base.to_owned(),
            tree: self.tree.to_owned(),
            tools: tools.join("\n\n"),
            context: if asks_for_path || self.tells_path {
                format!("Interface path of this conversation: {}", self.path)
            } else {
                String::new()
            },
        };
        parts.compose()
    }

    /// The request to a model of these abilities: `system` was made for them, `messages` end with what is to be answered.
    ///
    /// Tools go the provider's way, or into words: never both.
    #[must_use]
    pub fn request(&self, system: String, messages: Vec<ChatMessage>, able: &Capabilities) -> ModelRequest {
        let own_way = has_own_way(able);
        // as one prompt, everything becomes text in any case
        let in_words = able.conversation && !own_way;
        ModelRequest {
            model: self.model.to_owned(),
            system,
            messages: if in_words {
                textual::without_calls(messages)
            } else {
                messages
            },
            tools: if own_way { self.tools.to_vec() } else { Vec::new() },
            generation: self.generation.clone(),
        }
    }
}

/// A prompt has no place for tools.
fn has_own_way(able: &Capabilities) -> bool {
    able.conversation && able.tool_calls
}

const COPY_THE_PATH: &str = "Where a tool asks for an interface_path, copy the interface path of this conversation \
                             letter by letter from below, unless you were given another one.";

fn takes_path(tool: &ToolOffer) -> bool {
    tool.parameters
        .get("properties")
        .is_some_and(|properties| properties.get(PATH_PARAMETER).is_some())
}
