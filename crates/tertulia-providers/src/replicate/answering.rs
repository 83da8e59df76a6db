//! One answer: streamed, or looked at again and again while it grows.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::{StreamExt, stream};
use reqwest::Response;
use tertulia_core::provider::{Delta, ProviderError, Stop, Usage};
use tertulia_ports::DeltaStream;
use tokio::time::timeout;

use super::api::Running;
use super::looks::{self, Looks};
use super::prediction::{Prediction, State};
use super::reader::Reader;
use crate::answer::{self, broken};

/// So many times the first wait may a stream be silent, or take to open, until it is looked whether the prediction still
/// lives: a model that sleeps takes minutes to wake up.
const SILENCE: u32 = 20;
/// How long the counts of a finished answer are waited for.
const COUNTS: Duration = Duration::from_secs(3);
/// The longest output, in bytes.
const LONGEST: usize = 8 << 20;

/// How answers are judged and counted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Terms {
    /// The wait before the first look, and after each that found more.
    pub(crate) poll: Duration,
    /// How many tokens may be written.
    pub(crate) limit: Option<u64>,
    /// What a second costs, in billionths of a dollar.
    pub(crate) second: Option<u64>,
}

/// The state of one answer; dropping it cancels a prediction that has not ended.
struct Answering {
    running: Running,
    source: Source,
    terms: Terms,
    /// What was given out.
    shown: String,
    queue: VecDeque<Result<Delta, ProviderError>>,
    over: bool,
}

type Opening = Pin<Box<dyn Future<Output = Result<Response, ProviderError>> + Send>>;

enum Source {
    /// The stream is not there yet.
    Opening(Opening),
    /// With the sign that the prediction has ended.
    Events(DeltaStream, Arc<AtomicBool>),
    Looks(Looks),
}

/// The deltas of a prediction that was just made.
pub(crate) fn answer(running: Running, first: &Prediction, terms: Terms, streamed: bool) -> DeltaStream {
    let source = match running.places.stream.clone().filter(|_| streamed) {
        Some(place) => {
            let api = Arc::clone(&running.api);
            Source::Opening(Box::pin(async move { api.open(&place).await }))
        }
        None => Source::Looks(Looks::every(terms.poll)),
    };
    let mut answering = Answering {
        running,
        source,
        terms,
        shown: String::new(),
        queue: VecDeque::new(),
        over: false,
    };
    answering.see_first(first);
    Box::pin(stream::unfold(answering, |mut answering| async move {
        loop {
            if let Some(item) = answering.queue.pop_front() {
                return Some((item, answering));
            }
            if answering.over {
                return None;
            }
            answering.advance().await;
        }
    }))
}

impl Answering {
    /// A prediction can be done when it is made; what there is of one that is streamed comes by the stream.
    fn see_first(&mut self, first: &Prediction) {
        if first.state != State::Going || matches!(self.source, Source::Looks(_)) {
            self.see(first);
        } else {
            self.queue.push_back(Ok(Delta::Alive));
        }
    }

    async fn advance(&mut self) {
        let silence = self.terms.poll * SILENCE;
        match &mut self.source {
            Source::Opening(opening) => match timeout(silence, opening).await {
                Ok(opened) => self.opened(opened),
                Err(_) => self.look_for_life().await,
            },
            Source::Events(events, over) => {
                let over = Arc::clone(over);
                match timeout(silence, events.next()).await {
                    Ok(item) => {
                        if over.load(Ordering::Relaxed) {
                            self.running.settled();
                        }
                        self.event(item).await;
                    }
                    Err(_) => self.look_for_life().await,
                }
            }
            Source::Looks(looks) => {
                let looked = looks.next(&self.running).await;
                self.looked(looked);
            }
        }
    }

    /// Where the stream cannot be had, the prediction runs all the same.
    fn opened(&mut self, opened: Result<Response, ProviderError>) {
        self.source = match opened {
            Ok(response) => {
                let over = Arc::new(AtomicBool::new(false));
                let reader = Reader::new(Arc::clone(&over));
                let key = self.running.api.key().cloned();
                Source::Events(answer::stream(response, reader, key), over)
            }
            Err(_) => Source::Looks(Looks::every(self.terms.poll)),
        };
    }

    async fn event(&mut self, item: Option<Result<Delta, ProviderError>>) {
        match item {
            Some(Ok(Delta::End(stop))) => {
                let place = &self.running.places.get;
                let counted = timeout(COUNTS, self.running.api.look(place)).await;
                let usage = counted
                    .ok()
                    .and_then(Result::ok)
                    .and_then(|seen| seen.usage(self.terms.second));
                self.end(usage, stop);
            }
            Some(Ok(Delta::Text(text))) => self.show(text),
            Some(Ok(delta)) => self.queue.push_back(Ok(delta)),
            Some(Err(error)) => self.fail(error),
            None => self.fail(broken("the stream ended before the prediction was done")),
        }
    }

    /// A stream that is silent: whether anything is to come is known to the prediction.
    async fn look_for_life(&mut self) {
        match looks::look(&self.running).await {
            Ok(seen) if seen.state == State::Going => self.queue.push_back(Ok(Delta::Alive)),
            Ok(seen) => self.see(&seen),
            // no sign of life; who waits for one decides
            Err(_) => {}
        }
    }

    fn looked(&mut self, looked: Result<Prediction, ProviderError>) {
        let before = self.shown.len();
        match looked {
            Ok(seen) => self.see(&seen),
            Err(error) => self.fail(error),
        }
        if let Source::Looks(looks) = &mut self.source
            && self.shown.len() > before
        {
            looks.soon();
        }
    }

    /// Gives out what is new in a prediction, and its end.
    fn see(&mut self, seen: &Prediction) {
        self.queue.push_back(Ok(Delta::Alive));
        if let Err(error) = self.grow(seen) {
            return self.fail(error);
        }
        match &seen.state {
            State::Going => {}
            State::Succeeded => self.end(seen.usage(self.terms.second), Stop::Done),
            State::Failed(error) => {
                self.running.settled();
                let error = self.running.api.scrubbed(error);
                self.fail(error);
            }
        }
    }

    fn grow(&mut self, seen: &Prediction) -> Result<(), ProviderError> {
        let text = seen.text()?;
        if text.len() > LONGEST {
            return Err(broken("an output of more than 8 MiB"));
        }
        match text.strip_prefix(&self.shown) {
            Some(more) => self.show(more.to_owned()),
            // an older state than the one before
            None if self.shown.starts_with(&text) => {}
            None => return Err(broken("the output of the prediction was changed")),
        }
        Ok(())
    }

    fn show(&mut self, text: String) {
        if !text.is_empty() {
            self.shown.push_str(&text);
            self.queue.push_back(Ok(Delta::Text(text)));
        }
    }

    /// That the limit was reached is told by the counts alone.
    fn end(&mut self, usage: Option<Usage>, stop: Stop) {
        self.running.settled();
        let written = usage.and_then(|usage| usage.tokens_out);
        let is_full = written
            .zip(self.terms.limit)
            .is_some_and(|(written, limit)| written >= limit);
        let stop = if is_full { Stop::Length } else { stop };
        self.queue.extend(usage.map(|usage| Ok(Delta::Usage(usage))));
        self.queue.push_back(Ok(Delta::End(stop)));
        self.over = true;
    }

    fn fail(&mut self, error: ProviderError) {
        self.queue.push_back(Err(error));
        self.over = true;
    }
}
