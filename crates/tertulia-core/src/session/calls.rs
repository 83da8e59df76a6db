//! Calls in an answer's text, and what comes of one that cannot be read.

use super::answer::Answer;
use super::finish::End;
use super::turn::Turn;
use super::wires::Wires;
use crate::chat::ChatMessage;
use crate::fault::Fault;
use crate::now::Now;
use crate::text_tools::{Broken, FORM, Filter, Forms, Read};

/// The most calls in a turn that the model is asked to write once more.
const CORRECTIONS: u32 = 1;

/// How much of a call that cannot be read the model gets to see once more, in characters: with all of a long one there might be
/// no room for the next.
const BROKEN_SHOWN: usize = 2000;

/// What stands behind the conversation when the model is asked to call once more.
#[derive(Debug)]
pub(super) struct Correction {
    /// What the model wrote, and what is wrong with it.
    pub(super) messages: [ChatMessage; 2],
    /// What people saw of it: the next answer goes on from there.
    carried: String,
}

impl Turn {
    /// An answer before its first word.
    pub(super) fn new_answer(&self) -> Answer {
        let carried = self.correction.as_ref().map(|correction| correction.carried.clone());
        Answer::new(carried.unwrap_or_default(), self.filter())
    }

    /// What reads calls in the text of the next answer. What a client asked for with tools of its own goes to it as it is,
    /// where the model has a way of its own to call them.
    fn filter(&self) -> Option<Filter> {
        let tools = self.offered_tools();
        let in_words = self.asked(&tools).has_text_tools(&self.around.capabilities);
        let forms = match (in_words, self.client_tools.is_empty()) {
            (true, _) => Forms::All,
            (false, true) => Forms::Tags,
            (false, false) => return None,
        };
        (!tools.is_empty()).then(|| Filter::new(tools, forms))
    }

    /// What was read in the text becomes calls. A client gets none of tools that it does not have.
    pub(super) fn read_calls(&mut self, mut read: Read) {
        if !self.client_tools.is_empty() {
            let known: Vec<&str> = self.client_tools.iter().map(|tool| tool.name.as_str()).collect();
            let strange = read.calls.extract_if(.., |call| !known.contains(&call.name.as_str()));
            if let Some(call) = strange.last() {
                let why = format!("there is no tool {:?}; there are: {}", call.name, known.join(", "));
                let text = format!("<tool_call name={:?}/>", call.name);
                read.broken.get_or_insert(Broken { why, text });
            }
        }
        self.answer.add_read(read);
    }

    /// A call cannot be read: the model is told once, then people are.
    pub(super) fn misspoke(&mut self, broken: &Broken, now: Now, wires: &mut Wires) {
        if self.corrections >= CORRECTIONS {
            self.finish(End::Fault(Fault::BrokenCall), now, wires);
            return;
        }
        self.corrections += 1;
        let carried = std::mem::take(&mut self.answer.text);
        let beginning: String = broken.text.chars().take(BROKEN_SHOWN).collect();
        let written = format!("{carried}{beginning}");
        let tools = self.offered_tools();
        let in_words = self.asked(&tools).has_text_tools(&self.around.capabilities);
        let how = if in_words {
            format!("Write it once more, whole and in this form, or answer without a tool:\n\n{FORM}")
        } else {
            "Call once more, in the way that you were given, or answer without a tool.".to_owned()
        };
        let told = format!("Your call could not be read: {}. Nothing was done. {how}", broken.why);
        self.correction = Some(Correction {
            messages: [ChatMessage::assistant(written), ChatMessage::user(told)],
            carried,
        });
        self.ask(now, wires);
    }
}
