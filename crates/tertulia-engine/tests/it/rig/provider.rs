//! A provider that does what the test wrote down, and notices when its stream is dropped.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use futures_util::stream;
use tertulia_core::chat::{ChatMessage, Part};
use tertulia_core::layout::without_moment;
use tertulia_core::provider::{
    CallDelta, Capabilities, Delta, Format, ModelRequest, ProviderError, ProviderFault, Stop, Usage,
};
use tertulia_ports::{DeltaStream, Provider};
use tokio::time::{Instant, sleep};

/// What stands in a provider's own words and must never be read by people.
pub(crate) const SECRET_DETAIL: &str = "upstream detail";

/// One thing that the provider does.
#[derive(Debug, Clone)]
pub(crate) enum Piece {
    Text(String),
    Wait(Duration),
    Call(CallDelta),
    Usage(u64, u64),
    End(Stop),
    /// Refuses before there is a stream.
    Refuse(ProviderFault),
    /// Fails in the stream.
    Fail(ProviderFault),
    /// The stream ends without an end mark.
    Cut,
    Silence,
    /// A sign of life without content.
    Alive,
    Panic,
    /// Panics before there is a stream.
    PanicAtOnce,
    /// Signs of life for ever, always ready.
    Storm,
    /// Text for ever.
    Flood,
}

/// Text and the end mark.
pub(crate) fn words(text: &str) -> Vec<Piece> {
    vec![Piece::Text(text.to_owned()), Piece::End(Stop::Done)]
}

/// A whole tool call.
pub(crate) fn call(index: u32, name: &str, arguments: &str) -> Piece {
    Piece::Call(CallDelta {
        index,
        id: Some(format!("id{index}")),
        name: Some(name.to_owned()),
        arguments: arguments.to_owned(),
    })
}

/// The answer to a question about which nothing is written down.
pub(crate) fn echo(question: &str) -> String {
    format!("You said {question}.")
}

struct Rule {
    part_of_question: String,
    answers: VecDeque<Vec<Piece>>,
}

/// The provider.
#[derive(Default)]
pub(crate) struct Scripted {
    rules: Mutex<Vec<Rule>>,
    asked: Mutex<Vec<(Instant, ModelRequest)>>,
    open: Arc<AtomicUsize>,
    capability_panics: AtomicUsize,
    probes_hang: AtomicBool,
    sees: AtomicBool,
}

impl Scripted {
    /// From now on its models see no pictures.
    pub(crate) fn go_blind(&self) {
        self.sees.store(false, Ordering::SeqCst);
    }

    /// From now on its models see pictures.
    pub(crate) fn see(&self) {
        self.sees.store(true, Ordering::SeqCst);
    }

    /// From now on a probe gets no answer.
    pub(crate) fn hang_at_probes(&self) {
        self.probes_hang.store(true, Ordering::SeqCst);
    }

    /// So many times it panics when it is asked what it can do.
    pub(crate) fn panic_at_capabilities(&self, times: usize) {
        self.capability_panics.store(times, Ordering::SeqCst);
    }

    /// To questions with this in them it gives these answers in turn; the last one again and again.
    pub(crate) fn on(&self, part_of_question: &str, answers: impl IntoIterator<Item = Vec<Piece>>) {
        self.rules.lock().unwrap().push(Rule {
            part_of_question: part_of_question.to_owned(),
            answers: answers.into_iter().collect(),
        });
    }

    /// When it was asked what.
    pub(crate) fn asked(&self) -> Vec<(Instant, ModelRequest)> {
        self.asked.lock().unwrap().clone()
    }

    /// How many streams are open.
    pub(crate) fn open(&self) -> usize {
        self.open.load(Ordering::SeqCst)
    }

    fn answer(&self, question: &str) -> Vec<Piece> {
        let mut rules = self.rules.lock().unwrap();
        let Some(rule) = rules.iter_mut().find(|rule| question.contains(&rule.part_of_question)) else {
            return words(&echo(question));
        };
        if rule.answers.len() > 1 {
            rule.answers.pop_front().unwrap()
        } else {
            rule.answers.front().unwrap().clone()
        }
    }
}

#[async_trait]
impl Provider for Scripted {
    fn capabilities(&self, _model: &str) -> Capabilities {
        let left = &self.capability_panics;
        let strikes = left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        assert!(strikes.is_err(), "the provider panics, as the test wants");
        Capabilities {
            conversation: true,
            system: true,
            tool_calls: true,
            vision: self.sees.load(Ordering::SeqCst),
            thinking: false,
            format: Format::Standard,
            max_context: 100_000,
        }
    }

    fn missing_setting(&self) -> Option<&str> {
        None
    }

    async fn probe(&self, _model: &str, _fresh: bool) -> Result<(), ProviderError> {
        if self.probes_hang.load(Ordering::SeqCst) {
            std::future::pending::<()>().await;
        }
        Ok(())
    }

    fn describe(&self) -> String {
        "scripted".to_owned()
    }

    async fn stream(&self, request: ModelRequest) -> Result<DeltaStream, ProviderError> {
        let question = question(&request);
        self.asked.lock().unwrap().push((Instant::now(), request));
        let pieces = self.answer(&question);
        match pieces.first() {
            Some(Piece::Refuse(fault)) => return Err(error(*fault)),
            Some(Piece::PanicAtOnce) => panic!("the provider panics, as the test wants"),
            _ => {}
        }
        let open = Open::new(Arc::clone(&self.open));
        let state = (VecDeque::from(pieces), open);
        Ok(Box::pin(stream::unfold(state, |(mut pieces, open)| async move {
            let delta = next(&mut pieces).await?;
            Some((delta, (pieces, open)))
        })))
    }
}

async fn next(pieces: &mut VecDeque<Piece>) -> Option<Result<Delta, ProviderError>> {
    loop {
        return Some(Ok(match pieces.pop_front()? {
            Piece::Text(text) => Delta::Text(text),
            Piece::Call(call) => Delta::Call(call),
            Piece::Usage(tokens_in, tokens_out) => Delta::Usage(Usage {
                tokens_in: Some(tokens_in),
                tokens_out: Some(tokens_out),
                ..Usage::default()
            }),
            Piece::End(stop) => Delta::End(stop),
            Piece::Wait(pause) => {
                sleep(pause).await;
                continue;
            }
            Piece::Silence => std::future::pending().await,
            Piece::Alive => Delta::Alive,
            Piece::Cut => return None,
            Piece::Storm => {
                pieces.push_front(Piece::Storm);
                Delta::Alive
            }
            Piece::Flood => {
                pieces.push_front(Piece::Flood);
                Delta::Text("word ".repeat(20))
            }
            Piece::Fail(fault) | Piece::Refuse(fault) => return Some(Err(error(fault))),
            Piece::Panic | Piece::PanicAtOnce => panic!("the provider panics, as the test wants"),
        }));
    }
}

fn error(fault: ProviderFault) -> ProviderError {
    ProviderError::new(fault, SECRET_DETAIL)
}

fn question(request: &ModelRequest) -> String {
    let texts = request.messages.iter().rev().find_map(|message| match message {
        ChatMessage::User { parts } => Some(parts.iter().filter_map(|part| match part {
            Part::Text(text) => Some(text.clone()),
            Part::Picture(_) => None,
        })),
        _ => None,
    });
    let text: String = texts.into_iter().flatten().collect();
    let text = without_moment(&text);
    // in groups the speaker stands before the words
    text.strip_prefix("\"ann\": ").unwrap_or(text).to_owned()
}

struct Open(Arc<AtomicUsize>);

impl Open {
    fn new(count: Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::SeqCst);
        Self(count)
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}
