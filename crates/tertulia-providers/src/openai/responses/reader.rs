//! Turns the events of one answer into deltas; knows when the answer is complete.

use serde_json::{Map, Value};
use tertulia_core::provider::{CallDelta, Delta, ProviderError};

use super::echo::Kept;
use super::end;
use super::item::{Whole, field, id, kind};
use super::items::Items;
use crate::answer::{Progress, ReadAnswer, Shape, broken, parsed};
use crate::failure::Evidence;
use crate::framed::{self, Framed, ReadFramed};
use crate::names::Names;
use crate::sse::Event;

/// The reader of one answer: of events, or of one JSON object.
#[derive(Debug)]
pub(crate) struct Reader {
    frame: Framed,
    model: String,
    names: Names,
    items: Items,
    kept: Kept,
    calls: bool,
    refused: bool,
}

/// What a piece of an item is.
#[derive(Debug, Clone, Copy)]
enum Piece {
    Text,
    Refusal,
    Thought,
    Input,
}

impl Reader {
    /// A reader that gives calls back under the tools' own names.
    pub(crate) fn new(shape: Shape, model: String, names: Names) -> Self {
        Self {
            frame: Framed::new(shape),
            model,
            names,
            items: Items::default(),
            kept: Kept::default(),
            calls: false,
            refused: false,
        }
    }

    fn item(&mut self, event: &Value, is_done: bool, deltas: &mut Vec<Delta>) {
        let Some(item) = event.get("item").and_then(Value::as_object) else {
            return;
        };
        let place = self.items.place_of_item(event, item);
        if is_done {
            self.whole(place, item, deltas);
        } else {
            self.open(place, item, deltas);
        }
    }

    fn open(&mut self, place: u32, item: &Map<String, Value>, deltas: &mut Vec<Delta>) {
        let is_call = matches!(kind(item), "function_call" | "custom_tool_call");
        let known = self.items.at(place);
        let begins = is_call && !known.is_call;
        id(item).clone_into(&mut known.id);
        known.is_call |= is_call;
        if begins {
            self.calls = true;
            let text = |name: &str| Some(field(item, name)).filter(|text| !text.is_empty());
            deltas.push(Delta::Call(CallDelta {
                index: place,
                id: text("call_id").or_else(|| text("id")).map(str::to_owned),
                name: text("name").map(|name| self.names.own_name(name)),
                arguments: String::new(),
            }));
        }
    }

    fn give(&mut self, place: u32, piece: Piece, text: &str, deltas: &mut Vec<Delta>) {
        if text.is_empty() {
            return;
        }
        let item = self.items.at(place);
        let (given, delta) = match piece {
            Piece::Text | Piece::Refusal => (&mut item.text, Delta::Text(text.to_owned())),
            Piece::Thought => (&mut item.thoughts, Delta::Thinking(text.to_owned())),
            Piece::Input if !item.is_call => return,
            Piece::Input => {
                let call = CallDelta {
                    index: place,
                    arguments: text.to_owned(),
                    ..CallDelta::default()
                };
                (&mut item.input, Delta::Call(call))
            }
        };
        *given += text.len();
        self.refused |= matches!(piece, Piece::Refusal);
        deltas.push(delta);
    }

    /// An item is complete: gives what of it was not given out in pieces, and keeps what is to go back.
    fn whole(&mut self, place: u32, item: &Map<String, Value>, deltas: &mut Vec<Delta>) {
        self.open(place, item, deltas);
        let known = self.items.at(place);
        if std::mem::replace(&mut known.is_over, true) {
            return;
        }
        let said = Whole::of(item);
        let given = [known.text, known.thoughts, known.input];
        let pieces = [Piece::Text, Piece::Thought, Piece::Input];
        let whole = [&said.text, &said.thoughts, &said.input];
        for ((piece, whole), given) in pieces.into_iter().zip(whole).zip(given) {
            self.give(place, piece, whole.get(given..).unwrap_or_default(), deltas);
        }
        self.refused |= said.refuses;
        self.kept.item(item.clone(), said.text.len());
    }

    /// The answer has ended, as its status says: gives what is left, what is to go back with it, and the end mark.
    fn ended(&mut self, response: &Value, word: &str, deltas: &mut Vec<Delta>) -> Result<(), ProviderError> {
        let output = response.get("output").and_then(Value::as_array);
        if self.items.is_empty() {
            let items = output.into_iter().flatten().filter_map(Value::as_object);
            for (place, item) in (0..).zip(items) {
                self.whole(place, item, deltas);
            }
        }
        deltas.extend(response.get("usage").and_then(end::usage).map(Delta::Usage));
        let stop = end::stop(response, word, self.calls, self.refused)?;
        let kept = std::mem::take(&mut self.kept);
        deltas.extend(kept.data(&self.model).map(Delta::Data));
        deltas.push(Delta::End(stop));
        Ok(())
    }
}

impl ReadFramed for Reader {
    const END: &'static str = "response.completed";

    fn frame(&mut self) -> &mut Framed {
        &mut self.frame
    }

    /// Reads one event. What it is says the data; the event's own name counts where the data does not say.
    fn event(&mut self, event: &Event, deltas: &mut Vec<Delta>) -> Result<Progress, ProviderError> {
        let text = event.data.trim();
        if event.name == "error" {
            return Err(Evidence::from_body(text).error());
        }
        // some servers end with this mark of the other API, which says nothing here
        if text.is_empty() || text == "[DONE]" {
            return Ok(Progress::More);
        }
        let data = parsed(text.as_bytes())?;
        let word = data.get("type").and_then(Value::as_str).unwrap_or(&event.name);
        let piece = match word {
            "response.output_item.added" | "response.output_item.done" => {
                self.item(&data, word.ends_with("done"), deltas);
                return Ok(Progress::More);
            }
            "response.output_text.delta" => Piece::Text,
            "response.refusal.delta" => Piece::Refusal,
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => Piece::Thought,
            "response.function_call_arguments.delta" | "response.custom_tool_call_input.delta" => Piece::Input,
            "response.completed" | "response.incomplete" | "response.failed" | "response.cancelled" => {
                let response = data.get("response").unwrap_or(&Value::Null);
                return self.ended(response, word, deltas).map(|()| Progress::Done);
            }
            "error" => return Err(Evidence::from_json(&data).error()),
            _ if data.get("error").is_some_and(|error| !error.is_null()) => {
                return Err(Evidence::from_json(&data).error());
            }
            // the beginning, what the provider's own tools do, or an event of a later day
            _ => return Ok(Progress::More),
        };
        let place = self.items.place_of_piece(&data);
        let text = data.get("delta").and_then(Value::as_str).unwrap_or_default();
        self.give(place, piece, text, deltas);
        Ok(Progress::More)
    }
    fn whole_answer(&mut self, response: &Value, deltas: &mut Vec<Delta>) -> Result<(), ProviderError> {
        let is_answer = response.get("output").is_some_and(Value::is_array);
        if is_answer || response.get("error").is_some_and(|error| !error.is_null()) {
            self.ended(response, "completed", deltas)
        } else {
            Err(broken("the answer has no output"))
        }
    }
}

impl ReadAnswer for Reader {
    fn take(&mut self, bytes: &[u8], deltas: &mut Vec<Delta>) -> Result<Progress, ProviderError> {
        framed::take(self, bytes, deltas)
    }

    fn finish(&mut self, deltas: &mut Vec<Delta>) -> Result<(), ProviderError> {
        framed::finish(self, deltas)
    }
}

#[cfg(test)]
mod tests;
