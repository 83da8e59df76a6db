//! An answer that is written as events or as one JSON value: the frame around whatever reads those.

use serde_json::Value;
use tertulia_core::provider::{Delta, ProviderError};

use crate::answer::{Progress, Shape, broken, parsed};
use crate::sse::{Event, SseDecoder};

/// What has come of an answer and is not read yet.
#[derive(Debug)]
pub(crate) enum Framed {
    Events(SseDecoder),
    Whole(Vec<u8>),
}

/// Reads what is in the frame. Deltas are appended also when an error follows them.
pub(crate) trait ReadFramed {
    /// What a stream lacks that ends too early.
    const END: &'static str;

    fn frame(&mut self) -> &mut Framed;

    /// Reads one event.
    fn event(&mut self, event: &Event, deltas: &mut Vec<Delta>) -> Result<Progress, ProviderError>;

    /// Reads an answer that is one JSON value, to its end.
    fn whole_answer(&mut self, answer: &Value, deltas: &mut Vec<Delta>) -> Result<(), ProviderError>;
}

impl Framed {
    /// A frame in which nothing has come.
    pub(crate) fn new(shape: Shape) -> Self {
        match shape {
            Shape::Stream => Self::Events(SseDecoder::default()),
            Shape::Whole => Self::Whole(Vec::new()),
        }
    }
}

/// Takes the next bytes: what is complete before something that is not understood still counts.
pub(crate) fn take<R: ReadFramed>(
    reader: &mut R,
    bytes: &[u8],
    deltas: &mut Vec<Delta>,
) -> Result<Progress, ProviderError> {
    let mut events = Vec::new();
    let fed = match reader.frame() {
        Framed::Whole(body) => {
            body.extend_from_slice(bytes);
            Ok(())
        }
        Framed::Events(decoder) => decoder.feed(bytes, &mut events),
    };
    if read(reader, &events, deltas)? == Progress::Done {
        return Ok(Progress::Done);
    }
    fed.map_err(|error| broken(error.to_string())).map(|()| Progress::More)
}

/// The body has come to a clean end.
pub(crate) fn finish<R: ReadFramed>(reader: &mut R, deltas: &mut Vec<Delta>) -> Result<(), ProviderError> {
    let mut events = Vec::new();
    match reader.frame() {
        Framed::Whole(body) => {
            let answer = parsed(&std::mem::take(body))?;
            return reader.whole_answer(&answer, deltas);
        }
        Framed::Events(decoder) => decoder.finish(&mut events).map_err(|error| broken(error.to_string()))?,
    }
    if read(reader, &events, deltas)? == Progress::Done {
        return Ok(());
    }
    Err(broken(format!("the answer ended without {}", R::END)))
}

fn read<R: ReadFramed>(reader: &mut R, events: &[Event], deltas: &mut Vec<Delta>) -> Result<Progress, ProviderError> {
    for event in events {
        if reader.event(event, deltas)? == Progress::Done {
            return Ok(Progress::Done);
        }
    }
    Ok(Progress::More)
}
