//! Turns the pieces of one continuation into deltas; knows when it is complete.

use serde_json::Value;
use tertulia_core::provider::{Delta, ProviderError, Stop, Usage};

use super::request::Body;
use super::stops::Stops;
use crate::answer::{Progress, ReadAnswer, Shape, broken, parsed};
use crate::failure::Evidence;
use crate::sse::{Event, SseDecoder};

/// The reader of one answer: of events, or of one JSON value.
#[derive(Debug)]
pub(crate) struct Reader {
    shape: Shape,
    decoder: SseDecoder,
    whole: Vec<u8>,
    prompt: String,
    stops: Stops,
    /// Any token came by itself.
    has_tokens: bool,
}

impl Reader {
    /// The reader of the answer to a question.
    pub(crate) fn new(shape: Shape, body: Body) -> Self {
        Self {
            shape,
            decoder: SseDecoder::default(),
            whole: Vec::new(),
            prompt: body.inputs,
            stops: Stops::new(body.stops),
            has_tokens: false,
        }
    }

    fn events(&mut self, events: &[Event], deltas: &mut Vec<Delta>) -> Result<Progress, ProviderError> {
        let said = events.iter().map(|event| event.data.trim());
        for data in said.filter(|data| !data.is_empty() && *data != "[DONE]") {
            if self.piece(&parsed(data.as_bytes())?, deltas)? == Progress::Done {
                return Ok(Progress::Done);
            }
        }
        Ok(Progress::More)
    }

    /// A token, and with the last one the whole text again, which is the mark of the end.
    fn piece(&mut self, piece: &Value, deltas: &mut Vec<Delta>) -> Result<Progress, ProviderError> {
        if !piece.is_object() {
            return Err(broken("a piece of the answer is no object"));
        }
        if piece.get("error").is_some_and(|error| !error.is_null()) {
            return Err(failed(piece));
        }
        if let Some(token) = piece.get("token").filter(|token| token.is_object()) {
            self.has_tokens = true;
            let is_special = token.get("special") == Some(&Value::Bool(true));
            let text = token.get("text").and_then(Value::as_str).filter(|_| !is_special);
            self.say(text.unwrap_or_default(), deltas);
        }
        let Some(text) = piece.get("generated_text").and_then(Value::as_str) else {
            return Ok(Progress::More);
        };
        if !self.has_tokens {
            // a server may give back what it was asked, whatever it was told
            let more = text.strip_prefix(&self.prompt).unwrap_or(text).to_owned();
            self.say(&more, deltas);
        }
        let rest = self.stops.finish();
        deltas.extend((!rest.is_empty()).then_some(Delta::Text(rest)));
        let details = piece.get("details").unwrap_or(&Value::Null);
        deltas.extend(usage(details).map(Delta::Usage));
        let is_full = details.get("finish_reason").is_some_and(|reason| reason == "length");
        deltas.push(Delta::End(if is_full { Stop::Length } else { Stop::Done }));
        Ok(Progress::Done)
    }

    fn say(&mut self, text: &str, deltas: &mut Vec<Delta>) {
        let sure = self.stops.take(text);
        deltas.extend((!sure.is_empty()).then_some(Delta::Text(sure)));
    }
}

impl ReadAnswer for Reader {
    fn take(&mut self, bytes: &[u8], deltas: &mut Vec<Delta>) -> Result<Progress, ProviderError> {
        if self.shape == Shape::Whole {
            self.whole.extend_from_slice(bytes);
            return Ok(Progress::More);
        }
        let mut events = Vec::new();
        let fed = self.decoder.feed(bytes, &mut events);
        if self.events(&events, deltas)? == Progress::Done {
            return Ok(Progress::Done);
        }
        fed.map_err(|error| broken(error.to_string())).map(|()| Progress::More)
    }

    fn finish(&mut self, deltas: &mut Vec<Delta>) -> Result<(), ProviderError> {
        let done = if self.shape == Shape::Whole {
            let whole = parsed(&std::mem::take(&mut self.whole))?;
            let first = whole.as_array().and_then(|list| list.first()).unwrap_or(&whole);
            self.piece(first, deltas)?
        } else {
            let mut events = Vec::new();
            let fed = self.decoder.finish(&mut events);
            let progress = self.events(&events, deltas)?;
            fed.map_err(|error| broken(error.to_string()))?;
            progress
        };
        if done == Progress::Done {
            return Ok(());
        }
        // what was kept back belongs to the answer, now that no stop comes
        let rest = self.stops.finish();
        deltas.extend((!rest.is_empty()).then_some(Delta::Text(rest)));
        Err(broken("the answer ended without its generated_text"))
    }
}

fn usage(details: &Value) -> Option<Usage> {
    let count = |field: &str| details.get(field).and_then(Value::as_u64);
    let prefill = details
        .get("prefill")
        .and_then(Value::as_array)
        .map(|tokens| tokens.len() as u64);
    let usage = Usage {
        tokens_in: count("input_length").or(prefill.filter(|count| *count > 0)),
        tokens_out: count("generated_tokens"),
        ..Usage::default()
    };
    (usage != Usage::default()).then_some(usage)
}

/// An error inside an answer has no status, but a type.
fn failed(piece: &Value) -> ProviderError {
    let mut evidence = Evidence::from_json(piece);
    if evidence.status.is_none() && piece.get("error_type").is_some_and(|kind| kind == "validation") {
        evidence.status = Some(422);
    }
    evidence.error()
}

#[cfg(test)]
mod tests;
