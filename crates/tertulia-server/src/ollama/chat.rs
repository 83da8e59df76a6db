//! `/api/chat`: a conversation and its next answer.

use tertulia_output::ollama::Route;

use super::fields::Fields;
use super::work::{Talk, Work};
use super::{messages, options};
use crate::refusal::Refusal;

/// The route for chats.
pub(super) struct Chat;

impl Talk for Chat {
    fn route(&self) -> Route {
        Route::Chat
    }

    fn name(&self) -> &'static str {
        "ChatRequest"
    }

    fn work(&self, fields: &Fields<'_>) -> Result<Option<Work>, Refusal> {
        let conversation = messages::read(fields)?;
        let work = Work {
            system: conversation.system,
            messages: conversation.messages,
            tools: messages::tools(fields)?,
            generation: options::read(fields)?,
        };
        let is_load = fields.list("messages", "[]api.Message")?.is_empty();
        Ok((!is_load).then_some(work))
    }
}
