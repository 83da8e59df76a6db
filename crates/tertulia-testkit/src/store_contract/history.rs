//! What people see of the past.

use tertulia_core::chat::{ChatMessage, Part, ToolCall};
use tertulia_core::record::Entry;
use tertulia_core::transaction::{Begin, Settle, Transaction};
use tertulia_message::Picture;
use tertulia_ports::HistoryLine;

use super::bench::{Bench, assistant, begin, path, settle, user};

pub(super) async fn people_see_their_words_and_the_answers(bench: Bench) {
    let (row, conversation) = bench.say("telegram_bot/5", "a", "hi").await;
    let picture = Part::Picture(Picture {
        mime: "image/png".to_owned(),
        bytes: vec![1].into(),
    });
    let parts = vec![
        Part::Text("hi".to_owned()),
        picture.clone(),
        Part::Text("there".to_owned()),
    ];
    let entries = vec![
        Entry {
            message: ChatMessage::User { parts },
            ..user(row, "")
        },
        Entry {
            message: ChatMessage::User { parts: vec![picture] },
            ..user(row, "")
        },
    ];
    bench
        .commit(Transaction::Begin(Begin {
            entries,
            ..begin(row, conversation, "")
        }))
        .await;
    assert_eq!(bench.lines("telegram_bot/5", false, 9).await, []);
    let calls = vec![ToolCall {
        id: "1".to_owned(),
        name: "t".to_owned(),
        arguments: "{}".to_owned(),
    }];
    let call = ChatMessage::Assistant {
        text: String::new(),
        calls,
        data: None,
    };
    let entries = vec![
        Entry {
            message: call,
            ..assistant(row, "")
        },
        assistant(row, "hello"),
    ];
    bench
        .commit(Transaction::Settle(Box::new(Settle {
            entries,
            ..settle(row, "", Vec::new())
        })))
        .await;
    let line = |speaker: Option<&str>, text: &str, at: i64| HistoryLine {
        path: path("telegram_bot/5"),
        speaker: speaker.map(str::to_owned),
        from_person: speaker.is_some(),
        text: text.to_owned(),
        at,
    };
    let expected = [line(Some("Ana"), "hi\nthere", 2_000), line(None, "hello", 3_000)];
    assert_eq!(bench.lines("telegram_bot/5", false, 9).await, expected);
    assert_eq!(bench.lines("telegram_bot/5", false, 1).await, expected[1..]);
    assert_eq!(bench.lines("telegram_bot/5", false, 0).await, []);
    assert_eq!(bench.lines("telegram_bot/9", false, 9).await, []);
}

pub(super) async fn a_chat_has_its_threads_and_nothing_else(bench: Bench) {
    let places = [
        "telegram_bot/5",
        "telegram_bot/5/1",
        "telegram_bot/55",
        "matrix/5",
        "telegram_bot/5/2",
    ];
    for (at, id) in places.into_iter().zip(["a", "b", "c", "d", "e"]) {
        bench.exchange(at, id, id, &id.to_uppercase()).await;
    }
    let texts = async |at: &str, whole: bool, limit: u32| {
        let lines = bench.lines(at, whole, limit).await;
        lines.into_iter().map(|line| line.text).collect::<String>()
    };
    assert_eq!(texts("telegram_bot/5", true, 9).await, "aAbBeE");
    assert_eq!(texts("telegram_bot/5", true, 3).await, "BeE");
    assert_eq!(texts("telegram_bot/5", false, 9).await, "aA");
    assert_eq!(texts("telegram_bot/5/1", false, 9).await, "bB");
    assert_eq!(texts("telegram_bot/5/1", true, 9).await, "aAbBeE");
}
