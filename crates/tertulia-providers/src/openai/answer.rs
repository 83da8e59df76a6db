//! Reads the body of an answer as it comes, within bounds, and streams its deltas.

use std::collections::VecDeque;

use futures_util::stream;
use reqwest::Response;
use reqwest::header::CONTENT_TYPE;
use secrecy::SecretString;
use tertulia_core::provider::{Delta, ProviderError, ProviderFault};
use tertulia_ports::DeltaStream;

use super::names::Names;
use super::reader::{Progress, Reader};
use crate::scrub::scrub;
use crate::sse::SseDecoder;

/// The most that is read of one answer, in bytes.
const LONGEST: usize = 32 << 20;

/// How the body is written.
enum Shape {
    /// Server-sent events.
    Events(SseDecoder),
    /// One JSON object, as some servers answer whatever was asked.
    Whole(Vec<u8>),
}

/// The state of a stream; dropping it drops the response, and that closes the connection.
struct Answer {
    response: Response,
    shape: Shape,
    reader: Reader,
    read: usize,
    queue: VecDeque<Result<Delta, ProviderError>>,
    over: bool,
    key: Option<SecretString>,
}

/// Streams the deltas of a successful response.
pub(crate) fn stream(
    response: Response,
    names: Names,
    key: Option<SecretString>,
) -> Result<DeltaStream, ProviderError> {
    let kind = response
        .headers()
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim().to_lowercase();
    let shape = match kind.as_str() {
        "application/json" => Shape::Whole(Vec::new()),
        "text/html" => return Err(broken("a page of HTML came instead of an answer; check base_url")),
        _ => Shape::Events(SseDecoder::default()),
    };
    let reader = Reader::new(names);
    let answer = Answer {
        response,
        shape,
        reader,
        read: 0,
        queue: VecDeque::new(),
        over: false,
        key,
    };
    Ok(Box::pin(stream::unfold(answer, |mut answer| async move {
        loop {
            if let Some(item) = answer.queue.pop_front() {
                return Some((item, answer));
            }
            if answer.over {
                return None;
            }
            answer.advance().await;
        }
    })))
}

impl Answer {
    /// Waits for the next bytes and queues what they say.
    async fn advance(&mut self) {
        let mut deltas = Vec::new();
        let outcome = match self.response.chunk().await {
            Ok(Some(bytes)) => self.take(&bytes, &mut deltas),
            Ok(None) => self.finish(&mut deltas).map(|()| Progress::Done),
            Err(error) => Err(self.cut(error)),
        };
        self.queue.extend(deltas.into_iter().map(Ok));
        match outcome {
            Ok(Progress::More) if self.queue.is_empty() => self.queue.push_back(Ok(Delta::Alive)),
            Ok(Progress::More) => {}
            Ok(Progress::Done) => self.over = true,
            Err(error) => {
                self.over = true;
                let detail = scrub(&error.detail, self.key.as_ref());
                self.queue.push_back(Err(ProviderError::new(error.kind, detail)));
            }
        }
    }

    fn take(&mut self, bytes: &[u8], deltas: &mut Vec<Delta>) -> Result<Progress, ProviderError> {
        self.read = self.read.saturating_add(bytes.len());
        if self.read > LONGEST {
            return Err(broken("an answer of more than 32 MiB"));
        }
        match &mut self.shape {
            Shape::Whole(body) => {
                body.extend_from_slice(bytes);
                Ok(Progress::More)
            }
            Shape::Events(decoder) => {
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

    /// The body has come to a clean end.
    fn finish(&mut self, deltas: &mut Vec<Delta>) -> Result<(), ProviderError> {
        match &mut self.shape {
            Shape::Whole(body) => {
                let body = std::mem::take(body);
                let text = std::str::from_utf8(&body).map_err(|_| broken("bytes that are not UTF-8"))?;
                self.reader.json(text.trim(), deltas)?;
            }
            Shape::Events(decoder) => {
                let mut events = Vec::new();
                decoder.finish(&mut events).map_err(|error| broken(error.to_string()))?;
                for event in &events {
                    if self.reader.event(event, deltas)? == Progress::Done {
                        return Ok(());
                    }
                }
            }
        }
        deltas.push(self.reader.end()?);
        Ok(())
    }

    fn cut(&self, error: reqwest::Error) -> ProviderError {
        let kind = if self.read == 0 {
            ProviderFault::Unreachable
        } else {
            ProviderFault::Broken
        };
        ProviderError::new(kind, chain(&error.without_url()))
    }
}

/// An error with all its causes, in one line.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

fn broken(detail: impl AsRef<str>) -> ProviderError {
    ProviderError::new(ProviderFault::Broken, detail)
}
