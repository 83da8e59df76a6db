//! What every provider must keep, run on each real implementation.
//!
//! A [`ProviderSubject`] says how to set the scene; [`check`] runs the whole suite and gives back what is broken.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures_util::StreamExt;
use futures_util::future::join_all;
use tertulia_core::chat::ChatMessage;
use tertulia_core::provider::{Delta, ModelRequest, ProviderError, ProviderFault};
use tertulia_message::Generation;
use tertulia_ports::Provider;

/// How long any single wait may take before the suite calls it a hang.
const PATIENCE: Duration = Duration::from_secs(20);

/// How many calls are made side by side.
const CROWD: usize = 8;

/// What the server behind the provider is to do with the next question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scene {
    /// Answer some text to the end.
    Answer,
    /// Begin to answer, and never end. A provider that cannot do that answers as ever.
    Endless,
}

/// A provider under test.
#[async_trait]
pub trait ProviderSubject: Send + Sync {
    /// Its kind, e.g. `openai`.
    fn kind(&self) -> &'static str;

    /// The provider, ready to be asked.
    fn provider(&self) -> Arc<dyn Provider>;

    /// A model it has.
    fn model(&self) -> String;

    /// A text that is in its configuration and must never be seen; empty if there is none.
    fn secret(&self) -> String;

    /// The same kind with a setting missing, and how its name ends; `None` if nothing can be missing.
    fn unconfigured(&self) -> Option<(Arc<dyn Provider>, String)>;

    /// Sets the scene for the next question.
    fn prepare(&self, scene: Scene);

    /// Whether the server noticed within a reasonable time that the last stream was dropped.
    async fn freed(&self) -> bool;
}

/// Runs the whole suite.
///
/// # Errors
/// One line for each rule that does not hold.
pub async fn check(subject: &dyn ProviderSubject) -> Result<(), Vec<String>> {
    let outcomes = [
        ("answers end", answers_end(subject).await),
        (
            "a dropped stream frees the connection",
            dropped_streams_are_freed(subject).await,
        ),
        ("calls run side by side", calls_run_side_by_side(subject).await),
        ("a missing setting is named", missing_settings_are_named(subject).await),
        ("nothing secret is shown", nothing_secret_is_shown(subject)),
        ("capabilities know any model", capabilities_know_any_model(subject)),
    ];
    let broken: Vec<String> = outcomes
        .into_iter()
        .filter_map(|(rule, outcome)| outcome.err().map(|reason| format!("{rule}: {reason}")))
        .collect();
    if broken.is_empty() { Ok(()) } else { Err(broken) }
}

/// A question that any provider can answer.
#[must_use]
pub fn question(model: String) -> ModelRequest {
    ModelRequest {
        model,
        system: "Answer briefly.".to_owned(),
        messages: vec![ChatMessage::user("Who are you?")],
        tools: Vec::new(),
        generation: Generation::default(),
    }
}

async fn answers_end(subject: &dyn ProviderSubject) -> Result<(), String> {
    subject.prepare(Scene::Answer);
    whole_answer(subject).await
}

/// Asks once and reads to the end: some text, exactly one end mark, and that the last of all.
async fn whole_answer(subject: &dyn ProviderSubject) -> Result<(), String> {
    let answer = async {
        let stream = subject.provider().stream(question(subject.model())).await?;
        stream
            .collect::<Vec<_>>()
            .await
            .into_iter()
            .collect::<Result<Vec<Delta>, ProviderError>>()
    };
    let deltas = tokio::time::timeout(PATIENCE, answer)
        .await
        .map_err(|_| "no end".to_owned())?;
    let deltas = deltas.map_err(|error| error.to_string())?;
    let text: String = deltas.iter().filter_map(text).collect();
    let ends = deltas.iter().filter(|delta| matches!(delta, Delta::End(_))).count();
    match deltas.last() {
        Some(Delta::End(_)) if ends == 1 && !text.trim().is_empty() => Ok(()),
        _ => Err(format!("not some text and one end mark at the end: {deltas:?}")),
    }
}

async fn dropped_streams_are_freed(subject: &dyn ProviderSubject) -> Result<(), String> {
    subject.prepare(Scene::Endless);
    let first_text = async {
        let mut stream = subject.provider().stream(question(subject.model())).await.ok()?;
        while let Some(Ok(delta)) = stream.next().await {
            if text(&delta).is_some() {
                return Some(());
            }
        }
        None
    };
    let began = tokio::time::timeout(PATIENCE, first_text).await;
    began.ok().flatten().ok_or("the stream did not begin")?;
    if subject.freed().await {
        Ok(())
    } else {
        Err("the server still sends".to_owned())
    }
}

async fn calls_run_side_by_side(subject: &dyn ProviderSubject) -> Result<(), String> {
    for _ in 0..CROWD {
        subject.prepare(Scene::Answer);
    }
    join_all((0..CROWD).map(|_| whole_answer(subject)))
        .await
        .into_iter()
        .collect()
}

async fn missing_settings_are_named(subject: &dyn ProviderSubject) -> Result<(), String> {
    let provider = subject.provider();
    if let Some(setting) = provider.missing_setting() {
        return Err(format!("the ready provider misses {setting}"));
    }
    let Some((provider, ending)) = subject.unconfigured() else {
        return Ok(());
    };
    let setting = provider.missing_setting().unwrap_or_default().to_owned();
    if setting.is_empty() || !setting.ends_with(&ending) {
        return Err(format!("{setting:?} does not end in {ending:?}"));
    }
    match provider.stream(question(subject.model())).await {
        Ok(_) => Err("it answers all the same".to_owned()),
        Err(error) if error.kind == ProviderFault::NotConfigured && error.detail.contains(&setting) => Ok(()),
        Err(error) => Err(format!("the error does not name {setting}: {error}")),
    }
}

fn nothing_secret_is_shown(subject: &dyn ProviderSubject) -> Result<(), String> {
    let (provider, secret) = (subject.provider(), subject.secret());
    let line = provider.describe();
    if !line.contains(subject.kind()) || line.contains('\n') {
        return Err(format!("not one line with the kind: {line:?}"));
    }
    if !secret.is_empty() && line.contains(&secret) {
        Err("describe() shows it".to_owned())
    } else {
        Ok(())
    }
}

fn capabilities_know_any_model(subject: &dyn ProviderSubject) -> Result<(), String> {
    let provider = subject.provider();
    for model in [
        subject.model(),
        subject.model().to_uppercase(),
        "never-heard-of".to_owned(),
    ] {
        let abilities = provider.capabilities(&model);
        if abilities.max_context == 0 {
            return Err(format!("{model} has no context"));
        }
        if abilities != provider.capabilities(&model.to_lowercase()) {
            return Err(format!("{model} depends on upper and lower case"));
        }
    }
    Ok(())
}

fn text(delta: &Delta) -> Option<&str> {
    match delta {
        Delta::Text(text) => Some(text),
        _ => None,
    }
}
