//! Answers to presses of buttons.

use serde_json::{Value, json};

use super::Call;
use crate::telegram_double::refusal::Refusal;
use crate::telegram_double::text::units;
use crate::telegram_double::world::World;

const LONGEST_ANSWER: usize = 200;

impl World {
    /// A press is answered once; what people see of the answer is in the log.
    pub(super) fn answer_callback_query(&mut self, call: &Call<'_>) -> Result<Value, Refusal> {
        if units(&call.params.text("text").unwrap_or_default()) > LONGEST_ANSWER {
            return Err(Refusal::bad("MESSAGE_TOO_LONG"));
        }
        let id = call.params.text("callback_query_id").unwrap_or_default();
        match self.presses.get_mut(&id) {
            Some(is_answered) if !*is_answered => {
                *is_answered = true;
                Ok(json!(true))
            }
            _ => Err(Refusal::bad(
                "query is too old and response timeout expired or query ID is invalid",
            )),
        }
    }
}
