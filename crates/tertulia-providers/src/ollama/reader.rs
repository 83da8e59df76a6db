//! Turns the lines of one answer into deltas; knows when the answer is complete.

use serde_json::Value;
use tertulia_core::chat::ProviderData;
use tertulia_core::provider::{CallDelta, Delta, ProviderError, ProviderFault, Stop, Usage};

use super::KIND;
use super::lines::Lines;
use super::room::{Room, Seen};
use crate::answer::{Progress, ReadAnswer, Shape, broken};
use crate::failure::Evidence;
use crate::names::Names;

/// The reader of one answer, of a chat or of a prompt.
#[derive(Debug)]
pub(crate) struct Reader {
    shape: Shape,
    lines: Lines,
    whole: Vec<u8>,
    model: String,
    names: Names,
    room: Room,
    thinking: String,
    calls: u32,
}

impl Reader {
    /// A reader that gives calls back under the tools' own names.
    pub(crate) fn new(shape: Shape, model: String, names: Names, room: Room) -> Self {
        Self {
            shape,
            lines: Lines::default(),
            whole: Vec::new(),
            model,
            names,
            room,
            thinking: String::new(),
            calls: 0,
        }
    }

    fn lines(&mut self, lines: &[String], deltas: &mut Vec<Delta>) -> Result<Progress, ProviderError> {
        for line in lines {
            if self.line(&parsed(line)?, deltas)? == Progress::Done {
                return Ok(Progress::Done);
            }
        }
        Ok(Progress::More)
    }

    fn line(&mut self, line: &Value, deltas: &mut Vec<Delta>) -> Result<Progress, ProviderError> {
        if !line.is_object() {
            return Err(broken("a line of the answer is no object"));
        }
        if let Some(error) = line.get("error").filter(|error| !error.is_null()) {
            return Err(failed(line, error));
        }
        let message = line.get("message").unwrap_or(line);
        let said = |field: &str| {
            message
                .get(field)
                .and_then(Value::as_str)
                .filter(|text| !text.is_empty())
        };
        if let Some(thinking) = said("thinking") {
            self.thinking.push_str(thinking);
            deltas.push(Delta::Thinking(thinking.to_owned()));
        }
        let text = said("content").or_else(|| said("response"));
        deltas.extend(text.map(|text| Delta::Text(text.to_owned())));
        let calls = message.get("tool_calls").and_then(Value::as_array);
        deltas.extend(calls.into_iter().flatten().map(|call| Delta::Call(self.call(call))));
        if line.get("done") == Some(&Value::Bool(true)) {
            self.done(line, deltas)?;
            return Ok(Progress::Done);
        }
        Ok(Progress::More)
    }

    /// A call always comes whole. Its own index is not used: it may be missing, or the same in every line.
    fn call(&mut self, call: &Value) -> CallDelta {
        let index = self.calls;
        self.calls = self.calls.saturating_add(1);
        let function = call.get("function").unwrap_or(call);
        let text = |value: Option<&Value>| {
            let text = value.and_then(Value::as_str).filter(|text| !text.is_empty());
            text.map(str::to_owned)
        };
        CallDelta {
            index,
            id: text(call.get("id")),
            name: text(function.get("name")).map(|name| self.names.own_name(&name)),
            arguments: match function.get("arguments") {
                None | Some(Value::Null) => "{}".to_owned(),
                Some(Value::String(text)) => text.clone(),
                Some(arguments) => arguments.to_string(),
            },
        }
    }

    fn done(&mut self, line: &Value, deltas: &mut Vec<Delta>) -> Result<(), ProviderError> {
        let count = |field: &str| line.get(field).and_then(Value::as_u64);
        let usage = Usage {
            tokens_in: count("prompt_eval_count"),
            tokens_out: count("eval_count"),
            ..Usage::default()
        };
        if usage != Usage::default() {
            deltas.push(Delta::Usage(usage));
        }
        let seen = self.room.judge(usage.tokens_in, usage.tokens_out);
        if seen == Seen::Cut {
            let window = self.room.window;
            return Err(ProviderError::new(
                ProviderFault::ContextTooLong,
                format!(
                    "the server has cut the question to its window of {window} tokens (num_ctx) and answered the rest"
                ),
            ));
        }
        // the model wants to see its thinking again while it works with its tools
        if self.calls > 0 && !self.thinking.is_empty() {
            deltas.push(Delta::Data(ProviderData {
                kind: KIND.to_owned(),
                model: self.model.clone(),
                bytes: std::mem::take(&mut self.thinking).into_bytes(),
            }));
        }
        let reason = line.get("done_reason").and_then(Value::as_str);
        deltas.push(Delta::End(self.stop(reason, seen)));
        Ok(())
    }

    /// `load` and `unload`, which come without text, are an end as any: whoever asked for text sees that there is none.
    fn stop(&self, reason: Option<&str>, seen: Seen) -> Stop {
        if reason == Some("length") || seen == Seen::Full {
            Stop::Length
        } else if self.calls > 0 {
            Stop::ToolCalls
        } else {
            Stop::Done
        }
    }
}

impl ReadAnswer for Reader {
    fn take(&mut self, bytes: &[u8], deltas: &mut Vec<Delta>) -> Result<Progress, ProviderError> {
        if self.shape == Shape::Whole {
            self.whole.extend_from_slice(bytes);
            return Ok(Progress::More);
        }
        let mut lines = Vec::new();
        let fed = self.lines.feed(bytes, &mut lines);
        if self.lines(&lines, deltas)? == Progress::Done {
            return Ok(Progress::Done);
        }
        fed.map_err(|error| broken(error.to_string())).map(|()| Progress::More)
    }

    fn finish(&mut self, deltas: &mut Vec<Delta>) -> Result<(), ProviderError> {
        let mut lines = Vec::new();
        let fed = self.lines.finish(&mut lines);
        if self.lines(&lines, deltas)? == Progress::Done {
            return Ok(());
        }
        fed.map_err(|error| broken(error.to_string()))?;
        let whole = std::mem::take(&mut self.whole);
        for value in serde_json::Deserializer::from_slice(&whole).into_iter() {
            if self.line(&value.map_err(not_understood)?, deltas)? == Progress::Done {
                return Ok(());
            }
        }
        Err(broken("the stream ended before it was done"))
    }
}

fn parsed(line: &str) -> Result<Value, ProviderError> {
    serde_json::from_str(line).map_err(not_understood)
}

#[expect(clippy::needless_pass_by_value, reason = "the argument of map_err")]
fn not_understood(error: serde_json::Error) -> ProviderError {
    broken(format!("a piece of the answer is not understood: {error}"))
}

fn failed(line: &Value, error: &Value) -> ProviderError {
    let evidence = Evidence::from_json(line);
    let detail = if evidence.message.is_empty() {
        error.to_string()
    } else {
        evidence.message.clone()
    };
    ProviderError::new(evidence.fault(), detail)
}

#[cfg(test)]
mod tests;
