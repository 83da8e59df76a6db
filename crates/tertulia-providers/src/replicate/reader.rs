//! Turns the events of one stream into deltas; knows when the prediction has ended.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;
use tertulia_core::provider::{Delta, ProviderError, Stop};

use super::prediction::{ended, failed};
use crate::answer::{Progress, ReadAnswer, broken};
use crate::sse::{Event, SseDecoder};

/// The reader of one stream.
#[derive(Debug)]
pub(crate) struct Reader {
    decoder: SseDecoder,
    /// Set as soon as the stream says that the prediction runs no longer.
    over: Arc<AtomicBool>,
}

impl Reader {
    pub(crate) fn new(over: Arc<AtomicBool>) -> Self {
        Self {
            decoder: SseDecoder::default(),
            over,
        }
    }

    fn events(&mut self, events: Vec<Event>, deltas: &mut Vec<Delta>) -> Result<Progress, ProviderError> {
        for event in events {
            match event.name.as_str() {
                "output" if !event.data.is_empty() => deltas.push(Delta::Text(event.data)),
                "error" => {
                    self.over.store(true, Ordering::Relaxed);
                    return Err(failed(&Value::String(event.data)));
                }
                "done" => {
                    self.over.store(true, Ordering::Relaxed);
                    deltas.push(done(&event.data)?);
                    return Ok(Progress::Done);
                }
                // what the model's program prints, and what may be invented yet
                _ => {}
            }
        }
        Ok(Progress::More)
    }
}

impl ReadAnswer for Reader {
    fn take(&mut self, bytes: &[u8], deltas: &mut Vec<Delta>) -> Result<Progress, ProviderError> {
        let mut events = Vec::new();
        let fed = self.decoder.feed(bytes, &mut events);
        if self.events(events, deltas)? == Progress::Done {
            return Ok(Progress::Done);
        }
        fed.map_err(|error| broken(error.to_string())).map(|()| Progress::More)
    }

    fn finish(&mut self, deltas: &mut Vec<Delta>) -> Result<(), ProviderError> {
        let mut events = Vec::new();
        let fed = self.decoder.finish(&mut events);
        if self.events(events, deltas)? == Progress::Done {
            return Ok(());
        }
        fed.map_err(|error| broken(error.to_string()))?;
        Err(broken("the stream ended before the prediction was done"))
    }
}

/// Without a reason, the prediction has succeeded.
fn done(data: &str) -> Result<Delta, ProviderError> {
    let said: Value = match data.trim() {
        "" => Value::Null,
        data => serde_json::from_str(data).map_err(|error| broken(format!("the end is not understood: {error}")))?,
    };
    match said.get("reason").and_then(Value::as_str).unwrap_or_default() {
        "" => Ok(Delta::End(Stop::Done)),
        "error" => Err(failed(&Value::Null)),
        reason => Err(ended(reason)),
    }
}

#[cfg(test)]
mod tests;
