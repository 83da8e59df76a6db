//! Turns the events of one answer into deltas; knows when the answer is complete.

use serde_json::Value;
use tertulia_core::provider::{CallDelta, Delta, ProviderError, ProviderFault};

use super::calls::Calls;
use super::chunk::{Choice, Chunk, Said, WireDelta, WireFragment, said};
use super::echo::{Echo, Kept};
use super::end::stop;
use super::usage::usage;
use crate::answer::Progress;
use crate::failure::Evidence;
use crate::names::Names;
use crate::sse::Event;

/// The reader of one answer.
#[derive(Debug)]
pub(crate) struct Reader {
    asked: Asked,
    kept: Kept,
    finish: Option<String>,
    calls: Calls,
    refused: bool,
}

/// Who was asked, and what for.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) kind: &'static str,
    pub(crate) model: String,
    /// Gives calls back under the tools' own names.
    pub(crate) names: Names,
    pub(crate) echo: Echo,
    /// `usage.cost` is in dollars.
    pub(crate) billed: bool,
}

/// Whether a JSON value is a whole answer or a chunk of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    Chunk,
    Whole,
}

impl Reader {
    /// A reader that has read nothing.
    pub(crate) fn new(asked: Asked) -> Self {
        Self {
            kept: Kept::new(asked.echo),
            asked,
            finish: None,
            calls: Calls::default(),
            refused: false,
        }
    }

    /// Reads one event of a stream. Deltas are appended also when an error follows them.
    pub(crate) fn event(&mut self, event: &Event, deltas: &mut Vec<Delta>) -> Result<Progress, ProviderError> {
        match event.data.trim() {
            "[DONE]" => {
                self.end(deltas)?;
                Ok(Progress::Done)
            }
            "" => Ok(Progress::More),
            data if event.name == "error" => Err(Evidence::from_body(data).error()),
            data => self.json(data, Extent::Chunk, deltas).map(|()| Progress::More),
        }
    }

    /// Reads one chunk, or a whole answer.
    pub(crate) fn json(&mut self, text: &str, extent: Extent, deltas: &mut Vec<Delta>) -> Result<(), ProviderError> {
        let broken = |error: serde_json::Error| {
            ProviderError::new(
                ProviderFault::Broken,
                format!("a piece of the answer is not understood: {error}"),
            )
        };
        if text.trim().is_empty() {
            return Err(ProviderError::new(ProviderFault::Broken, "the answer is empty"));
        }
        let value: Value = serde_json::from_str(text).map_err(broken)?;
        let chunk = Chunk::deserialize_lenient(&value).map_err(broken)?;
        for choice in chunk
            .choices
            .iter()
            .flatten()
            .filter(|choice| choice.index.unwrap_or(0) == 0)
        {
            self.choice(choice, extent, deltas);
        }
        deltas.extend(usage(&chunk.usage, self.asked.billed).map(Delta::Usage));
        if chunk.error.is_some_and(|error| !error.is_null()) || chunk.object.as_deref() == Some("error") {
            return Err(Evidence::from_json(&value).error());
        }
        Ok(())
    }

    /// What goes back with the answer and the end mark, if it is complete: a stream that ends without a finish reason has
    /// failed.
    pub(crate) fn end(&self, deltas: &mut Vec<Delta>) -> Result<(), ProviderError> {
        let called = !self.calls.is_empty();
        let stop = stop(self.finish.as_deref(), called, self.refused)?;
        let Asked { kind, model, .. } = &self.asked;
        deltas.extend(self.kept.data(kind, model, called).map(Delta::Data));
        deltas.push(Delta::End(stop));
        Ok(())
    }

    fn choice(&mut self, choice: &Choice, extent: Extent, deltas: &mut Vec<Delta>) {
        if let Some(delta) = &choice.delta {
            self.kept.details(&delta.reasoning_details, extent == Extent::Chunk);
            for said in spoken(delta) {
                if let Delta::Thinking(text) = &said {
                    self.kept.thought(text);
                }
                deltas.push(said);
            }
            self.refused |= delta.refusal.as_str().is_some_and(|refusal| !refusal.is_empty());
            for (place, fragment) in (0..).zip(delta.tool_calls.iter().flatten()) {
                // whole calls need no index, and are given none by most
                let index = if extent == Extent::Whole {
                    Some(place)
                } else {
                    fragment.index
                };
                deltas.push(Delta::Call(self.fragment(fragment, index)));
            }
        }
        if let Some(word) = choice.finish_reason.as_ref().filter(|word| !word.is_empty()) {
            self.finish = Some(word.clone());
        }
    }

    fn fragment(&mut self, fragment: &WireFragment, index: Option<u32>) -> CallDelta {
        let id = fragment.id.clone().filter(|id| !id.is_empty());
        let called = fragment.function.as_ref();
        let name = called
            .and_then(|called| called.name.as_deref())
            .filter(|name| !name.is_empty());
        let arguments = called.map(|called| match &called.arguments {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            whole => whole.to_string(),
        });
        CallDelta {
            index: self.calls.place(index, id.as_deref(), name.is_some()),
            id,
            name: name.map(|name| self.asked.names.own_name(name)),
            arguments: arguments.unwrap_or_default(),
        }
    }
}

impl Chunk {
    fn deserialize_lenient(value: &Value) -> Result<Self, serde_json::Error> {
        match value {
            Value::Object(_) => serde::Deserialize::deserialize(value),
            // A list of one error, as some gateways send it; anything else has no choices and no end.
            _ => Ok(Self {
                error: value.get(0).and_then(|first| first.get("error")).cloned(),
                object: None,
                choices: None,
                usage: Value::Null,
            }),
        }
    }
}

fn spoken(delta: &WireDelta) -> Vec<Delta> {
    let thinking = [&delta.reasoning_content, &delta.reasoning]
        .into_iter()
        .filter_map(Value::as_str)
        .find(|text| !text.is_empty())
        .map(|text| Said::Thinking(text.to_owned()));
    let refusal = delta.refusal.as_str().map(|text| Said::Text(text.to_owned()));
    let spoken = thinking.into_iter().chain(said(&delta.content)).chain(refusal);
    spoken
        .filter_map(|said| match said {
            Said::Text(text) => (!text.is_empty()).then_some(Delta::Text(text)),
            Said::Thinking(text) => (!text.is_empty()).then_some(Delta::Thinking(text)),
        })
        .collect()
}

#[cfg(test)]
mod tests;
