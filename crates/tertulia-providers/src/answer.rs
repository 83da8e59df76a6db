//! Reads the body of an answer as it comes, within bounds, and streams its deltas.

use std::collections::VecDeque;

use futures_util::stream;
use reqwest::Response;
use reqwest::header::CONTENT_TYPE;
use secrecy::SecretString;
use serde_json::Value;
use tertulia_core::provider::{Delta, ProviderError, ProviderFault};
use tertulia_ports::DeltaStream;

use crate::connection::chain;
use crate::scrub::scrub;

/// The most that is read of one answer, in bytes.
const LONGEST: usize = 32 << 20;

/// What makes deltas of the bytes of one answer. Deltas are appended also when an error follows them.
pub(crate) trait ReadAnswer: Send + 'static {
    /// Takes the next bytes, which are cut anywhere.
    fn take(&mut self, bytes: &[u8], deltas: &mut Vec<Delta>) -> Result<Progress, ProviderError>;

    /// The body has come to a clean end: gives the rest with the end mark, or says what is missing.
    fn finish(&mut self, deltas: &mut Vec<Delta>) -> Result<(), ProviderError>;
}

/// Whether more is to come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Progress {
    More,
    /// The end mark was read; nothing after it counts.
    Done,
}

/// How the body of an answer is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Piece by piece.
    Stream,
    /// As one JSON value, as some servers answer whatever was asked.
    Whole,
}

/// The state of a stream; dropping it drops the response, and that closes the connection.
struct Answer<R> {
    response: Response,
    reader: R,
    read: usize,
    queue: VecDeque<Result<Delta, ProviderError>>,
    over: bool,
    key: Option<SecretString>,
}

/// How a successful response is written, by its content type.
pub(crate) fn shape(response: &Response) -> Result<Shape, ProviderError> {
    let kind = response
        .headers()
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim().to_lowercase();
    match kind.as_str() {
        "application/json" => Ok(Shape::Whole),
        "text/html" => Err(broken("a page of HTML came instead of an answer; check base_url")),
        _ => Ok(Shape::Stream),
    }
}

/// Streams the deltas of a successful response.
pub(crate) fn stream(response: Response, reader: impl ReadAnswer, key: Option<SecretString>) -> DeltaStream {
    let answer = Answer {
        response,
        reader,
        read: 0,
        queue: VecDeque::new(),
        over: false,
        key,
    };
    Box::pin(stream::unfold(answer, |mut answer| async move {
        loop {
            if let Some(item) = answer.queue.pop_front() {
                return Some((item, answer));
            }
            if answer.over {
                return None;
            }
            answer.advance().await;
        }
    }))
}

impl<R: ReadAnswer> Answer<R> {
    /// Waits for the next bytes and queues what they say.
    async fn advance(&mut self) {
        let mut deltas = Vec::new();
        let outcome = match self.response.chunk().await {
            Ok(Some(bytes)) => self.take(&bytes, &mut deltas),
            Ok(None) => self.reader.finish(&mut deltas).map(|()| Progress::Done),
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
        self.reader.take(bytes, deltas)
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

/// A JSON value of an answer.
pub(crate) fn parsed(bytes: &[u8]) -> Result<Value, ProviderError> {
    serde_json::from_slice(bytes).map_err(|error| broken(format!("a piece of the answer is not understood: {error}")))
}

/// The error of an answer that is not understood.
pub(crate) fn broken(detail: impl AsRef<str>) -> ProviderError {
    ProviderError::new(ProviderFault::Broken, detail)
}
