//! Buttons below answers: whom they obey, what they do, and how the presser hears of it.

use std::time::Duration;

use tertulia_core::provider::ProviderFault;
use tertulia_message::{Addressed, SlotKind};
use tertulia_testkit::chat_double::{CallKind, Expected, Fault, Faults, Kind, Said, Spot};
use tertulia_testkit::fake_store::RowState;

use super::told::governing;
use crate::rig::{Mood, Piece, Rig, words};

const DONE: &str = "It is done already.";
const NOT_YOURS: &str = "This button is for whoever asked.";
const NOT_LAST: &str = "Only the last answer can be tried again.";

/// A stream that shows something and then says nothing more.
fn endless() -> Vec<Piece> {
    vec![Piece::Text("so far".to_owned()), Piece::Silence]
}

fn failing() -> Vec<Piece> {
    vec![Piece::Refuse(ProviderFault::Rejected)]
}

fn room() -> Spot {
    Spot::chat("room")
}

/// The tokens of the buttons that people see in the room.
fn tokens(rig: &Rig) -> Vec<String> {
    rig.double
        .buttons(&room())
        .into_iter()
        .map(|(_, token)| token)
        .collect()
}

/// What somebody reads who presses this in the room.
async fn press(rig: &Rig, who: &str, token: &str) -> String {
    press_at(rig, &room(), who, token).await
}

async fn press_at(rig: &Rig, spot: &Spot, who: &str, token: &str) -> String {
    let id = rig.double.press(rig.now(), spot, who, token);
    let read = |rig: &Rig| {
        let mut pressed = rig.double.pressed().into_iter();
        pressed.find_map(|(press, text)| (press == id).then_some(text))
    };
    rig.until("the presser is told", |rig| read(rig).is_some()).await;
    read(rig).unwrap()
}

fn ask(rig: &Rig, who: &str, text: &str) {
    rig.say_at(Said::at(room(), who, text, Addressed::Mention));
}

/// Bob's endless answer is being written in the room. Ann is admin, Ted trusted, Bob a user.
async fn bob_streams() -> Rig {
    let mut rig = governing(Rig::with_buttons(Kind::Findable));
    rig.start();
    rig.provider.on("long", [endless(), words("to the end")]);
    ask(&rig, "bob", "long");
    rig.until("it streams", |rig| !tokens(rig).is_empty()).await;
    assert_eq!(tokens(&rig), ["stop.1"]);
    rig
}

/// Bob's question has failed in the room.
async fn bob_failed() -> Rig {
    let mut rig = governing(Rig::with_buttons(Kind::Findable));
    rig.start();
    rig.provider.on("riddle", [failing(), words("a second try")]);
    ask(&rig, "bob", "riddle");
    rig.until_shown("room", 1).await;
    assert_eq!(tokens(&rig), ["retry.1"]);
    rig
}

#[tokio::test(start_paused = true)]
async fn whoever_asked_stops_the_answer_and_nothing_else() {
    let rig = bob_streams().await;
    ask(&rig, "ted", "one");
    rig.until("it waits", |rig| rig.store.row_states().len() == 2).await;
    assert_eq!(press(&rig, "bob", "stop.1").await, "");
    let shown = rig.until_shown("room", 2).await;
    assert_eq!(
        shown,
        ["so far\n\n(Stopped.)", "You said \"ted\": one."],
        "what waited is answered"
    );
    assert_eq!(tokens(&rig), ["retry.1"]);
    let replies = rig.store.slots();
    assert!(
        replies.iter().all(|slot| slot.id.kind == SlotKind::Answer),
        "{replies:?}"
    );
    assert_eq!(press(&rig, "bob", "stop.1").await, DONE);
}

#[tokio::test(start_paused = true)]
async fn nobody_else_may_but_an_admin() {
    let rig = bob_streams().await;
    assert_eq!(press(&rig, "ted", "stop.1").await, NOT_YOURS);
    let rows = rig.store.row_states().len();
    assert_eq!(press(&rig, "eve", "stop.1").await, NOT_YOURS, "a stranger");
    assert_eq!(rig.store.row_states().len(), rows, "of whom nothing is kept");
    assert_eq!(rig.provider.open(), 1, "it goes on");
    assert_eq!(press(&rig, "ann", "stop.1").await, "");
    assert_eq!(rig.provider.open(), 0);
    assert_eq!(press(&rig, "ted", "retry.1").await, NOT_YOURS);
    assert_eq!(press(&rig, "ann", "retry.1").await, "");
    let shown = rig.until_shown("room", 2).await;
    assert_eq!(shown[1], "to the end");
}

#[tokio::test(start_paused = true)]
async fn a_token_is_good_in_its_own_conversation_only() {
    let rig = bob_streams().await;
    let elsewhere = Spot::chat("bob");
    rig.say_at(Said::direct("bob", "bob", "hello"));
    rig.until("it is answered", |rig| !rig.shown("bob").is_empty()).await;
    assert_eq!(press_at(&rig, &elsewhere, "bob", "stop.1").await, NOT_YOURS);
    assert_eq!(press_at(&rig, &elsewhere, "bob", "retry.1").await, NOT_YOURS);
    assert_eq!(rig.provider.open(), 1, "it goes on");
}

#[tokio::test(start_paused = true)]
async fn what_was_made_up_does_nothing() {
    let rig = bob_streams().await;
    ask(&rig, "ted", "one");
    rig.until("it waits", |rig| rig.store.row_states().len() == 2).await;
    for token in ["stop.2", "stop.999", "stop.9223372036854775807"] {
        assert_eq!(press(&rig, "ted", token).await, DONE, "{token}");
    }
    for token in ["retry.2", "retry.999"] {
        assert_eq!(press(&rig, "ted", token).await, NOT_LAST, "{token}");
    }
    assert_eq!(press(&rig, "bob", "retry.1").await, NOT_LAST, "it still runs");
    let rows = rig.store.row_states().len();
    for token in ["stop", "new.1", "/stop", "stop.1 "] {
        rig.double.press(rig.now(), &room(), "bob", token);
    }
    rig.until("they are taken in", |rig| {
        rig.double.waiting(Some(rig.double.confirmed())) == 0
    })
    .await;
    assert_eq!((rig.store.row_states().len(), rig.provider.open()), (rows, 1));
    assert_eq!(press(&rig, "bob", "stop.1").await, "");
}

#[tokio::test(start_paused = true)]
async fn what_failed_is_tried_again_once() {
    let rig = bob_failed().await;
    assert_eq!(press(&rig, "bob", "stop.1").await, DONE);
    assert_eq!(press(&rig, "bob", "retry.1").await, "");
    let shown = rig.until_shown("room", 2).await;
    assert_eq!(shown[1], "a second try");
    assert_eq!(press(&rig, "bob", "retry.1").await, NOT_LAST);
    rig.until_quiet().await;
    assert_eq!((rig.provider.asked().len(), rig.shown("room").len()), (2, 2));
}

/// Two presses before the first one is done.
#[tokio::test(start_paused = true)]
async fn two_presses_at_once_are_one_try() {
    let rig = bob_failed().await;
    for _ in 0..2 {
        rig.double.press(rig.now(), &room(), "bob", "retry.1");
    }
    rig.until("both are told", |rig| rig.double.pressed().len() == 2).await;
    rig.until_quiet().await;
    let told: Vec<String> = rig.double.pressed().into_iter().map(|(_, text)| text).collect();
    assert_eq!(told, ["", NOT_LAST]);
    assert_eq!(rig.provider.asked().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn an_older_answer_is_not_tried_again_and_stops_nothing() {
    let rig = bob_failed().await;
    rig.provider.on("long", [endless()]);
    ask(&rig, "ted", "long");
    rig.until("it streams", |rig| rig.provider.open() == 1).await;
    assert_eq!(press(&rig, "bob", "retry.1").await, NOT_LAST);
    assert_eq!(rig.provider.open(), 1, "it goes on");
    assert_eq!(press(&rig, "ted", "stop.2").await, "");
    rig.until_quiet().await;
    assert_eq!(press(&rig, "bob", "retry.1").await, NOT_LAST);
    assert_eq!(tokens(&rig).last().map(String::as_str), Some("retry.2"));
}

#[tokio::test(start_paused = true)]
async fn what_is_settled_and_not_yet_shown_is_held_back() {
    let mut rig = Rig::with_buttons(Kind::Findable);
    rig.hide_progress();
    rig.start();
    rig.say("a", "warm up");
    rig.until_shown("a", 1).await;
    rig.chat.slow_deliveries(Duration::from_secs(30));
    rig.provider.on("long", [words(&"word ".repeat(100))]);
    rig.say("a", "long");
    rig.until("it is settled", |rig| {
        let states = rig.store.row_states();
        states.len() == 2 && states[1].1 == RowState::Done
    })
    .await;
    assert_eq!(press_at(&rig, &Spot::chat("a"), "ann", "stop.2").await, "");
    rig.until_quiet().await;
    let shown = rig.shown("a");
    assert!(shown.len() < 5 && shown[1].starts_with("word word"), "{shown:#?}");
    assert!(shown.last().unwrap().ends_with("(Stopped.)"), "{shown:#?}");
    let buttons = rig.double.buttons(&Spot::chat("a"));
    assert_eq!(buttons.len(), 1, "{buttons:?}");
    assert_eq!(buttons[0].1, "retry.2");
}

/// The process dies between acceptance and the deed.
#[tokio::test(start_paused = true)]
async fn a_press_left_over_is_done_by_the_next_start() {
    let mut rig = bob_streams().await;
    let rows = rig.store.row_states().len();
    rig.double.press(rig.now(), &room(), "bob", "stop.1");
    rig.until("it is accepted", |rig| {
        let is_accepted = rig.store.row_states().len() > rows;
        if is_accepted {
            rig.moody.feel(Mood::Busy);
        }
        is_accepted
    })
    .await;
    rig.moody.feel(Mood::Well);
    rig.crash().await;
    rig.until_quiet().await;
    assert_eq!(rig.shown("room"), ["so far\n\n(Stopped.)"]);
    assert_eq!(tokens(&rig), ["retry.1"]);
    assert_eq!(rig.double.pressed().len(), 1);
}

/// Rows keep their numbers.
#[tokio::test(start_paused = true)]
async fn buttons_of_a_conversation_that_moved_still_work() {
    let rig = bob_failed().await;
    rig.double
        .plan(Faults::none().next(CallKind::Post, Fault::Moved("hall".to_owned())));
    ask(&rig, "ted", "one");
    rig.until_shown("hall", 2).await;
    rig.provider.on("more", [endless()]);
    let hall = Spot::chat("hall");
    rig.say_at(Said::at(hall.clone(), "bob", "more", Addressed::Mention));
    rig.until("it streams", |rig| rig.provider.open() == 1).await;
    rig.until("it can be stopped", |rig| rig.double.buttons(&hall).len() == 2)
        .await;
    assert_eq!(press_at(&rig, &hall, "bob", "retry.1").await, NOT_LAST);
    assert_eq!(press_at(&rig, &hall, "bob", "stop.3").await, "");
    rig.until_quiet().await;
    assert_eq!(rig.double.buttons(&hall).last().unwrap().1, "retry.3");
}

#[tokio::test(start_paused = true)]
async fn no_message_follows_a_press() {
    let rig = bob_streams().await;
    for (who, token) in [
        ("ted", "stop.1"),
        ("bob", "stop.1"),
        ("bob", "stop.1"),
        ("bob", "retry.1"),
    ] {
        press(&rig, who, token).await;
    }
    rig.until_quiet().await;
    let kinds: Vec<SlotKind> = rig.store.slots().iter().map(|slot| slot.id.kind).collect();
    assert_eq!(kinds, [SlotKind::Answer, SlotKind::Answer]);
    rig.judge(&|question| {
        if question.text.starts_with("stop.") {
            Expected::Nothing
        } else {
            Expected::Any
        }
    });
}

#[tokio::test(start_paused = true)]
async fn too_many_presses_are_told_to_the_presser_alone() {
    let mut rig = governing(Rig::with_buttons(Kind::Findable));
    rig.settings.queue_bound = 1;
    rig.start();
    rig.provider.on("riddle", [failing()]);
    ask(&rig, "bob", "riddle");
    rig.until_shown("room", 1).await;
    rig.moody.slow("reply", Duration::from_mins(1));
    for _ in 0..3 {
        rig.double.press(rig.now(), &room(), "ted", "retry.1");
    }
    rig.until("they are accepted", |rig| rig.store.row_states().len() == 4)
        .await;
    rig.until("all are told", |rig| rig.double.pressed().len() == 3).await;
    rig.until_quiet().await;
    let mut told: Vec<String> = rig.double.pressed().into_iter().map(|(_, text)| text).collect();
    told.sort();
    let too_fast = "That is more than I can take in at once. Please wait for the answers, then go on.";
    assert_eq!(told, [too_fast, too_fast, NOT_YOURS]);
    let kinds: Vec<SlotKind> = rig.store.slots().iter().map(|slot| slot.id.kind).collect();
    assert_eq!(kinds, [SlotKind::Answer]);
}
