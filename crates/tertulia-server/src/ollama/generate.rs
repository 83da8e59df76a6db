//! `/api/generate`: a single prompt and its answer.

use tertulia_message::{Role, SuppliedMessage};
use tertulia_output::ollama::Route;

use super::fields::Fields;
use super::work::{Talk, Work};
use super::{messages, options, pictures};
use crate::refusal::Refusal;

/// The route for prompts. `suffix`, `template`, `raw` and `context` speak to a bare model, and are passed over.
pub(super) struct Generate;

impl Talk for Generate {
    fn route(&self) -> Route {
        Route::Generate
    }

    fn name(&self) -> &'static str {
        "GenerateRequest"
    }

    fn work(&self, fields: &Fields<'_>) -> Result<Option<Work>, Refusal> {
        let prompt = fields.text("prompt")?;
        let message = SuppliedMessage {
            role: Role::User,
            text: prompt.to_owned(),
            thinking: String::new(),
            pictures: pictures::read(fields)?,
            calls: Vec::new(),
            call_id: None,
            tool_name: None,
        };
        let work = Work {
            system: messages::joined(&[fields.text("system")?]),
            messages: vec![message],
            tools: Vec::new(),
            generation: options::read(fields)?,
        };
        Ok((!prompt.is_empty()).then_some(work))
    }
}
