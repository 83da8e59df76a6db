//! The built-in demo: answers by rule, offline, and says what it is.

mod lines;
mod rules;

use std::time::Duration;

use async_trait::async_trait;
use futures_util::{StreamExt, stream};
use tertulia_core::chat::{ChatMessage, Part};
use tertulia_core::provider::{CallDelta, Capabilities, Delta, Format, ModelRequest, ProviderError, Stop, Usage};
use tertulia_ports::{DeltaStream, Provider};

/// What a rule decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Reply {
    /// Say something.
    Say(String),
    /// Call an offered tool: its name and its arguments.
    Call(String, String),
}

/// A provider without a model. The same request always gets the same answer.
#[derive(Debug, Clone, Copy, Default)]
pub struct Demo {
    pause: Duration,
}

impl Demo {
    /// The model's name, for lists; any other is taken as well.
    pub const MODEL: &str = "demo";

    /// A demo that answers at once.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A demo that waits before each word, so that streaming can be watched.
    #[must_use]
    pub fn with_pause(pause: Duration) -> Self {
        Self { pause }
    }
}

#[async_trait]
impl Provider for Demo {
    fn capabilities(&self, _model: &str) -> Capabilities {
        Capabilities {
            conversation: true,
            system: true,
            tool_calls: true,
            vision: false,
            thinking: false,
            format: Format::Standard,
            max_context: 32_768,
        }
    }

    fn missing_setting(&self) -> Option<&str> {
        None
    }

    async fn probe(&self, _model: &str, _fresh: bool) -> Result<(), ProviderError> {
        Ok(())
    }

    fn describe(&self) -> String {
        "demo, built in: answers by rule, no language model".to_owned()
    }

    async fn stream(&self, request: ModelRequest) -> Result<DeltaStream, ProviderError> {
        let deltas = deltas(&request);
        let pause = self.pause;
        let paced = stream::iter(deltas).then(move |delta| async move {
            if !pause.is_zero() {
                tokio::time::sleep(pause).await;
            }
            Ok(delta)
        });
        Ok(Box::pin(paced))
    }
}

/// The whole answer, piece by piece.
fn deltas(request: &ModelRequest) -> Vec<Delta> {
    let (mut deltas, stop) = match rules::reply(request) {
        Reply::Say(text) => words(&text, request.generation.max_tokens),
        Reply::Call(name, arguments) => {
            let id = Some(format!("demo_{}", calls_so_far(request) + 1));
            (
                vec![Delta::Call(CallDelta {
                    index: 0,
                    id,
                    name: Some(name),
                    arguments,
                })],
                Stop::ToolCalls,
            )
        }
    };
    let tokens_out = deltas.len() as u64;
    deltas.push(Delta::Usage(Usage {
        tokens_in: Some(words_read(request)),
        tokens_out: Some(tokens_out),
        ..Usage::default()
    }));
    deltas.push(Delta::End(stop));
    deltas
}

/// The text word by word, each with the blanks after it, up to the limit.
fn words(text: &str, limit: Option<u64>) -> (Vec<Delta>, Stop) {
    let mut words: Vec<String> = Vec::new();
    let mut in_blank = true;
    for character in text.chars() {
        match words.last_mut() {
            Some(word) if character.is_whitespace() || !in_blank => word.push(character),
            _ => words.push(character.to_string()),
        }
        in_blank = character.is_whitespace();
    }
    let limit = limit
        .and_then(|limit| usize::try_from(limit).ok())
        .unwrap_or(usize::MAX);
    let stop = if words.len() > limit { Stop::Length } else { Stop::Done };
    words.truncate(limit);
    (words.into_iter().map(Delta::Text).collect(), stop)
}

fn words_read(request: &ModelRequest) -> u64 {
    let said = |message: &ChatMessage| match message {
        ChatMessage::User { parts } => parts
            .iter()
            .map(|part| match part {
                Part::Text(text) => count(text),
                Part::Picture(_) => 0,
            })
            .sum(),
        ChatMessage::Assistant { text, .. } => count(text),
        ChatMessage::Tool { results } => results.iter().map(|result| count(&result.content)).sum(),
    };
    count(&request.system) + request.messages.iter().map(said).sum::<u64>()
}

fn count(text: &str) -> u64 {
    text.split_whitespace().count() as u64
}

fn calls_so_far(request: &ModelRequest) -> usize {
    let calls = |message: &ChatMessage| match message {
        ChatMessage::Assistant { calls, .. } => calls.len(),
        ChatMessage::User { .. } | ChatMessage::Tool { .. } => 0,
    };
    request.messages.iter().map(calls).sum()
}

#[cfg(test)]
mod tests;
