//! The conformance vectors of prompts, conversations and what models write in their text.

use serde_json::{Map, Value, json};
use tertulia_core::chat::{ChatMessage, Part, ToolResult, ToolStatus};
use tertulia_core::layout::{Question, SystemParts, USUAL_HISTORY, prompt, supplied};
use tertulia_core::provider::{Format, ModelRequest};
use tertulia_core::text_tools::{extract_json, read_results, results_text};
use tertulia_message::{Generation, Request, RequestHistory, Role, SuppliedMessage};
use tertulia_providers::kind_defaults;
use tertulia_testkit::conformance::{Outcome, Suite};

use crate::asking::request;
use crate::wire::gemini_body;

#[test]
fn the_conformance_vectors_of_layouts() {
    Suite::new()
        .measured("build_request", build_request)
        .operation("capabilities", capabilities)
        .operation("compose_system", |input| Ok(compose_system(input)))
        .operation("extract_json", |input| {
            Ok(extract_json(text(input, "text")?).unwrap_or(Value::Null))
        })
        .operation("integrate_tools", integrate_tools)
        .operation("tool_xml_roundtrip", tool_xml_roundtrip)
        .operation("ui_history", ui_history)
        .check();
}

fn text<'a>(input: &'a Value, field: &str) -> Result<&'a str, String> {
    let text = input.get(field).and_then(Value::as_str);
    text.ok_or_else(|| format!("no {field}"))
}

fn list<'a>(input: &'a Value, field: &str) -> Result<&'a [Value], String> {
    let list = input.get(field).and_then(Value::as_array);
    list.map(Vec::as_slice).ok_or_else(|| format!("no {field}"))
}

fn capabilities(input: &Value) -> Outcome {
    let of = |kind: &str| kind_defaults(kind).ok_or("an unknown kind");
    let able = of(text(input, "provider")?)?;
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

fn compose_system(input: &Value) -> Value {
    let part = |field: &str| text(input, field).unwrap_or_default().to_owned();
    let parts = SystemParts {
        base: part("base"),
        tree: part("fileTree"),
        tools: part("tools"),
        context: part("context"),
    };
    parts.compose().into()
}

fn result(id: &str, output: &str) -> ToolResult {
    ToolResult {
        call_id: id.to_owned(),
        name: "tool".to_owned(),
        status: ToolStatus::Ok,
        content: output.to_owned(),
    }
}

fn integrate_tools(input: &Value) -> Outcome {
    let results = list(input, "responses")?.iter();
    let results: Result<Vec<_>, String> = results
        .map(|response| Ok(result(text(response, "id")?, text(response, "output")?)))
        .collect();
    let added: Vec<ChatMessage> = ChatMessage::results(results?).into_iter().collect();
    let ids = added.iter().flat_map(|message| match message {
        ChatMessage::Tool { results } => results.iter().map(|result| result.call_id.as_str()).collect(),
        ChatMessage::User { .. } | ChatMessage::Assistant { .. } => Vec::new(),
    });
    Ok(json!({
        "messages_added": added.len(),
        "internal": added.iter().any(ChatMessage::is_internal),
        "isToolResponse": added.iter().any(|message| matches!(message, ChatMessage::Tool { .. })),
        "ids": ids.collect::<Vec<_>>(),
    }))
}

fn tool_xml_roundtrip(input: &Value) -> Outcome {
    let output = text(input, "output")?;
    let written = results_text(&[result("1", output)]);
    let read = read_results(&written);
    Ok(json!({
        "roundtrip": read.first().map(|result| result.content.as_str()),
        "elements": read.len(),
    }))
}

fn ui_history(input: &Value) -> Outcome {
    let shown = list(input, "history")?.iter().filter_map(|message| {
        let kept = if is_internal(message) {
            ChatMessage::results(vec![result("", "")])?
        } else {
            ChatMessage::user("")
        };
        (!kept.is_internal()).then(|| json!({"role": message.get("role"), "content": message.get("content")}))
    });
    Ok(shown.collect())
}

fn is_internal(message: &Value) -> bool {
    message
        .pointer("/metadata/internal")
        .and_then(Value::as_bool)
        .unwrap_or(false)
}

/// The request, and what can be measured of it.
fn build_request(input: &Value, expected: &Value) -> Outcome {
    let history = history(list(input, "history")?)?;
    let now = match input.get("current") {
        None | Some(Value::Null) => None,
        Some(Value::String(words)) => Some(words.as_str()),
        Some(message) => Some(text(message, "content")?),
    };
    let system = text(input, "system").ok();
    let question = Question::new(system, &history, now.map(ChatMessage::user), USUAL_HISTORY);
    let able = kind_defaults(text(input, "provider")?).ok_or("an unknown kind")?;
    if !able.conversation {
        return Ok(of_prompt(
            &prompt(&question.system, &question.messages),
            &question,
            expected,
        ));
    }
    if able.format == Format::Gemini {
        let request = ModelRequest {
            system: question.system,
            ..request(question.messages)
        };
        let body = gemini_body(request);
        return Ok(json!({"contents": body.get("contents"), "systemInstruction": body.get("systemInstruction")}));
    }
    let mut out = json!({"messages": wire(&question)});
    // measured only where it is asked for: an exact vector has the messages alone
    if let (Some(out), true) = (out.as_object_mut(), expected.get("messages").is_none()) {
        measure(out, &question, now, expected);
    }
    Ok(out)
}

fn measure(out: &mut Map<String, Value>, question: &Question, now: Option<&str>, expected: &Value) {
    let said: Vec<String> = question.messages.iter().map(content).collect();
    let all = said.join("\n");
    let before = said.len() - usize::from(now.is_some());
    let has = |field: &str, found: fn(&str, &str) -> bool| {
        let wanted = expected.get(field).and_then(Value::as_str)?;
        found(&all, wanted).then(|| wanted.to_owned())
    };
    out.insert("count".into(), json!(said.len() + 1));
    out.insert("history".into(), json!(said[..before]));
    out.insert("first_role".into(), json!(question.messages.first().map(role)));
    out.insert("last".into(), json!(said.last()));
    out.insert(
        "contains".into(),
        json!(has("contains", |all, wanted| all.contains(wanted))),
    );
    out.insert(
        "ends_with".into(),
        json!(has("ends_with", |all, wanted| all.ends_with(wanted))),
    );
    out.insert(
        "user_now_count".into(),
        json!(said.iter().filter(|said| Some(said.as_str()) == now).count()),
    );
}

fn of_prompt(prompt: &str, question: &Question, expected: &Value) -> Value {
    if expected.get("prompt").is_some() {
        return json!({"prompt": prompt});
    }
    let has = |field: &str, found: fn(&str, &str) -> bool| {
        let wanted = expected.get(field).and_then(Value::as_str)?;
        found(prompt, wanted).then(|| wanted.to_owned())
    };
    let roles = ["system:", "human:", "user:", "assistant:", "tool:"];
    let turns = prompt
        .lines()
        .filter(|line| roles.iter().any(|role| line.to_lowercase().starts_with(role)));
    // the system prompt, one line for each message, and the one that is to be written
    let own = question.messages.len() + 2;
    json!({
        "prompt": prompt,
        "contains": has("contains", |prompt, wanted| prompt.contains(wanted)),
        "ends_with": has("ends_with", |prompt, wanted| prompt.ends_with(wanted)),
        "forged_turns": turns.count().saturating_sub(own),
    })
}

fn wire(question: &Question) -> Vec<Value> {
    let messages = question.messages.iter();
    let messages = messages.map(|message| json!({"role": role(message), "content": content(message)}));
    std::iter::once(json!({"role": "system", "content": question.system}))
        .chain(messages)
        .collect()
}

fn role(message: &ChatMessage) -> &'static str {
    match message {
        ChatMessage::User { .. } => "user",
        ChatMessage::Assistant { .. } => "assistant",
        ChatMessage::Tool { .. } => "tool",
    }
}

fn content(message: &ChatMessage) -> String {
    match message {
        ChatMessage::Assistant { text, .. } => text.clone(),
        ChatMessage::Tool { results } => results_text(results),
        ChatMessage::User { parts } => {
            let texts = parts.iter().filter_map(|part| match part {
                Part::Text(text) => Some(text.as_str()),
                Part::Picture(_) => None,
            });
            texts.collect()
        }
    }
}

fn history(messages: &[Value]) -> Result<Vec<ChatMessage>, String> {
    let messages: Result<Vec<_>, String> = messages.iter().map(message).collect();
    Ok(supplied(&Request {
        history: RequestHistory::Supplied(messages?),
        model: String::new(),
        system: None,
        tools: Vec::new(),
        generation: Generation::default(),
    }))
}

fn message(value: &Value) -> Result<SuppliedMessage, String> {
    let role = match text(value, "role")? {
        _ if is_internal(value) => Role::Tool,
        "user" => Role::User,
        "assistant" => Role::Assistant,
        other => return Err(format!("no role of a history: {other}")),
    };
    let call_id = value.pointer("/metadata/toolCallId").and_then(Value::as_str);
    Ok(SuppliedMessage {
        role,
        text: text(value, "content")?.to_owned(),
        thinking: String::new(),
        pictures: Vec::new(),
        calls: Vec::new(),
        call_id: call_id.map(str::to_owned),
        tool_name: None,
    })
}
