//! The messages and tools of a chat request.

use std::collections::VecDeque;

use serde_json::{Map, Value};
use tertulia_message::{Role, SuppliedCall, SuppliedMessage, ToolOffer};

use super::fields::Fields;
use super::pictures;
use crate::refusal::Refusal;

/// A conversation as a client sends it.
#[derive(Debug, Default)]
pub(super) struct Conversation {
    /// The system messages, joined.
    pub(super) system: Option<String>,
    /// All others.
    pub(super) messages: Vec<SuppliedMessage>,
}

/// Reads the field `messages`.
pub(super) fn read(fields: &Fields<'_>) -> Result<Conversation, Refusal> {
    let mut conversation = Conversation::default();
    let mut unanswered = VecDeque::new();
    let mut system: Vec<&str> = Vec::new();
    for (index, object) in fields.objects("messages", "api.Message")?.into_iter().enumerate() {
        let fields = Fields::new(object, "ChatRequest.messages");
        let role = match fields.text("role")?.to_lowercase().as_str() {
            "system" | "developer" => {
                system.push(fields.text("content")?);
                continue;
            }
            "user" => Role::User,
            "assistant" => Role::Assistant,
            "tool" => Role::Tool,
            other => return Err(Refusal::bad(format!("invalid role {other:?}"))),
        };
        let mut message = message(&fields, role, index)?;
        match role {
            Role::Assistant => unanswered = message.calls.iter().cloned().collect(),
            Role::Tool => pair(&mut message, &mut unanswered),
            Role::User => {}
        }
        conversation.messages.push(message);
    }
    conversation.system = joined(&system);
    Ok(conversation)
}

/// Texts with something in them, joined by blank lines.
pub(super) fn joined(texts: &[&str]) -> Option<String> {
    let texts: Vec<&str> = texts.iter().copied().filter(|text| !text.is_empty()).collect();
    (!texts.is_empty()).then(|| texts.join("\n\n"))
}

fn message(fields: &Fields<'_>, role: Role, index: usize) -> Result<SuppliedMessage, Refusal> {
    let given = |key: &str| {
        fields
            .text(key)
            .map(|text| Some(text.to_owned()).filter(|text| !text.is_empty()))
    };
    Ok(SuppliedMessage {
        role,
        text: fields.text("content")?.to_owned(),
        thinking: fields.text("thinking")?.to_owned(),
        pictures: pictures::read(fields)?,
        calls: calls(fields, index)?,
        call_id: given("tool_call_id")?,
        tool_name: given("tool_name")?,
    })
}

fn calls(fields: &Fields<'_>, message: usize) -> Result<Vec<SuppliedCall>, Refusal> {
    let objects = fields.objects("tool_calls", "api.ToolCall")?.into_iter().enumerate();
    let read = |(index, object): (usize, &Map<String, Value>)| {
        let call = Fields::new(object, "ChatRequest.messages.tool_calls");
        let function = call
            .object("function")?
            .ok_or_else(|| Refusal::bad("a tool call has no function"))?;
        let function = Fields::new(function, "ChatRequest.messages.tool_calls.function");
        let id = match call.text("id")? {
            "" => format!("call_{message}_{index}"),
            id => id.to_owned(),
        };
        Ok(SuppliedCall {
            id,
            name: required(&function, "name")?,
            arguments: arguments(&function)?,
        })
    };
    objects.map(read).collect()
}

/// Arguments are an object on this API; a text that holds one is what other APIs write.
fn arguments(function: &Fields<'_>) -> Result<String, Refusal> {
    match function.get("arguments") {
        None => Ok("{}".to_owned()),
        Some(object @ Value::Object(_)) => Ok(object.to_string()),
        Some(Value::String(text)) => Ok(text.clone()),
        Some(other) => Err(function.wrong("arguments", other, "api.ToolCallFunctionArguments")),
    }
}

/// Finds the call that a tool's message answers: by id, else by name, else the first that has no answer yet.
fn pair(message: &mut SuppliedMessage, unanswered: &mut VecDeque<SuppliedCall>) {
    let place = match (&message.call_id, &message.tool_name) {
        (Some(id), _) => unanswered.iter().position(|call| call.id == *id),
        (None, Some(name)) => unanswered.iter().position(|call| call.name == *name),
        (None, None) => Some(0),
    };
    if let Some(call) = place.and_then(|place| unanswered.remove(place)) {
        message.call_id = Some(call.id);
        message.tool_name.get_or_insert(call.name);
    }
}

/// Reads the field `tools`.
pub(super) fn tools(fields: &Fields<'_>) -> Result<Vec<ToolOffer>, Refusal> {
    let offer = |object| {
        let tool = Fields::new(object, "ChatRequest.tools");
        let function = tool
            .object("function")?
            .ok_or_else(|| Refusal::bad("a tool has no function"))?;
        let function = Fields::new(function, "ChatRequest.tools.function");
        let parameters = function.object("parameters")?.cloned();
        Ok(ToolOffer {
            name: required(&function, "name")?,
            description: function.text("description")?.to_owned(),
            parameters: Value::Object(parameters.unwrap_or_else(no_parameters)),
        })
    };
    fields.objects("tools", "api.Tool")?.into_iter().map(offer).collect()
}

fn no_parameters() -> Map<String, Value> {
    Map::from_iter([
        ("type".to_owned(), Value::from("object")),
        ("properties".to_owned(), Value::Object(Map::new())),
    ])
}

fn required(function: &Fields<'_>, key: &str) -> Result<String, Refusal> {
    match function.text(key)? {
        "" => Err(Refusal::bad(format!("a tool's function has no {key}"))),
        text => Ok(text.to_owned()),
    }
}
