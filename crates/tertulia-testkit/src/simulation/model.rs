//! The scripted model: what a person says is what it does.
//!
//! A question is a list of steps, parted by `;`: `say words`, `long n` (n words), `code n` (n lines in a fence),
//! `look`, `pay` and `tell words` (calls of the tools; `tell` has the words said beside the answer), `fail` (a refusal), `break` (the stream breaks off), `busy` (fails
//! every other time it is asked), `hollow` (nothing at all), `recall n` (says how many things people have said that it is
//! told of, this one among them; `n` is what the transcript expects).

use std::collections::{BTreeMap, VecDeque};

use serde_json::json;
use tertulia_core::chat::{ChatMessage, Part};
use tertulia_core::layout;
use tertulia_core::provider::{CallDelta, Delta, ModelRequest, ProviderError, ProviderFault, Stop};

/// The pieces of one answer.
pub(super) type Script = VecDeque<Result<Delta, ProviderError>>;

/// Counts how often each question was asked; survives crashes, as a provider does.
#[derive(Debug, Default)]
pub(super) struct Model {
    asked: BTreeMap<String, u32>,
}

impl Model {
    pub(super) fn answer(&mut self, request: &ModelRequest) -> Script {
        let question = question(request);
        let rounds = request
            .messages
            .iter()
            .rev()
            .take_while(|message| !matches!(message, ChatMessage::User { .. }));
        let round = rounds
            .filter(|message| matches!(message, ChatMessage::Tool { .. }))
            .count();
        let asked = self.asked.entry(question.clone()).or_default();
        *asked += 1;
        let recalled = format!("recall {}", heard(request));
        let steps = question.split(';').map(str::trim);
        let steps: Vec<&str> = steps
            .map(|step| if step.starts_with("recall ") { &recalled } else { step })
            .collect();
        script(steps_of_round(&steps, round), *asked)
    }
}

fn question(request: &ModelRequest) -> String {
    let said = request.messages.iter().rev().find_map(|message| match message {
        ChatMessage::User { parts } => Some(parts),
        _ => None,
    });
    let texts = said.into_iter().flatten().filter_map(|part| match part {
        Part::Text(text) => Some(text.as_str()),
        Part::Picture(_) => None,
    });
    let text = texts.collect::<Vec<_>>().join("");
    let text = layout::without_moment(&text).to_owned();
    // Outside direct conversations the speaker's name stands before the words.
    text.rsplit_once("\": ")
        .map_or(text.clone(), |(_, words)| words.to_owned())
}

/// How many messages of people the model is told.
fn heard(request: &ModelRequest) -> usize {
    let messages = request.messages.iter();
    messages
        .filter(|message| matches!(message, ChatMessage::User { .. }))
        .count()
}

/// What a step has said beside the answer.
pub(super) fn told(step: &str) -> Option<&str> {
    step.trim().strip_prefix("tell ")
}

fn is_call(step: &str) -> bool {
    matches!(step, "look" | "pay") || told(step).is_some()
}

/// The steps of a round end with its calls: those that stand side by side.
fn steps_of_round<'a>(steps: &'a [&'a str], round: usize) -> &'a [&'a str] {
    let mut rest = steps;
    for _ in 0..round {
        let calls_begin = rest.iter().position(|step| is_call(step)).unwrap_or(rest.len());
        let (_, after) = rest.split_at(calls_begin);
        let calls_end = after.iter().position(|step| !is_call(step)).unwrap_or(after.len());
        rest = after.split_at(calls_end).1;
    }
    let calls_begin = rest.iter().position(|step| is_call(step)).unwrap_or(rest.len());
    let (_, after) = rest.split_at(calls_begin);
    let calls = after.iter().position(|step| !is_call(step)).unwrap_or(after.len());
    rest.split_at(calls_begin + calls).0
}

fn script(steps: &[&str], asked: u32) -> Script {
    let mut script = Script::new();
    let mut end = Stop::Done;
    let mut text_before = false;
    for (nth, step) in (0u32..).zip(steps) {
        match *step {
            "fail" => script.push_back(Err(ProviderError::new(ProviderFault::Rejected, "refused"))),
            "break" => script.push_back(Err(ProviderError::new(ProviderFault::Broken, "broke off"))),
            "busy" if asked % 2 == 1 => {
                script.push_back(Err(ProviderError::new(
                    ProviderFault::Unavailable { after: None },
                    "busy",
                )));
            }
            "busy" | "hollow" => {}
            step if is_call(step) => {
                end = Stop::ToolCalls;
                let (name, arguments) = match told(step) {
                    Some(text) => ("tell", json!({"text": text})),
                    None => (step, json!({})),
                };
                script.push_back(Ok(Delta::Call(CallDelta {
                    index: nth,
                    id: Some(format!("{name}-{nth}")),
                    name: Some(name.to_owned()),
                    arguments: arguments.to_string(),
                })));
            }
            step => {
                let apart = if nth > 0 && text_before { "\n\n" } else { "" };
                text_before = true;
                script.extend(words(&format!("{apart}{}", text_of(step))).map(|word| Ok(Delta::Text(word))));
            }
        }
    }
    script.push_back(Ok(Delta::End(end)));
    script
}

/// The words with the blanks behind them: joined they are the text.
fn words(text: &str) -> impl Iterator<Item = String> {
    text.split_inclusive(' ')
        .map(str::to_owned)
        .collect::<Vec<_>>()
        .into_iter()
}

/// What a step shows.
pub(super) fn text_of(step: &str) -> String {
    let numbers = |count: &str| 0..count.parse::<usize>().unwrap_or(0);
    match step.split_once(' ') {
        Some(("say", words)) => words.to_owned(),
        Some(("recall", count)) => format!("I have heard {count}"),
        Some(("long", count)) => numbers(count)
            .map(|nth| format!("w{nth}"))
            .collect::<Vec<_>>()
            .join(" "),
        Some(("code", count)) => {
            let lines: Vec<String> = numbers(count).map(|nth| format!("line {nth};")).collect();
            format!("```rust\n{}\n```", lines.join("\n"))
        }
        _ => String::new(),
    }
}

/// What the whole answer to a question shows, without formatting.
pub(super) fn expected(question: &str) -> String {
    let texts = question
        .split(';')
        .map(|step| text_of(step.trim()))
        .filter(|text| !text.is_empty());
    texts
        .map(|text| tertulia_core::markdown::parse(&text).plain())
        .collect::<Vec<_>>()
        .join("\n\n")
}
