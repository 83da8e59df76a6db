//! The conformance vectors of prompts and conversations.

use serde_json::{Value, json};
use tertulia_core::chat::{ChatMessage, Part};
use tertulia_core::layout::{Question, USUAL_HISTORY, prompt};
use tertulia_core::provider::Format;
use tertulia_providers::kind_defaults;
use tertulia_testkit::conformance::{Outcome, Suite};

#[test]
fn the_vectors_of_layouts() {
    Suite::new()
        .operation("build_request", build_request)
        .operation("capabilities", capabilities)
        .check();
}

fn capabilities(input: &Value) -> Outcome {
    let kind = input.get("provider").and_then(Value::as_str).ok_or("no provider")?;
    let able = kind_defaults(kind).ok_or("an unknown kind")?;
    Ok(json!({
        "supportsConversation": able.conversation,
        "supportsSystemMessages": able.system,
        "supportsToolCalls": able.tool_calls,
        "customFormat": match able.format {
            Format::Standard => "standard",
            Format::Gemini => "gemini",
        },
    }))
}

fn build_request(input: &Value) -> Outcome {
    let text = |field: &str| input.get(field).and_then(Value::as_str);
    let history = input.get("history").and_then(Value::as_array).ok_or("no history")?;
    let history: Vec<ChatMessage> = history.iter().map(message).collect::<Result<_, _>>()?;
    let current = ChatMessage::user(text("current").ok_or("no current message")?);
    let question = Question::new(text("system"), &history, current, USUAL_HISTORY);
    let able = kind_defaults(text("provider").ok_or("no provider")?).ok_or("an unknown kind")?;
    if !able.conversation {
        return Ok(json!({"prompt": prompt(&question.system, &question.messages)}));
    }
    let mut messages = vec![json!({"role": "system", "content": question.system})];
    messages.extend(question.messages.iter().map(|message| match message {
        ChatMessage::Assistant { text, .. } => json!({"role": "assistant", "content": text}),
        ChatMessage::User { parts } => json!({"role": "user", "content": said(parts)}),
        ChatMessage::Tool { .. } => json!({"role": "tool"}),
    }));
    if input
        .get("history")
        .and_then(Value::as_array)
        .is_some_and(|history| history.len() <= USUAL_HISTORY)
    {
        return Ok(json!({"messages": messages}));
    }
    let contents: Vec<Value> = messages
        .iter()
        .filter_map(|message| message.get("content").cloned())
        .collect();
    let kept = contents.get(1..contents.len() - 1).ok_or("nothing is kept")?;
    Ok(json!({"messages": messages, "count": messages.len(), "history": kept}))
}

fn message(value: &Value) -> Result<ChatMessage, String> {
    let field = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default();
    match field("role") {
        "user" => Ok(ChatMessage::user(field("content"))),
        "assistant" => Ok(ChatMessage::assistant(field("content"))),
        other => Err(format!("no role of a history: {other}")),
    }
}

fn said(parts: &[Part]) -> String {
    let texts = parts.iter().map(|part| match part {
        Part::Text(text) => text.as_str(),
        Part::Picture(_) => "",
    });
    texts.collect()
}
