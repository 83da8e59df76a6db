//! Messages beside the answers: `message_<interface>`.

use std::time::Duration;

use serde_json::{Value, json};
use tertulia_core::chat::{ChatMessage, ToolStatus};
use tertulia_core::provider::Stop;
use tertulia_message::{Addressed, Level, SlotKind};
use tertulia_testkit::chat_double::{Expected, Kind, Said, Spot};

use crate::rig::{Piece, Rig, call, words};

/// A person who governs, and one who does not.
const ADMIN: &str = "ann";
const USER: &str = "bob";

/// Both have said hello, each in a chat of their own.
async fn greeted() -> Rig {
    let mut rig = Rig::new(Kind::Findable);
    let admin = tertulia_message::PersonId::new("loopback", ADMIN);
    rig.settings.access.people.insert(admin, Level::Admin);
    rig.tools = tertulia_tools::messages_on(["loopback"]);
    rig.start();
    rig.say_at(Said::direct("ann", ADMIN, "hello"));
    rig.say_at(Said::direct("bob", USER, "hello"));
    rig.until_quiet().await;
    rig
}

/// Has the model call the tool once, then say so.
fn sends(rig: &Rig, question: &str, arguments: &Value) {
    let calls = vec![
        call(0, "message_loopback", &arguments.to_string()),
        Piece::End(Stop::ToolCalls),
    ];
    rig.provider.on(question, [calls, words("done")]);
}

/// What the model read as the result of its last call.
fn result(rig: &Rig) -> (ToolStatus, String) {
    let asked = rig.provider.asked();
    match asked.last().unwrap().1.messages.last() {
        Some(ChatMessage::Tool { results }) => (results[0].status, results[0].content.clone()),
        other => panic!("no result: {other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn a_message_is_sent_beside_the_answer_and_stands_once_in_the_history() {
    let rig = greeted().await;
    sends(&rig, "tell me", &json!({"text": "**Lunch** is\u{202e} ready."}));
    rig.say_at(Said::direct("bob", USER, "tell me"));
    rig.until_shown("bob", 3).await;
    assert_eq!(result(&rig), (ToolStatus::Ok, "sent to loopback/bob".to_owned()));
    let mut shown = rig.shown("bob").split_off(1);
    shown.sort();
    assert_eq!(shown, ["Lunch is ready.", "done"]);
    rig.double.expect_beside(&["Lunch is ready."]);
    rig.judge(&|_| Expected::Any);
    rig.say_at(Said::direct("bob", USER, "and now?"));
    rig.until_shown("bob", 4).await;
    let asked = rig.provider.asked();
    let messages = &asked.last().unwrap().1.messages;
    let lunches = messages
        .iter()
        .filter(|message| format!("{message:?}").contains("Lunch"));
    assert_eq!(lunches.count(), 1, "{messages:?}");
}

#[tokio::test(start_paused = true)]
async fn what_is_said_beside_the_call_is_not_sent_once_more() {
    let rig = greeted().await;
    let calls = vec![
        Piece::Text("Lunch is ready.\n".into()),
        call(0, "message_loopback", &json!({"text": "Lunch is ready."}).to_string()),
        Piece::End(Stop::ToolCalls),
    ];
    rig.provider.on("tell me", [calls, words("Enjoy.")]);
    rig.say_at(Said::direct("bob", USER, "tell me"));
    rig.until_quiet().await;
    let (status, content) = result(&rig);
    assert!(
        status == ToolStatus::Ok && content.contains("shown already"),
        "{content}"
    );
    let shown = rig.shown("bob").split_off(1);
    assert_eq!(shown, ["Lunch is ready.\n\nEnjoy."]);
    rig.judge(&|_| Expected::Any);
}

#[tokio::test(start_paused = true)]
async fn a_long_message_is_split_as_by_say() {
    let rig = greeted().await;
    let text = "word ".repeat(1500);
    sends(&rig, "at length", &json!({"text": text}));
    rig.say_at(Said::direct("bob", USER, "at length"));
    rig.until_quiet().await;
    let slots = rig.store.slots();
    let parts = slots.iter().filter(|slot| slot.id.kind == SlotKind::Say).count();
    assert!(parts > 1, "{parts}");
    let said: String = rig.shown("bob").concat();
    assert_eq!(said.matches("word").count(), 1500);
}

#[tokio::test(start_paused = true)]
async fn whoever_governs_may_name_another_conversation() {
    let rig = greeted().await;
    sends(
        &rig,
        "tell bob",
        &json!({"text": "*Lunch*", "interface_path": "loopback/bob"}),
    );
    rig.say_at(Said::direct("ann", ADMIN, "tell bob"));
    rig.until_shown("bob", 2).await;
    assert_eq!(result(&rig), (ToolStatus::Ok, "sent to loopback/bob".to_owned()));
    assert_eq!(rig.shown("bob")[1..], ["Lunch"]);
    assert_eq!(rig.shown("ann")[1..], ["done"]);
    rig.say_at(Said::direct("bob", USER, "what?"));
    rig.until_shown("bob", 3).await;
    let asked = rig.provider.asked();
    let last = &asked.last().unwrap().1.messages;
    let said = ChatMessage::assistant("*Lunch*");
    assert!(last.contains(&said), "{last:?}");
}

#[tokio::test(start_paused = true)]
async fn others_may_write_nowhere_else_and_learn_nothing() {
    let rig = greeted().await;
    let room = Spot {
        thread: Some("corner".to_owned()),
        ..Spot::chat("room")
    };
    rig.say_at(Said::at(Spot::chat("room"), USER, "hello", Addressed::Mention));
    rig.until_quiet().await;
    for (nth, path) in [
        "loopback/ann",
        "loopback/nobody",
        "loopback/room",
        "loopback/room/other",
    ]
    .into_iter()
    .enumerate()
    {
        let question = format!("try {nth}");
        sends(&rig, &question, &json!({"text": "hi", "interface_path": path}));
        rig.say_at(Said::at(room.clone(), USER, &question, Addressed::Mention));
        rig.until_quiet().await;
        let expected = format!("no conversation that you may write to is known as {path}");
        assert_eq!(result(&rig), (ToolStatus::Failed, expected));
    }
    let said = rig.store.slots();
    assert!(said.iter().all(|slot| slot.id.kind != SlotKind::Say), "{said:?}");
    // the thread itself is where it came from
    sends(
        &rig,
        "here",
        &json!({"text": "hi", "interface_path": "loopback/room/corner"}),
    );
    rig.say_at(Said::at(room.clone(), USER, "here", Addressed::Mention));
    rig.until_quiet().await;
    assert!(rig.shown_at(&room).contains(&"hi".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_sent_is_told() {
    let rig = greeted().await;
    let long = "x".repeat(10_001);
    let table = [
        (json!({}), "text is empty"),
        (json!({"text": " \u{202e}\n"}), "text is empty"),
        (json!({"text": long}), "text has more than 10000 characters"),
        (json!({"text": "a", "interface_path": "bob"}), "is no interface path"),
        (
            json!({"text": "a", "interface_path": "loopback//x"}),
            "is no interface path",
        ),
        (
            json!({"text": "a", "interface_path": "loopback/%zz"}),
            "is no interface path",
        ),
        (
            json!({"text": "a", "interface_path": format!("loopback/{long}")}),
            "is no interface path",
        ),
        (
            json!({"text": "a", "interface_path": "door/talk"}),
            "is not on loopback",
        ),
        (
            json!({"text": "a", "interface_path": "loopback/nobody"}),
            "is known as loopback/nobody",
        ),
        (json!({"text": "a", "interface_path": 7}), "must be a string"),
    ];
    for (nth, (arguments, reason)) in table.into_iter().enumerate() {
        let question = format!("try {nth}.");
        sends(&rig, &question, &arguments);
        rig.say_at(Said::direct("ann", ADMIN, &question));
        rig.until_quiet().await;
        let (status, text) = result(&rig);
        assert!(status == ToolStatus::Failed && text.contains(reason), "{nth}: {text}");
    }
    assert!(rig.store.slots().iter().all(|slot| slot.id.kind != SlotKind::Say));
}

#[tokio::test(start_paused = true)]
async fn whoever_comes_by_a_door_is_not_even_offered_it() {
    let rig = greeted().await;
    let arguments = json!({"text": "spam", "interface_path": "loopback/ann"});
    sends(&rig, "spam", &arguments);
    rig.door.stored("r1", "visitor", "spam").await;
    rig.until("it ends", |rig| rig.door.ending("r1").is_some()).await;
    assert!(
        rig.provider
            .asked()
            .iter()
            .rev()
            .take(2)
            .all(|(_, asked)| asked.tools.is_empty())
    );
    let (status, text) = result(&rig);
    assert!(
        status == ToolStatus::Failed && text.contains("there is no tool"),
        "{text}"
    );
    sends(&rig, "passing", &arguments);
    rig.door.supplied("s1", "passing", Vec::new()).await;
    rig.until("it ends", |rig| rig.door.ending("s1").is_some()).await;
    assert_eq!(result(&rig).0, ToolStatus::Failed);
    rig.until_quiet().await;
    assert_eq!(rig.shown("ann").len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_message_is_sent_once_however_often_the_process_dies() {
    let mut rig = greeted().await;
    let calls = vec![
        call(0, "message_loopback", "{\"text\": \"first\"}"),
        Piece::End(Stop::ToolCalls),
    ];
    let more = vec![
        Piece::Wait(Duration::from_secs(5)),
        call(0, "message_loopback", "{\"text\": \"second\"}"),
        Piece::End(Stop::ToolCalls),
    ];
    rig.provider.on("twice", [calls, more.clone(), more, words("done")]);
    rig.say_at(Said::direct("bob", USER, "twice"));
    rig.until("the first is sent", |rig| {
        rig.shown("bob").contains(&"first".to_owned())
    })
    .await;
    rig.crash().await;
    rig.until_shown("bob", 4).await;
    rig.double.expect_beside(&["first", "second"]);
    let summary = rig.judge(&|_| Expected::Any);
    assert_eq!((summary.beside, summary.notices), (2, 0));
}
