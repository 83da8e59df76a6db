//! Rows made one.

use tertulia_message::path::InterfacePath;
use tertulia_message::{Account, FileRef, Generation, PersonId, Role, SuppliedMessage};

use super::*;
use crate::record::{ConversationId, InboxId};

fn row(id: i64, body: RowBody) -> InboxRow {
    InboxRow {
        id: InboxId(id),
        account: Account {
            interface: "chat".into(),
            identity: "bot".into(),
        },
        conversation: ConversationId(1),
        path: InterfacePath::parse("chat/room").unwrap(),
        ext_id: format!("x{id}"),
        person: PersonId::new("chat", "ann"),
        body,
        join: None,
        token: None,
        accepted_at: 0,
    }
}

/// `text` said by the speaker of this number, with as many files.
fn message(number: u8, text: &str) -> RowBody {
    let file = |nth| FileRef {
        handle: format!("{number}.{nth}"),
        name: String::new(),
        mime: None,
        size: None,
    };
    RowBody::Message(MessageBody {
        text: text.into(),
        speaker: format!("speaker {number}"),
        direct: number % 2 == 1,
        files: (0..number).map(file).collect(),
        reply_to: Some(format!("r{number}")),
        quoted: None,
    })
}

fn request(texts: &[&str]) -> RowBody {
    let message = |text: &&str| SuppliedMessage {
        role: Role::User,
        text: (*text).into(),
        thinking: String::new(),
        pictures: Vec::new(),
        calls: Vec::new(),
        call_id: None,
        tool_name: None,
    };
    RowBody::Request(Box::new(Request {
        history: RequestHistory::Stored(texts.iter().map(message).collect()),
        model: "m".into(),
        system: Some("s".into()),
        tools: Vec::new(),
        generation: Generation::default(),
    }))
}

fn command() -> RowBody {
    RowBody::Command {
        name: "retry".into(),
        arguments: String::new(),
        direct: true,
        button: None,
    }
}

#[track_caller]
fn check(bodies: Vec<RowBody>, expected: Option<&RowBody>) {
    let rows: Vec<InboxRow> = (1..).zip(bodies).map(|(id, body)| row(id, body)).collect();
    assert_eq!(merged(&rows).as_ref(), expected);
}

#[test]
fn one_row_stays_as_it_is() {
    for body in [message(1, "hi"), message(2, ""), request(&["hi"])] {
        check(vec![body.clone()], Some(&body));
    }
}

#[test]
fn messages_are_joined_in_their_order() {
    let RowBody::Message(merged) = merged(&[
        row(1, message(1, "")),
        row(2, message(0, "one")),
        row(3, message(2, "")),
        row(4, message(0, "two\n")),
        row(5, message(0, "three")),
    ])
    .unwrap() else {
        panic!("no message");
    };
    assert_eq!(merged.text, "one\n\ntwo\n\n\nthree");
    let files: Vec<_> = merged.files.iter().map(|file| file.handle.as_str()).collect();
    assert_eq!(files, ["1.0", "2.0", "2.1"]);
    let first = (merged.speaker.as_str(), merged.direct, merged.reply_to.as_deref());
    assert_eq!(first, ("speaker 1", true, Some("r1")));
}

#[test]
fn pieces_of_a_text_are_joined_without_a_break() {
    let piece = |id, text| InboxRow {
        join: Some("paste/1".into()),
        ..row(id, message(1, text))
    };
    let Some(RowBody::Message(merged)) = merged(&[piece(1, "one wo"), piece(2, "rd")]) else {
        panic!("no message");
    };
    assert_eq!(merged.text, "one word");
    assert_eq!(merged.files.len(), 2);
}

#[test]
fn requests_stay_requests() {
    check(
        vec![request(&["a"]), request(&["b", "c"])],
        Some(&request(&["a", "b", "c"])),
    );
}

#[test]
fn there_has_to_be_something_to_answer() {
    check(vec![], None);
    check(vec![command()], None);
    check(vec![command(), message(1, "hi")], Some(&message(1, "hi")));
}

#[test]
fn what_was_asked_again_can_be_asked_again() {
    let again = merged(&[row(1, message(1, "a")), row(2, message(0, "b"))]);
    // the row of `/retry` is a message now
    let twice = merged(&[row(3, again.clone().unwrap())]);
    assert_eq!(twice, again);
}
