//! What a turn's people and clients said, as messages to a model.

mod compose;
mod conversation;
mod moment;
mod past;
mod prompt;
mod question;
mod quotation;
mod request;
mod said;
mod textual;

use tertulia_message::{Request, RequestHistory, Role, SuppliedMessage};

use crate::attachment::Attachments;
use crate::chat::{ChatMessage, Part, ToolCall, ToolResult, ToolStatus};
use crate::record::{Entry, InboxRow, MessageBody, RowBody};

pub use compose::SystemParts;
pub(crate) use conversation::Conversation;
pub use moment::without_moment;
pub use prompt::prompt;
pub use question::{Question, USUAL_HISTORY};
pub use request::{Asked, PATH_PARAMETER};
use said::Sight;

/// The base of the system prompt where nothing else is set.
pub const DEFAULT_SYSTEM: &str = "You are a helpful AI assistant.";

/// What the rows of a turn add to the conversation, oldest first: messages that belong together as one, every other one by
/// itself. `vision`: whether the model sees pictures; where it does not, it is told that there are some.
#[must_use]
pub fn entries(rows: &[InboxRow], attachments: &Attachments, vision: bool) -> Vec<Entry> {
    let sight = Sight { attachments, vision };
    let groups = rows.chunk_by(|before, row| row.belongs_to(before));
    groups.flat_map(|rows| group_entries(rows, sight)).collect()
}

fn group_entries(rows: &[InboxRow], sight: Sight<'_>) -> Vec<Entry> {
    let Some(first) = rows.first() else { return Vec::new() };
    let entry = |speaker: Option<String>, message| Entry {
        turn: Some(first.id),
        speaker,
        message,
        cut: false,
    };
    match &first.body {
        RowBody::Message(body) => {
            let bodies: Vec<&MessageBody> = rows.iter().filter_map(message).collect();
            let parts = said::parts(&bodies, first.is_piece(), sight);
            vec![entry(Some(body.speaker.clone()), ChatMessage::User { parts })]
        }
        RowBody::Command { .. } => Vec::new(),
        RowBody::Request(request) => supplied(request)
            .into_iter()
            .map(|message| entry(None, message))
            .collect(),
    }
}

fn message(row: &InboxRow) -> Option<&MessageBody> {
    match &row.body {
        RowBody::Message(body) => Some(body),
        RowBody::Command { .. } | RowBody::Request(_) => None,
    }
}

/// The messages that a request brings.
#[must_use]
pub fn supplied(request: &Request) -> Vec<ChatMessage> {
    let (RequestHistory::Stored(messages) | RequestHistory::Supplied(messages)) = &request.history;
    let mut out = Vec::new();
    for message in messages {
        match message.role {
            Role::User => out.push(ChatMessage::User { parts: parts(message) }),
            Role::Assistant => out.push(ChatMessage::Assistant {
                text: message.text.clone(),
                calls: message
                    .calls
                    .iter()
                    .map(|call| ToolCall {
                        id: call.id.clone(),
                        name: call.name.clone(),
                        arguments: call.arguments.clone(),
                    })
                    .collect(),
                data: None,
            }),
            Role::Tool => add_result(&mut out, message),
        }
    }
    out
}

fn parts(message: &SuppliedMessage) -> Vec<Part> {
    let text = (!message.text.is_empty() || message.pictures.is_empty()).then(|| Part::Text(message.text.clone()));
    text.into_iter()
        .chain(message.pictures.iter().cloned().map(Part::Picture))
        .collect()
}

/// Results of one round stand together; one without a matching call goes as a person's message.
fn add_result(out: &mut Vec<ChatMessage>, message: &SuppliedMessage) {
    let Some((call_id, name)) = open_call(out, message) else {
        out.push(ChatMessage::user(format!(
            "Result of {}:\n{}",
            message.tool_name.as_deref().unwrap_or("a tool"),
            message.text
        )));
        return;
    };
    let result = ToolResult {
        call_id,
        name,
        status: ToolStatus::Ok,
        content: message.text.clone(),
    };
    match out.last_mut() {
        Some(ChatMessage::Tool { results }) => results.push(result),
        _ => out.push(ChatMessage::Tool { results: vec![result] }),
    }
}

/// The call that a result answers: the one it names by id, else the first open one of that tool, else the first open one.
fn open_call(out: &[ChatMessage], message: &SuppliedMessage) -> Option<(String, String)> {
    let (answered, calls) = match out {
        [.., ChatMessage::Assistant { calls, .. }, ChatMessage::Tool { results }] => (results.as_slice(), calls),
        [.., ChatMessage::Assistant { calls, .. }] => (&[][..], calls),
        _ => return None,
    };
    let mut open = calls
        .iter()
        .filter(|call| !answered.iter().any(|result| result.call_id == call.id));
    let call = match (&message.call_id, &message.tool_name) {
        (Some(id), _) => open.find(|call| &call.id == id),
        (None, Some(name)) => open.find(|call| &call.name == name),
        (None, None) => open.next(),
    }?;
    Some((call.id.clone(), call.name.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{ConversationId, InboxId};
    use tertulia_message::path::InterfacePath;
    use tertulia_message::{Account, PersonId, SuppliedCall};

    fn said(role: Role, text: &str) -> SuppliedMessage {
        SuppliedMessage {
            role,
            text: text.into(),
            thinking: String::new(),
            pictures: Vec::new(),
            calls: Vec::new(),
            call_id: None,
            tool_name: None,
        }
    }

    fn request(messages: Vec<SuppliedMessage>) -> Request {
        Request {
            history: RequestHistory::Supplied(messages),
            model: "tertulia".into(),
            system: None,
            tools: Vec::new(),
            generation: tertulia_message::Generation::default(),
        }
    }

    #[test]
    fn results_without_ids_find_their_calls() {
        let calls = ["a", "b"]
            .map(|id| SuppliedCall {
                id: id.into(),
                name: "now".into(),
                arguments: "{}".into(),
            })
            .to_vec();
        let got = supplied(&request(vec![
            said(Role::User, "when?"),
            SuppliedMessage {
                calls,
                ..said(Role::Assistant, "")
            },
            said(Role::Tool, "1"),
            said(Role::Tool, "2"),
            said(Role::Tool, "3"),
        ]));
        let Some(ChatMessage::Tool { results }) = got.get(2) else {
            panic!("{got:?}")
        };
        assert_eq!(
            results.iter().map(|result| result.call_id.as_str()).collect::<Vec<_>>(),
            ["a", "b"]
        );
        assert_eq!(got.get(3), Some(&ChatMessage::user("Result of a tool:\n3")));
    }

    fn row(id: i64, person: &str, join: Option<&str>, text: &str) -> InboxRow {
        InboxRow {
            id: InboxId(id),
            account: Account {
                interface: "chat".into(),
                identity: "bot".into(),
            },
            conversation: ConversationId(1),
            path: InterfacePath::parse("chat/room").unwrap(),
            ext_id: id.to_string(),
            person: PersonId::new("chat", person),
            body: RowBody::Message(MessageBody {
                text: text.into(),
                speaker: person.into(),
                ..MessageBody::default()
            }),
            join: join.map(str::to_owned),
            token: None,
            accepted_at: 0,
        }
    }

    #[test]
    fn only_what_belongs_together_is_one_message() {
        let rows = [
            row(1, "ann", Some("paste/1"), "one wo"),
            row(2, "ann", Some("paste/1"), "rd"),
            row(3, "ann", Some("album/1"), "a"),
            row(4, "ann", Some("album/1"), "b"),
            row(5, "bob", Some("album/1"), "c"),
            row(6, "bob", None, "d"),
            row(7, "bob", None, "e"),
        ];
        let got: Vec<_> = entries(&rows, &Attachments::new(), false)
            .into_iter()
            .map(|entry| (entry.turn, entry.message))
            .collect();
        let album = ChatMessage::User {
            parts: ["\"ann\": a", "b"].map(|text| Part::Text(text.into())).to_vec(),
        };
        let expected = [
            (1, ChatMessage::user("\"ann\": one word")),
            (3, album),
            (5, ChatMessage::user("\"bob\": c")),
            (6, ChatMessage::user("\"bob\": d")),
            (7, ChatMessage::user("\"bob\": e")),
        ];
        assert_eq!(got, expected.map(|(id, message)| (Some(InboxId(id)), message)));
    }
}
