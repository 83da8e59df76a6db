//! One message of the DSL to what it says on this API.

use serde_json::Value;
use tertulia_message::{Kind, Message, Props};

use super::{Chunk, calls};
use crate::links::{LinkError, Links};

/// What one message adds to an answer; nothing for actions, events, group markers and empty texts.
///
/// It knows nothing of the messages before it: that is the [`super::Writer`]'s part.
///
/// # Errors
/// The message cannot be shown; the stream goes on without it.
pub fn adapt(message: &Message, links: &Links) -> Result<Option<Chunk>, LinkError> {
    if message.group_start || message.group_end {
        return Ok(None);
    }
    let props = &message.props;
    Ok(match message.builtin() {
        Some(Kind::Text) => some_text(text(props, "content")).map(Chunk::Content),
        Some(Kind::Thinking) => some_text(text(props, "content")).map(Chunk::Thinking),
        Some(Kind::Loading) => Some(Chunk::Thinking(or(text(props, "message"), "Processing..."))),
        Some(Kind::ToolCall) => calls::call(props).map(Chunk::Call),
        Some(Kind::Error) => Some(Chunk::Error(or(text(props, "message"), "An error occurred"))),
        Some(Kind::Action | Kind::Event) => None,
        None if message.kind.is_empty() => None,
        Some(Kind::Image | Kind::Audio | Kind::Video) | None => Some(Chunk::Content(links.link(message)?)),
    })
}

fn text<'a>(props: &'a Props, key: &str) -> &'a str {
    props.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn some_text(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

fn or(text: &str, default: &str) -> String {
    some_text(text).unwrap_or_else(|| default.to_owned())
}
