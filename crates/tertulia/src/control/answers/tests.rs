//! What of an answer goes to the client, line by line.

use serde_json::json;
use tertulia_message::Spent;

use super::*;

fn path() -> InterfacePath {
    InterfacePath::parse("console/0").unwrap()
}

fn close(finish: Finish) -> Signal {
    let spent = Spent::default();
    Signal::Close(Ending { finish, spent })
}

fn said(id: &str, text: &str, delta: bool) -> Signal {
    Signal::Emit(Message {
        id: id.to_owned(),
        delta,
        ..Message::text(text)
    })
}

fn event(data: serde_json::Value) -> Signal {
    Signal::Emit(Message::event("stream_end", "", data))
}

/// What a reader gets of these signals.
async fn outcome(signals: Vec<Signal>) -> Outcome {
    let answers = Arc::new(Answers::default());
    let reader = answers.open("a".to_owned(), path());
    for signal in signals {
        answers.signal(&path(), "a", signal);
    }
    reader.outcome().await.unwrap()
}

#[tokio::test]
async fn pieces_become_one_text_and_are_not_repeated() {
    let signals = vec![
        event(json!({})),
        said("1", "a ", true),
        said("1", "b ", true),
        said("1", "a b ", false),
        said("2", "c", false),
        close(Finish::Stop),
    ];
    assert_eq!(outcome(signals).await, Ok("a b c".to_owned()));
}

#[tokio::test]
async fn a_refusal_and_a_failure_are_errors() {
    let refused = vec![
        said("1", "no", false),
        event(json!({"refused": true})),
        close(Finish::Stop),
    ];
    assert_eq!(outcome(refused).await, Err("no".to_owned()));
    let failed = Finish::Failed {
        code: "internal",
        text: "broken".to_owned(),
    };
    assert_eq!(outcome(vec![close(failed)]).await, Err("broken".to_owned()));
}

#[tokio::test]
async fn a_longer_answer_is_cut_between_two_letters() {
    let mut signals: Vec<Signal> = (0..5).map(|_| said("1", &"ä".repeat(LONGEST / 8 + 1), true)).collect();
    signals.extend((0..40).map(|_| said("1", &"ä".repeat(LONGEST / 8 + 1), true)));
    signals.push(close(Finish::Stop));
    let text = outcome(signals).await.unwrap();
    assert!(text.len() <= LONGEST && text.len() > LONGEST - 2, "{}", text.len());
}

#[tokio::test]
async fn nothing_stays_of_a_reader_that_has_gone() {
    let answers = Arc::new(Answers::default());
    drop(answers.open("a".to_owned(), path()));
    assert!(answers.lock().is_empty());
    // and its signals are nobody's
    answers.signal(&path(), "a", said("1", "x", false));
    answers.signal(&path(), "a", close(Finish::Stop));
    assert!(answers.lock().is_empty());
}
