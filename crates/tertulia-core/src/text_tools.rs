//! Tools for models that have no way of their own to call them: told of in the system prompt, called in the answer's text.
//!
//! ```text
//! <tool_call id="1" name="weather"><param name="city">Rome</param></tool_call>
//! <tool_response id="1" name="weather" status="ok">22 °C &amp; sunny</tool_response>
//! ```
//!
//! What models write instead is read as well: JSON of the form `{"actions":[{"type","payload"}]}`, one such object alone,
//! flat `{"action","text",..}`, and the forms that models were trained for.

mod actions;
mod element;
mod escape;
mod filter;
mod instructions;
mod json;
mod write;

pub use filter::{Broken, Filter, Forms, Read, TextCall};
pub(crate) use instructions::FORM;
pub use instructions::instructions;
pub use json::extract as extract_json;
pub(crate) use write::without_results;
pub use write::{call_text, read_results, results_text};
