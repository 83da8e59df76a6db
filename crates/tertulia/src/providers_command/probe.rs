//! One short real question to each provider, all at once, and what came of it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use serde_json::{Value, json};
use tertulia_core::policy::Deadlines;
use tertulia_core::provider::{Delta, ProviderError, ProviderFault, Usage};
use tertulia_ports::Provider;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};

use crate::askable::{Askable, question};

/// What is asked.
const QUESTION: &str = "Say hello in one word.";
/// The longest answer, in tokens: with room for a model that thinks a little first.
const LONGEST: u64 = 64;
/// How long an answer may take from the question to its end.
const PATIENCE: Duration = Duration::from_mins(1);
/// As much as is shown of an answer, in characters.
const SHOWN: usize = 40;

/// What came of a question.
pub(super) struct Outcome {
    /// When the first word or thought came.
    first: Option<Duration>,
    total: Duration,
    text: String,
    usage: Usage,
    error: Option<String>,
}

/// Asks all of them.
pub(super) async fn all(askable: &Askable) -> BTreeMap<String, Outcome> {
    let mut asking = JoinSet::new();
    for (name, part) in &askable.parts {
        let (name, provider) = (name.clone(), Arc::clone(&part.provider));
        let model = askable.models.get(&name).cloned().unwrap_or_default();
        let patience = Patience::within(part.deadlines);
        asking.spawn(async move { (name, one(&*provider, &model, patience).await) });
    }
    let mut outcomes = BTreeMap::new();
    while let Some(ended) = asking.join_next().await {
        outcomes.extend(ended);
    }
    outcomes
}

/// How long an answer is waited for.
#[derive(Clone, Copy)]
struct Patience {
    first: Duration,
    all: Duration,
}

impl Patience {
    /// Never longer than a turn would wait.
    fn within(deadlines: Deadlines) -> Self {
        Self {
            first: deadlines.first_byte.min(PATIENCE),
            all: deadlines.total.min(PATIENCE),
        }
    }
}

async fn one(provider: &dyn Provider, model: &str, patience: Patience) -> Outcome {
    let begun = Instant::now();
    let mut outcome = Outcome {
        first: None,
        total: Duration::ZERO,
        text: String::new(),
        usage: Usage::default(),
        error: None,
    };
    let answered = timeout(patience.all, hear(provider, model, begun, patience.first, &mut outcome)).await;
    outcome.error = match answered {
        Ok(Ok(())) => None,
        Ok(Err(error)) => Some(error.to_string()),
        Err(_) => Some(format!(
            "the answer was not complete within {} s",
            patience.all.as_secs()
        )),
    };
    outcome.total = begun.elapsed();
    outcome
}

async fn hear(
    provider: &dyn Provider,
    model: &str,
    begun: Instant,
    first: Duration,
    outcome: &mut Outcome,
) -> Result<(), ProviderError> {
    let asking = async {
        let mut answer = provider.stream(question(model, QUESTION, Some(LONGEST))).await?;
        let sign = answer.next().await;
        Ok((sign, answer))
    };
    let silent = || {
        let detail = format!("no sign of an answer within {} s", first.as_secs());
        Err(ProviderError::new(ProviderFault::Unavailable { after: None }, detail))
    };
    let (mut next, mut answer) = timeout(first, asking).await.unwrap_or_else(|_| silent())?;
    while let Some(delta) = next {
        match delta? {
            Delta::Text(text) => {
                outcome.first.get_or_insert_with(|| begun.elapsed());
                outcome.text.push_str(&text);
            }
            Delta::Thinking(_) | Delta::Call(_) => {
                outcome.first.get_or_insert_with(|| begun.elapsed());
            }
            Delta::Usage(usage) => outcome.usage = usage,
            Delta::Data(_) | Delta::Alive => {}
            Delta::End(_) => return Ok(()),
        }
        next = answer.next().await;
    }
    Err(ProviderError::new(
        ProviderFault::Broken,
        "the answer ended without its end mark",
    ))
}

impl Outcome {
    pub(super) fn has_failed(&self) -> bool {
        self.error.is_some()
    }

    /// How it went, in one word.
    pub(super) fn word(&self) -> &'static str {
        if self.has_failed() { "FAILED" } else { "answered" }
    }

    /// What else there is to say.
    pub(super) fn text(&self) -> String {
        if let Some(error) = &self.error {
            return format!("after {}: {error}", seconds(self.total));
        }
        let first = self.first.map(|first| format!("first sign after {}, ", seconds(first)));
        let counted = |tokens: Option<u64>, what| tokens.map(|tokens| format!(", {tokens} tokens {what}"));
        let shown: String = self.text.trim().chars().take(SHOWN).collect();
        [
            Some(format!("{shown:?} ")),
            first,
            Some(format!("all after {}", seconds(self.total))),
            counted(self.usage.tokens_in, "read"),
            counted(self.usage.tokens_out, "written"),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    pub(super) fn json(&self) -> Value {
        json!({
            "first_seconds": self.first.map(|first| first.as_secs_f64()),
            "total_seconds": self.total.as_secs_f64(),
            "text": self.text,
            "tokens_in": self.usage.tokens_in,
            "tokens_out": self.usage.tokens_out,
            "error": self.error,
        })
    }
}

fn seconds(time: Duration) -> String {
    format!("{:.2} s", time.as_secs_f64())
}
