//! Which conversation a request belongs to.

use axum::http::HeaderMap;
use serde_json::{Map, Value};
use tertulia_message::path::InterfacePath;

use crate::client::Client;
use crate::refusal::Refusal;

/// The header that names a conversation.
const HEADER: &str = "x-conversation-id";

/// The fields of a body that name a conversation: the first that is there decides.
const FIELDS: [&str; 4] = ["conversation", "session", "id", "thread_id"];

/// The client's id of the conversation, from the header, else from the body; none if it keeps its own.
pub(super) fn conversation(headers: &HeaderMap, body: &Map<String, Value>) -> Result<Option<String>, Refusal> {
    if let Some(value) = headers.get(HEADER).filter(|value| !value.is_empty()) {
        let id = std::str::from_utf8(value.as_bytes());
        return checked(id.map_err(|_| Refusal::bad("the conversation id is not UTF-8"))?);
    }
    for key in FIELDS {
        match body.get(key) {
            None | Some(Value::Null) => {}
            Some(Value::String(id)) if id.is_empty() => {}
            Some(Value::String(id)) => return checked(id),
            Some(Value::Number(id)) => return checked(&id.to_string()),
            Some(_) => return Err(Refusal::bad(format!("{key} must be a text or a number"))),
        }
    }
    Ok(None)
}

fn checked(id: &str) -> Result<Option<String>, Refusal> {
    if id.starts_with('~') {
        return Err(Refusal::bad("a conversation id does not begin with ~"));
    }
    if id.trim().is_empty() || id.contains('\0') {
        return Err(Refusal::bad("invalid conversation id"));
    }
    Ok(Some(id.to_owned()))
}

/// The path of a conversation that is remembered.
pub(super) fn remembered(interface: &str, client: &Client, id: &str) -> Result<InterfacePath, Refusal> {
    InterfacePath::build(interface, [client.conversation(id)])
        .map_err(|error| Refusal::bad(format!("invalid conversation id: {error}")))
}

/// The path of a request that is forgotten when it is answered.
pub(super) fn forgotten(interface: &str, request: &str) -> Result<InterfacePath, Refusal> {
    InterfacePath::build(interface, [format!("~{request}")]).map_err(|error| Refusal::bad(error.to_string()))
}
