//! Turns the events of one answer into deltas; knows when the answer is complete.

use std::collections::BTreeMap;

use serde_json::Value;
use tertulia_core::provider::{CallDelta, Delta, ProviderError, ProviderFault, Stop};

use super::block::{Block, Said};
use super::counts::Counts;
use super::echo::Kept;
use crate::answer::{Progress, ReadAnswer, Shape, broken, parsed};
use crate::failure::Evidence;
use crate::framed::{self, Framed, ReadFramed};
use crate::names::Names;
use crate::sse::Event;

/// The reader of one answer.
#[derive(Debug)]
pub(crate) struct Reader {
    frame: Framed,
    model: String,
    names: Names,
    open: BTreeMap<u32, Block>,
    kept: Kept,
    counts: Counts,
    calls_seen: bool,
    reason: Option<String>,
}

impl Reader {
    /// A reader that gives calls back under the tools' own names.
    pub(crate) fn new(shape: Shape, model: String, names: Names) -> Self {
        Self {
            frame: Framed::new(shape),
            model,
            names,
            open: BTreeMap::new(),
            kept: Kept::default(),
            counts: Counts::default(),
            calls_seen: false,
            reason: None,
        }
    }

    fn begin(&mut self, index: Option<u32>, block: &Value, deltas: &mut Vec<Delta>) {
        let Some(fields) = block.as_object() else { return };
        let next = || self.open.last_key_value().map_or(0, |(last, _)| last.saturating_add(1));
        let index = index.unwrap_or_else(next);
        let (block, said) = Block::begin(fields.clone());
        if block.is_call() {
            self.calls_seen = true;
            let text = |name: &str| Some(block.field(name)).filter(|text| !text.is_empty());
            deltas.push(Delta::Call(CallDelta {
                index,
                id: text("id").map(str::to_owned),
                name: text("name").map(|name| self.names.own_name(name)),
                arguments: String::new(),
            }));
        }
        deltas.extend(shown(index, said));
        self.open.insert(index, block);
    }

    fn go_on(&mut self, index: Option<u32>, delta: &Value, deltas: &mut Vec<Delta>) {
        let Some(index) = self.place(index) else { return };
        if let Some(block) = self.open.get_mut(&index) {
            deltas.extend(shown(index, block.add(delta)));
        }
    }

    /// The input of a call that came with its beginning, or that is empty, is given out now.
    fn end_block(&mut self, index: Option<u32>, deltas: &mut Vec<Delta>) {
        let Some(index) = self.place(index) else { return };
        let Some(block) = self.open.remove(&index) else { return };
        if block.is_call() && block.input.is_empty() {
            deltas.extend(shown(index, Said::Input(block.whole_input())));
        }
        block.keep(&mut self.kept);
    }

    /// Which block is meant; without an index it is the last one.
    fn place(&self, index: Option<u32>) -> Option<u32> {
        index.or_else(|| self.open.last_key_value().map(|(last, _)| *last))
    }

    /// Counts are of the whole answer so far; what is not counted again stays.
    fn used(&mut self, usage: Option<&Value>, deltas: &mut Vec<Delta>) {
        let before = self.counts.usage();
        if let Some(usage) = usage {
            self.counts.add(usage);
        }
        let now = self.counts.usage();
        if now != before {
            deltas.push(Delta::Usage(now));
        }
    }

    fn stopped(&mut self, said: &Value) {
        let reason = said.get("stop_reason").and_then(Value::as_str);
        self.reason = reason.map(str::to_owned).or_else(|| self.reason.take());
    }

    /// The answer is complete: gives what is to go back with it, and the end mark.
    fn end(&mut self, deltas: &mut Vec<Delta>) -> Result<(), ProviderError> {
        while !self.open.is_empty() {
            self.end_block(None, deltas);
        }
        let stop = match self.reason.as_deref() {
            None => return Err(broken("the answer ended without a stop_reason")),
            Some("max_tokens") => Stop::Length,
            Some("refusal") => Stop::Filtered,
            Some("model_context_window_exceeded") => {
                let detail = "the window is full: model_context_window_exceeded";
                return Err(ProviderError::new(ProviderFault::ContextTooLong, detail));
            }
            Some(_) if self.calls_seen => Stop::ToolCalls,
            // also `pause_turn`: it pauses for tools of its own, for which it was not asked
            Some(_) => Stop::Done,
        };
        let kept = std::mem::take(&mut self.kept);
        deltas.extend(kept.data(&self.model).map(Delta::Data));
        deltas.push(Delta::End(stop));
        Ok(())
    }
}

impl ReadFramed for Reader {
    const END: &'static str = "message_stop";

    fn frame(&mut self) -> &mut Framed {
        &mut self.frame
    }

    /// Reads one event. What it is says the data; the event's own name counts where the data does not say.
    fn event(&mut self, event: &Event, deltas: &mut Vec<Delta>) -> Result<Progress, ProviderError> {
        if event.name == "error" {
            return Err(Evidence::from_body(&event.data).error());
        }
        if event.data.trim().is_empty() {
            return Ok(Progress::More);
        }
        let data = parsed(event.data.as_bytes())?;
        let field = |name: &str| data.get(name).unwrap_or(&Value::Null);
        let index = || field("index").as_u64().and_then(|index| u32::try_from(index).ok());
        match field("type").as_str().unwrap_or(&event.name) {
            "message_start" => self.used(field("message").get("usage"), deltas),
            "content_block_start" => self.begin(index(), field("content_block"), deltas),
            "content_block_delta" => self.go_on(index(), field("delta"), deltas),
            "content_block_stop" => self.end_block(index(), deltas),
            "message_delta" => {
                self.used(data.get("usage"), deltas);
                self.stopped(field("delta"));
            }
            "message_stop" => return self.end(deltas).map(|()| Progress::Done),
            "error" => return Err(Evidence::from_json(&data).error()),
            _ if !field("error").is_null() => return Err(Evidence::from_json(&data).error()),
            // a ping, or an event of a later day
            _ => {}
        }
        Ok(Progress::More)
    }
    /// Reads an answer that is one JSON object.
    fn whole_answer(&mut self, answer: &Value, deltas: &mut Vec<Delta>) -> Result<(), ProviderError> {
        if answer.get("error").is_some_and(|error| !error.is_null()) {
            return Err(Evidence::from_json(answer).error());
        }
        let Some(blocks) = answer.get("content").and_then(Value::as_array) else {
            return Err(broken("the answer has no content"));
        };
        for (index, block) in (0..).zip(blocks) {
            self.begin(Some(index), block, deltas);
            self.end_block(Some(index), deltas);
        }
        self.used(answer.get("usage"), deltas);
        self.stopped(answer);
        self.end(deltas)
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

/// What of it is to be seen; empty pieces say nothing.
fn shown(index: u32, said: Said) -> Option<Delta> {
    let delta = match said {
        Said::Text(text) if !text.is_empty() => Delta::Text(text),
        Said::Thinking(text) if !text.is_empty() => Delta::Thinking(text),
        Said::Input(arguments) if !arguments.is_empty() => Delta::Call(CallDelta {
            index,
            arguments,
            ..CallDelta::default()
        }),
        _ => return None,
    };
    Some(delta)
}

#[cfg(test)]
mod tests;
