//! What the double does with a question that is longer than its window.

use serde_json::Value;

/// How many bytes the double counts as one token.
const TOKEN: u64 = 4;
/// What a message and a picture count beside their text, in tokens.
const MESSAGE: u64 = 4;
const PICTURE: u64 = 576;

/// A question as the model sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Read {
    /// The tokens it reads.
    pub(super) read: u64,
    /// The tokens it never saw.
    pub(super) cut: u64,
}

/// Counts a question, and refuses or cuts it: of a chat the oldest messages go first, of a text its beginning.
pub(super) fn read(request: &Value, refuses: bool) -> Result<Read, String> {
    let window = request
        .pointer("/options/num_ctx")
        .and_then(Value::as_u64)
        .unwrap_or(4_096);
    let told = |field: &str| request.get(field) == Some(&Value::Bool(false));
    let all = weights(request);
    let total: u64 = all.iter().sum();
    if total < window {
        return Ok(Read { read: total, cut: 0 });
    }
    if refuses && told("truncate") {
        return Err(
            "the prompt is longer than the context length currently available to the model; shorten the prompt"
                .to_owned(),
        );
    }
    let mut left = total;
    for weight in all.iter().take(all.len().saturating_sub(1)) {
        if left >= window {
            left -= weight;
        }
    }
    let read = left.min(window);
    Ok(Read {
        read,
        cut: total - read,
    })
}

/// The tokens of each message, or of the prompt.
fn weights(request: &Value) -> Vec<u64> {
    let bytes = |value: Option<&Value>| match value {
        None | Some(Value::Null) => 0,
        Some(Value::String(text)) => text.len() as u64,
        Some(other) => other.to_string().len() as u64,
    };
    let pictures = |value: &Value| value.get("images").and_then(Value::as_array).map_or(0, Vec::len) as u64 * PICTURE;
    let tools = bytes(request.get("tools")).div_ceil(TOKEN);
    let message = |message: &Value| {
        let text = bytes(message.get("content")) + bytes(message.get("thinking")) + bytes(message.get("tool_calls"));
        text.div_ceil(TOKEN) + MESSAGE + pictures(message)
    };
    match request.get("messages").and_then(Value::as_array) {
        Some(messages) => std::iter::once(tools)
            .filter(|tools| *tools > 0)
            .chain(messages.iter().map(message))
            .collect(),
        None => vec![bytes(request.get("prompt")).div_ceil(TOKEN) + MESSAGE + pictures(request)],
    }
}
