//! Turns the pieces of one answer into deltas; knows when the answer is complete.

use serde_json::Value;
use tertulia_core::provider::{CallDelta, Delta, ProviderError, Stop, Usage};

use super::owned::{Owned, SignedText};
use crate::answer::{Progress, ReadAnswer, Shape, broken, parsed};
use crate::failure::Evidence;
use crate::names::Names;
use crate::sse::{Event, SseDecoder};

/// The reader of one answer: of events, or of one JSON value, which may be a list of pieces.
///
/// There is no mark of the end but the end itself: an answer is complete if a piece gave the reason why it ended.
#[derive(Debug)]
pub(crate) struct Reader {
    shape: Shape,
    decoder: SseDecoder,
    whole: Vec<u8>,
    model: String,
    names: Names,
    calls: u32,
    owned: Owned,
    end: Option<End>,
}

/// Why an answer ended.
#[derive(Debug)]
enum End {
    /// `finishReason`, and what was said about it.
    Reason(String, String),
    /// The question was not let through.
    Blocked,
}

impl Reader {
    /// A reader that gives calls back under the tools' own names.
    pub(crate) fn new(shape: Shape, model: String, names: Names) -> Self {
        Self {
            shape,
            decoder: SseDecoder::default(),
            whole: Vec::new(),
            model,
            names,
            calls: 0,
            owned: Owned::default(),
            end: None,
        }
    }

    fn events(&mut self, events: &[Event], deltas: &mut Vec<Delta>) -> Result<(), ProviderError> {
        let said = events.iter().map(|event| event.data.trim());
        said.filter(|data| !data.is_empty())
            .try_for_each(|data| self.json(data.as_bytes(), deltas))
    }

    fn json(&mut self, text: &[u8], deltas: &mut Vec<Delta>) -> Result<(), ProviderError> {
        match &parsed(text)? {
            Value::Array(pieces) => pieces.iter().try_for_each(|piece| self.piece(piece, deltas)),
            piece => self.piece(piece, deltas),
        }
    }

    fn piece(&mut self, piece: &Value, deltas: &mut Vec<Delta>) -> Result<(), ProviderError> {
        if !piece.is_object() {
            return Err(broken("a piece of the answer is no object"));
        }
        if piece.get("error").is_some_and(|error| !error.is_null()) {
            return Err(Evidence::from_json(piece).error());
        }
        let candidates = piece.get("candidates").and_then(Value::as_array);
        let first = |candidate: &&Value| candidate.get("index").and_then(Value::as_u64).unwrap_or(0) == 0;
        for candidate in candidates.into_iter().flatten().filter(first) {
            self.candidate(candidate, deltas);
        }
        let blocked = piece.pointer("/promptFeedback/blockReason").and_then(Value::as_str);
        if blocked.is_some_and(|reason| !reason.is_empty()) && self.end.is_none() {
            self.end = Some(End::Blocked);
        }
        deltas.extend(piece.get("usageMetadata").and_then(usage).map(Delta::Usage));
        Ok(())
    }

    fn candidate(&mut self, candidate: &Value, deltas: &mut Vec<Delta>) {
        let parts = candidate.pointer("/content/parts").and_then(Value::as_array);
        for part in parts.into_iter().flatten() {
            deltas.extend(self.part(part));
        }
        let text = |field: &str| candidate.get(field).and_then(Value::as_str).unwrap_or_default();
        if !text("finishReason").is_empty() {
            self.end = Some(End::Reason(
                text("finishReason").to_owned(),
                text("finishMessage").to_owned(),
            ));
        }
    }

    /// What is neither text nor a call is of no use here: code that ran there, calls of the service's own tools.
    fn part(&mut self, part: &Value) -> Option<Delta> {
        let signature = part.get("thoughtSignature").and_then(Value::as_str);
        if let Some(call) = part.get("functionCall").filter(|call| call.is_object()) {
            return Some(Delta::Call(self.call(call, signature)));
        }
        let text = part.get("text").and_then(Value::as_str)?;
        if part.get("thought") == Some(&Value::Bool(true)) {
            return (!text.is_empty()).then(|| Delta::Thinking(text.to_owned()));
        }
        let from = self.owned.length;
        self.owned.length += text.len();
        self.owned.texts.extend(signature.map(|signature| SignedText {
            from,
            to: self.owned.length,
            signature: signature.to_owned(),
        }));
        (!text.is_empty()).then(|| Delta::Text(text.to_owned()))
    }

    /// A call always comes whole.
    fn call(&mut self, call: &Value, signature: Option<&str>) -> CallDelta {
        let index = self.calls;
        self.calls = self.calls.saturating_add(1);
        if let (Some(signature), Ok(place)) = (signature, usize::try_from(index)) {
            self.owned.calls.insert(place, signature.to_owned());
        }
        let text = |field: &str| {
            let text = call.get(field).and_then(Value::as_str);
            text.filter(|text| !text.is_empty())
        };
        CallDelta {
            index,
            id: text("id").map(str::to_owned),
            name: text("name").map(|name| self.names.own_name(name)),
            arguments: match call.get("args") {
                None | Some(Value::Null) => "{}".to_owned(),
                Some(arguments) => arguments.to_string(),
            },
        }
    }

    /// The last deltas, if the answer is complete.
    fn end(&self) -> Result<Vec<Delta>, ProviderError> {
        let stop = match &self.end {
            None => return Err(broken("the answer ended without a finishReason")),
            Some(End::Blocked) => Stop::Filtered,
            Some(End::Reason(reason, message)) => stop(reason, self.calls > 0)
                .ok_or_else(|| broken(format!("the answer ended with {reason}: {message}").trim_end_matches(": ")))?,
        };
        let keeps = self.calls > 0 || !self.owned.texts.is_empty();
        let data = keeps.then(|| self.owned.pack(&self.model)).flatten();
        Ok(data.map(Delta::Data).into_iter().chain([Delta::End(stop)]).collect())
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
        self.events(&events, deltas)?;
        fed.map_err(|error| broken(error.to_string())).map(|()| Progress::More)
    }

    fn finish(&mut self, deltas: &mut Vec<Delta>) -> Result<(), ProviderError> {
        if self.shape == Shape::Whole {
            let whole = std::mem::take(&mut self.whole);
            self.json(&whole, deltas)?;
        } else {
            let mut events = Vec::new();
            let fed = self.decoder.finish(&mut events);
            self.events(&events, deltas)?;
            fed.map_err(|error| broken(error.to_string()))?;
        }
        deltas.extend(self.end()?);
        Ok(())
    }
}

/// Why it stopped; a reason that is not known is none for taking the answer for whole.
fn stop(reason: &str, called: bool) -> Option<Stop> {
    match reason {
        "STOP" if called => Some(Stop::ToolCalls),
        "STOP" => Some(Stop::Done),
        "MAX_TOKENS" => Some(Stop::Length),
        "SAFETY" | "RECITATION" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII" | "LANGUAGE" => Some(Stop::Filtered),
        image if image.starts_with("IMAGE_") => Some(Stop::Filtered),
        _ => None,
    }
}

/// The counts grow from piece to piece. On the wire, what was thought is not among the tokens written.
fn usage(counts: &Value) -> Option<Usage> {
    let count = |field: &str| counts.get(field).and_then(Value::as_u64);
    let written = [count("candidatesTokenCount"), count("thoughtsTokenCount")];
    let usage = Usage {
        tokens_in: count("promptTokenCount"),
        tokens_out: written.into_iter().flatten().reduce(u64::saturating_add),
        cache_read: count("cachedContentTokenCount"),
        ..Usage::default()
    };
    (usage != Usage::default()).then_some(usage)
}

#[cfg(test)]
mod tests;
