//! The steps of one answer, from what the turn sends to what the client reads.

use std::collections::VecDeque;
use std::sync::Arc;

use axum::http::StatusCode;
use tertulia_message::{Ending, Finish, Message};
use tertulia_output::ollama::{self, Chunk, Done, Line, Route, Writer};

use crate::ollama::{OllamaConfig, form};
use crate::open::{Arrival, Reader};
use crate::refusal::Refusal;

/// What the client reads next.
pub(super) enum Step {
    /// A piece of the answer.
    Chunk(Chunk),
    /// The end.
    Done(Done),
    /// The answer failed; this is its end.
    Failed(Refusal),
}

/// An answer that is being made.
pub(super) struct Answer {
    reader: Reader,
    config: Arc<OllamaConfig>,
    route: Route,
    model: String,
    writer: Writer,
    ready: VecDeque<Step>,
    calls: usize,
    error: Option<String>,
    is_over: bool,
}

impl Answer {
    pub(super) fn new(reader: Reader, config: &Arc<OllamaConfig>, route: Route, model: String) -> Self {
        Self {
            reader,
            config: Arc::clone(config),
            route,
            model,
            writer: Writer::new(config.links.clone()),
            ready: VecDeque::new(),
            calls: 0,
            error: None,
            is_over: false,
        }
    }

    /// The next step; none after the end.
    pub(super) async fn step(&mut self) -> Option<Step> {
        loop {
            if let Some(step) = self.ready.pop_front() {
                return Some(step);
            }
            if self.is_over {
                return None;
            }
            match self.reader.next().await {
                Arrival::Message(message) => self.take(&message),
                Arrival::Close(ending) => self.close(&ending),
                Arrival::TooSlow => {
                    self.is_over = true;
                    let text = "the answer was not read fast enough";
                    self.ready.push_back(Step::Failed(failure(text.to_owned())));
                }
            }
        }
    }

    /// A step as a line of the stream.
    pub(super) fn line(&mut self, step: &Step) -> String {
        let index = self.calls;
        let object = self.frame(|line| match step {
            Step::Chunk(chunk) => line.chunk(chunk, index),
            Step::Done(done) => line.done(done),
            Step::Failed(refusal) => ollama::error(&refusal.text),
        });
        self.calls += usize::from(matches!(step, Step::Chunk(Chunk::Call(_))));
        form::line(&object)
    }

    /// Makes an object of this answer.
    pub(super) fn frame<T>(&self, make: impl FnOnce(&Line<'_>) -> T) -> T {
        make(&Line {
            route: self.route,
            model: &self.model,
            at: (self.config.clock)(),
        })
    }

    fn take(&mut self, message: &Message) {
        if self.error.is_some() {
            return;
        }
        match self.writer.write(message) {
            // nothing may follow an error, and an end may not come before the turn is settled
            Ok(Some(Chunk::Error(text))) => self.error = Some(text),
            Ok(Some(chunk)) => self.ready.push_back(Step::Chunk(chunk)),
            Ok(None) => {}
            Err(error) => tracing::warn!(path = %self.reader.path(), %error, "a message could not be shown"),
        }
    }

    fn close(&mut self, ending: &Ending) {
        self.is_over = true;
        match (&ending.finish, self.error.take()) {
            (Finish::Failed { code, text }, _) => {
                tracing::info!(path = %self.reader.path(), code, "an answer failed");
                self.ready
                    .push_back(Step::Failed(Refusal::new(status(code), text.clone())));
            }
            (_, Some(text)) => self.ready.push_back(Step::Failed(failure(text))),
            (finish, None) => {
                let done = Done::of(finish, ending.spent);
                self.ready.extend(self.writer.close().into_iter().map(Step::Chunk));
                self.ready.push_back(Step::Done(done));
            }
        }
    }
}

/// A failure on our side.
pub(super) fn failure(text: String) -> Refusal {
    Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, text)
}

/// What the request itself is to blame for is no failure of the server.
fn status(code: &str) -> StatusCode {
    match code {
        "provider_no_such_model" => StatusCode::NOT_FOUND,
        "provider_rejected" | "context_too_long" => StatusCode::BAD_REQUEST,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    }
}
