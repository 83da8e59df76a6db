//! The body of an answer of OpenAI's shape: events, or one JSON object.

use tertulia_core::provider::{Delta, ProviderError};

use super::reader::{Asked, Extent, Reader};
use crate::answer::{Progress, ReadAnswer, Shape, broken};
use crate::sse::SseDecoder;

/// The reader of one body.
pub(crate) struct AnswerBody {
    written: Written,
    reader: Reader,
}

enum Written {
    Events(SseDecoder),
    Whole(Vec<u8>),
}

impl AnswerBody {
    /// A reader that has read nothing.
    pub(crate) fn new(shape: Shape, asked: Asked) -> Self {
        let written = match shape {
            Shape::Stream => Written::Events(SseDecoder::default()),
            Shape::Whole => Written::Whole(Vec::new()),
        };
        Self {
            written,
            reader: Reader::new(asked),
        }
    }
}

impl ReadAnswer for AnswerBody {
    fn take(&mut self, bytes: &[u8], deltas: &mut Vec<Delta>) -> Result<Progress, ProviderError> {
        match &mut self.written {
            Written::Whole(body) => {
                body.extend_from_slice(bytes);
                Ok(Progress::More)
            }
            Written::Events(decoder) => {
                let mut events = Vec::new();
                let fed = decoder.feed(bytes, &mut events);
                for event in &events {
                    if self.reader.event(event, deltas)? == Progress::Done {
                        return Ok(Progress::Done);
                    }
                }
                fed.map_err(|error| broken(error.to_string())).map(|()| Progress::More)
            }
        }
    }

    fn finish(&mut self, deltas: &mut Vec<Delta>) -> Result<(), ProviderError> {
        match &mut self.written {
            Written::Whole(body) => {
                let body = std::mem::take(body);
                let text = std::str::from_utf8(&body).map_err(|_| broken("bytes that are not UTF-8"))?;
                self.reader.json(text.trim(), Extent::Whole, deltas)?;
            }
            Written::Events(decoder) => {
                let mut events = Vec::new();
                decoder.finish(&mut events).map_err(|error| broken(error.to_string()))?;
                for event in &events {
                    if self.reader.event(event, deltas)? == Progress::Done {
                        return Ok(());
                    }
                }
            }
        }
        self.reader.end(deltas)
    }
}
