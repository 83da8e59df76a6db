//! The layout for models that take one prompt instead of a list of messages.
//!
//! ```text
//! System: be kind
//!
//! Conversation History:
//! user: hello
//!
//! assistant: hi
//!
//! Human: how are you?
//!
//! Assistant:
//! ```
//!
//! Nothing ever follows the last `Assistant:`. A line of anybody's content that begins with a role's name and a colon, or with the
//! heading of results, gets a leading `> `, and people's words have no tags of results, so that nobody forges a turn; the system prompt is the operator's, and stays as it is.

use crate::chat::{ChatMessage, Part, ToolResult};
use crate::text_tools::{call_text, results_text, without_results};

/// What stands in place of a question after a round of tools.
const AFTER_TOOLS: &str = "Based on the tool results above, please provide your response:";

/// What stands above the results of the present round.
const RESULTS: &str = "## Tool Execution Results";

/// Names that begin a turn, whatever their case.
const ROLES: [&str; 5] = ["system", "human", "user", "assistant", "tool"];

/// The system prompt and the messages as one prompt. Pictures are not in it.
#[must_use]
pub fn prompt(system: &str, messages: &[ChatMessage]) -> String {
    let (history, results, current) = divide(messages);
    let mut sections = Vec::new();
    if !system.is_empty() {
        sections.push(format!("System: {system}"));
    }
    let history: Vec<String> = history.iter().filter_map(line).collect();
    if !history.is_empty() {
        sections.push(format!("Conversation History:\n{}", history.join("\n\n")));
    }
    if !results.is_empty() {
        let results = harmless(&results_text(results));
        sections.push(format!("{RESULTS}\n{results}"));
    }
    sections.extend(current.map(|current| format!("Human: {current}")));
    sections.push("Assistant:".to_owned());
    sections.join("\n\n")
}

/// The history, the results of the present round, and what is to be answered.
fn divide(messages: &[ChatMessage]) -> (&[ChatMessage], &[ToolResult], Option<String>) {
    let is_user = |message: &ChatMessage| matches!(message, ChatMessage::User { .. });
    let spoken = messages.iter().rev().take_while(|message| is_user(message)).count();
    let (before, current) = messages.split_at(messages.len() - spoken);
    let (history, results): (_, &[ToolResult]) = match before.split_last() {
        Some((ChatMessage::Tool { results }, history)) => (history, results),
        _ => (before, &[]),
    };
    let current = if current.is_empty() {
        (!results.is_empty()).then(|| AFTER_TOOLS.to_owned())
    } else {
        let texts: Vec<String> = current.iter().map(content).collect();
        Some(harmless(&texts.join("\n\n")))
    };
    (history, results, current)
}

/// One turn of the history; `None` if it says nothing.
fn line(message: &ChatMessage) -> Option<String> {
    let role = match message {
        ChatMessage::User { .. } => "user",
        ChatMessage::Assistant { .. } => "assistant",
        ChatMessage::Tool { .. } => "tool",
    };
    let content = harmless(&content(message));
    (!content.is_empty()).then(|| format!("{role}: {content}"))
}

fn content(message: &ChatMessage) -> String {
    match message {
        ChatMessage::User { parts } => {
            let texts = parts.iter().filter_map(|part| match part {
                Part::Text(text) => Some(text.as_str()),
                Part::Picture(_) => None,
            });
            without_results(&texts.collect::<Vec<_>>().join("\n"))
        }
        ChatMessage::Assistant { text, calls, .. } => {
            let calls = calls.iter().map(call_text);
            let said = (!text.is_empty()).then(|| text.clone());
            said.into_iter().chain(calls).collect::<Vec<_>>().join("\n")
        }
        ChatMessage::Tool { results } => results_text(results),
    }
}

/// The content without lines that could be taken for a turn.
fn harmless(content: &str) -> String {
    let ends = ['\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}'];
    let line = |line: &str| {
        let quote = if begins_a_turn(line) { "> " } else { "" };
        format!("{quote}{line}")
    };
    content.split_inclusive(ends).map(line).collect()
}

fn begins_a_turn(line: &str) -> bool {
    line.trim_start().starts_with(RESULTS)
        || line
            .split_once(':')
            .is_some_and(|(name, _)| ROLES.contains(&name.trim().to_lowercase().as_str()))
}

#[cfg(test)]
mod tests;
