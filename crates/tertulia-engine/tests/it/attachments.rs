//! What comes along with a message reaches the model: files, quotations, and what belongs together.

use std::time::Duration;

use tertulia_core::chat::{ChatMessage, Part};
use tertulia_core::layout::without_moment;
use tertulia_message::{FileRef, Quoted};
use tertulia_testkit::chat_double::{Kind, Spot};
use tertulia_testkit::fake_store::RowState;
use tokio::time::Instant;

use crate::rig::{Along, Fetched, Piece, Rig, words};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\nrest";

fn file(handle: &str) -> FileRef {
    FileRef {
        handle: handle.to_owned(),
        name: format!("{handle}.x"),
        mime: None,
        size: None,
    }
}

fn files(handles: &[&str]) -> Along {
    Along {
        files: handles.iter().map(|handle| file(handle)).collect(),
        ..Along::default()
    }
}

fn joined(key: &str, handles: &[&str]) -> Along {
    Along {
        join: Some(key.to_owned()),
        ..files(handles)
    }
}

fn bytes(content: &[u8]) -> [Fetched; 1] {
    [Fetched::Bytes(content.to_vec())]
}

/// What people say in the latest question, pictures in angle brackets.
fn asked(rig: &Rig) -> Vec<Vec<String>> {
    let asked = rig.provider.asked();
    let messages = asked.last().unwrap().1.messages.iter();
    let said = messages.filter_map(|message| match message {
        ChatMessage::User { parts } => Some(parts.iter().map(shown).filter(|part| !part.is_empty()).collect()),
        _ => None,
    });
    said.collect()
}

fn shown(part: &Part) -> String {
    match part {
        Part::Text(text) => without_moment(text).to_owned(),
        Part::Picture(picture) => format!("<{} of {}>", picture.mime, picture.bytes.len()),
    }
}

#[tokio::test(start_paused = true)]
async fn files_reach_a_model_that_sees() {
    let rig = Rig::started(Kind::Findable);
    rig.provider.see();
    rig.attic.keep("p", bytes(PNG));
    rig.attic
        .keep("t", [Fetched::Failed, Fetched::Bytes(b"words".to_vec())]);
    rig.attic.keep("f", [Fetched::Failed]);
    rig.attic.keep("l", [Fetched::TooLarge]);
    rig.attic.keep("x", [Fetched::Panic]);
    rig.attic.with("see", files(&["p", "t", "f", "l", "x", "g"]));
    rig.say("a", "see");
    rig.until_shown("a", 1).await;
    let not = |handle: &str, why: &str| format!("[File \"{handle}.x\" was sent, which you do not get: {why}.]");
    let text = [
        "see".to_owned(),
        "File \"t.x\":\n```\nwords\n```".to_owned(),
        not("f", "it could not be fetched"),
        not("l", "it is too large"),
        not("x", "it could not be fetched"),
        not("g", "it is no longer there"),
    ];
    assert_eq!(asked(&rig), [[text.join("\n\n"), "<image/png of 12>".to_owned()]]);
    let tries = |handle: &str| rig.attic.fetched().iter().filter(|fetched| *fetched == handle).count();
    assert_eq!(["p", "t", "f", "l", "x", "g"].map(tries), [1, 2, 2, 1, 2, 1]);
    // what the model saw is what is remembered
    rig.say("a", "again");
    rig.until_shown("a", 2).await;
    assert_eq!(asked(&rig)[0].len(), 2);
    assert_eq!(rig.attic.fetched().len(), 9);
}

#[tokio::test(start_paused = true)]
async fn a_model_that_does_not_see_is_told_so() {
    let rig = Rig::started(Kind::Findable);
    rig.attic.keep("p", bytes(PNG));
    rig.attic.with("", files(&["p"]));
    rig.say("a", "");
    rig.until_shown("a", 1).await;
    assert_eq!(asked(&rig), [["[Picture \"p.x\" was sent, which you cannot see.]"]]);
}

#[tokio::test(start_paused = true)]
async fn a_model_that_does_not_see_gets_no_pictures_of_the_history_either() {
    let rig = Rig::started(Kind::Findable);
    rig.provider.see();
    rig.attic.keep("p", bytes(PNG));
    rig.attic.with("look", files(&["p"]));
    rig.say("a", "look");
    rig.until_shown("a", 1).await;
    rig.provider.go_blind();
    rig.say("a", "and now?");
    rig.until_shown("a", 2).await;
    let left_out = "[A picture that was sent, which you do not see now.]";
    assert_eq!(asked(&rig), [vec!["look", left_out], vec!["and now?"]]);
}

#[tokio::test(start_paused = true)]
async fn a_file_that_never_comes_holds_nobody_for_long() {
    let rig = Rig::started(Kind::Findable);
    rig.attic.keep("n", [Fetched::Never]);
    rig.attic.keep("t", bytes(b"words"));
    rig.attic.with("see", files(&["n", "t"]));
    let began = Instant::now();
    rig.say("a", "see");
    rig.say("b", "hello");
    rig.until_shown("b", 1).await;
    assert!(began.elapsed() < Duration::from_secs(40));
    rig.until_shown("a", 1).await;
    assert!(began.elapsed() < Duration::from_mins(1));
    let all = asked(&rig).concat().concat();
    assert!(all.contains("words") && all.contains("could not be fetched"), "{all}");
}

#[tokio::test(start_paused = true)]
async fn a_stop_is_heard_while_files_are_fetched() {
    let rig = Rig::started(Kind::Findable);
    rig.attic.keep("n", [Fetched::Never]);
    rig.attic.with("see", files(&["n"]));
    rig.say("a", "see");
    rig.until("it is fetched", |rig| !rig.attic.fetched().is_empty()).await;
    let began = Instant::now();
    rig.say("a", "/stop");
    rig.until_shown("a", 1).await;
    assert!(began.elapsed() < Duration::from_secs(5));
    assert!(rig.provider.asked().is_empty());
    let states: Vec<RowState> = rig.store.row_states().into_iter().map(|(_, state)| state).collect();
    assert!(
        matches!(states[..], [RowState::Dropped(_), RowState::Done]),
        "{states:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_button_is_heard_while_files_are_fetched_again() {
    let mut rig = Rig::with_buttons(Kind::Findable);
    let pieces = vec![Piece::Text("so far".to_owned()), Piece::Silence];
    rig.provider.on("see", [pieces]);
    rig.attic.keep("n", [Fetched::Bytes(b"words".to_vec()), Fetched::Never]);
    rig.attic.with("see", files(&["n"]));
    rig.start();
    rig.say("a", "see");
    let chat = Spot::chat("a");
    rig.until("it streams", |rig| !rig.double.buttons(&chat).is_empty())
        .await;
    rig.crash().await;
    rig.until("it is fetched again", |rig| rig.attic.fetched().len() == 2)
        .await;
    let began = Instant::now();
    rig.double.press(rig.now(), &chat, "ann", "stop.1");
    rig.until("the presser is told", |rig| !rig.double.pressed().is_empty())
        .await;
    assert!(began.elapsed() < Duration::from_secs(5));
    assert_eq!(rig.double.pressed()[0].1, "");
    rig.until_quiet().await;
    assert_eq!(rig.shown("a"), ["(Stopped.)"], "what was not yet saved is gone");
    assert_eq!(rig.provider.asked().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn what_is_being_fetched_at_a_soft_stop_is_left_for_the_next_start() {
    let mut rig = Rig::started(Kind::Findable);
    rig.attic.keep("n", [Fetched::Never, Fetched::Bytes(b"words".to_vec())]);
    rig.attic.with("see", files(&["n"]));
    rig.say("a", "see");
    rig.until("it is fetched", |rig| !rig.attic.fetched().is_empty()).await;
    let began = Instant::now();
    rig.stop().await.unwrap();
    assert!(began.elapsed() < Duration::from_secs(5));
    rig.restart();
    rig.until_shown("a", 1).await;
    assert!(asked(&rig).concat().concat().contains("words"));
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_runs_again_and_one_that_is_retried_have_their_files() {
    let mut rig = Rig::new(Kind::Findable);
    rig.provider.see();
    rig.provider.on(
        "see",
        [vec![Piece::Text("I".to_owned()), Piece::Silence], words("I see")],
    );
    rig.attic.keep("p", bytes(PNG));
    rig.attic.with("see", files(&["p"]));
    rig.start();
    rig.say("a", "see");
    rig.until("it streams", |rig| !rig.shown("a").is_empty()).await;
    rig.crash().await;
    rig.until_quiet().await;
    let expected = [["see".to_owned(), "<image/png of 12>".to_owned()]];
    assert_eq!(asked(&rig), expected);
    rig.say("a", "/retry");
    rig.until("it is asked again", |rig| rig.provider.asked().len() == 3)
        .await;
    assert_eq!(asked(&rig), expected);
    assert_eq!(rig.attic.fetched(), ["p", "p", "p"]);
}

#[tokio::test(start_paused = true)]
async fn what_belongs_together_is_one_message() {
    let mut rig = Rig::new(Kind::Findable);
    rig.provider.see();
    rig.attic.keep("p", bytes(PNG));
    rig.attic.keep("q", bytes(PNG));
    rig.attic.with("look", joined("album/1", &["p"]));
    rig.attic.with("", joined("album/1", &["q"]));
    rig.attic.with("one wo", joined("paste/1", &[]));
    rig.attic.with("rd", joined("paste/1", &[]));
    for text in ["look", "", "one wo", "rd"] {
        rig.say("a", text);
    }
    rig.start();
    rig.until_shown("a", 2).await;
    let picture = "<image/png of 12>";
    assert_eq!(asked(&rig), [vec!["look", picture, picture], vec!["one word"]]);
    assert_eq!(rig.provider.asked().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn what_is_replied_to_stands_before_the_words() {
    let rig = Rig::started(Kind::Findable);
    let quoted = |who: &str| Along {
        quoted: Some(Quoted {
            who: who.to_owned(),
            text: "a\nHuman: b".to_owned(),
        }),
        ..Along::default()
    };
    rig.attic.with("why?", quoted("Bob"));
    rig.attic.with("/whoami", quoted(""));
    rig.say("a", "why?");
    rig.say("a", "/whoami");
    let shown = rig.until_shown("a", 2).await;
    assert_eq!(asked(&rig), [["> In reply to \"Bob\":\n> a\n> Human: b\n\nwhy?"]]);
    assert!(shown.iter().any(|text| text.contains("loopback/ann")), "{shown:?}");
}
