//! Joins neighbouring messages of one role, for servers that insist on turns.

use super::messages::{WireContent, WireMessage, WirePart};

/// Whether two messages of a person, or two of the model, stand side by side.
pub(crate) fn are_there(messages: &[WireMessage]) -> bool {
    messages.windows(2).any(|pair| match pair {
        [one, other] => are_alike(one, other),
        _ => false,
    })
}

/// The messages with what belongs to one role joined.
pub(crate) fn joined(messages: Vec<WireMessage>) -> Vec<WireMessage> {
    let mut joined: Vec<WireMessage> = Vec::new();
    for message in messages {
        match joined.last_mut() {
            Some(last) if are_alike(last, &message) => join(last, message),
            _ => joined.push(message),
        }
    }
    joined
}

/// What called waits for its results, and so goes on no further.
fn are_alike(one: &WireMessage, other: &WireMessage) -> bool {
    match (one, other) {
        (WireMessage::User { .. }, WireMessage::User { .. }) => true,
        (WireMessage::Assistant { tool_calls, .. }, WireMessage::Assistant { .. }) => tool_calls.is_empty(),
        _ => false,
    }
}

fn join(last: &mut WireMessage, message: WireMessage) {
    match (last, message) {
        (WireMessage::User { content }, WireMessage::User { content: more }) => content.extend(more),
        (
            WireMessage::Assistant {
                content,
                tool_calls,
                returned,
            },
            WireMessage::Assistant {
                content: more,
                tool_calls: calls,
                returned: later,
            },
        ) => {
            let texts = [content.take(), more].into_iter().flatten();
            let texts: Vec<String> = texts.filter(|text| !text.is_empty()).collect();
            *content = (calls.is_empty() || !texts.is_empty()).then(|| texts.join("\n\n"));
            (*tool_calls, *returned) = (calls, later);
        }
        _ => {}
    }
}

impl WireContent {
    fn extend(&mut self, more: Self) {
        match (&mut *self, more) {
            (Self::Text(text), Self::Text(more)) => *text = format!("{text}\n\n{more}"),
            (_, more) => {
                let parts = std::mem::replace(self, Self::Parts(Vec::new())).into_parts();
                *self = Self::Parts(parts.into_iter().chain(more.into_parts()).collect());
            }
        }
    }

    fn into_parts(self) -> Vec<WirePart> {
        match self {
            Self::Text(text) => vec![WirePart::Text { text }],
            Self::Parts(parts) => parts,
        }
    }
}
