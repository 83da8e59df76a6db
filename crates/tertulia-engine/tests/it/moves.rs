//! A platform says that a chat has a new address: everything goes on there, and nothing is lost.

use std::time::Duration;

use tertulia_core::access::AccessRules;
use tertulia_core::provider::Stop;
use tertulia_message::{Addressed, Level, PersonId};
use tertulia_testkit::chat_double::{Expected, Kind, Said, Spot};

use crate::rig::{Mood, Piece, Rig};

fn text(text: &str) -> Piece {
    Piece::Text(text.to_owned())
}

fn at(rig: &Rig, chat: &str, thread: &str, who: &str, text: &str) {
    rig.say_at(Said::at(Spot::thread(chat, thread), who, text, Addressed::Mention));
}

fn shown(rig: &Rig, chat: &str, thread: &str) -> Vec<String> {
    rig.shown_at(&Spot::thread(chat, thread))
}

/// Ann governs; whoever speaks in the old chat may, by command.
async fn governed() -> Rig {
    let mut rig = Rig::new(Kind::Findable);
    rig.settings.access = AccessRules {
        people: [(PersonId::new("loopback", "ann"), Level::Admin)].into(),
        ..AccessRules::default()
    };
    let long = vec![
        text("so far"),
        Piece::Wait(Duration::from_mins(1)),
        text(" and on"),
        Piece::End(Stop::Done),
    ];
    rig.provider.on("long", [long]);
    rig.start();
    at(&rig, "old", "1", "ann", "/system be brief");
    rig.until("it is set", |rig| shown(rig, "old", "1").len() == 1).await;
    at(&rig, "old", "1", "ann", "/allow chat");
    rig.until("it is permitted", |rig| shown(rig, "old", "1").len() == 2)
        .await;
    rig
}

/// The base of the last system prompt.
fn base(rig: &Rig) -> String {
    let system = rig.provider.asked().last().unwrap().1.system.clone();
    system.split("\n\n## ").next().unwrap().to_owned()
}

#[tokio::test(start_paused = true)]
async fn a_chat_moves_with_its_threads_while_an_answer_streams() {
    let rig = governed().await;
    at(&rig, "old", "1", "bob", "long");
    at(&rig, "old", "2", "bob", "hello");
    rig.until("one streams, one is done", |rig| {
        shown(rig, "old", "1").len() == 3 && shown(rig, "old", "2").len() == 1
    })
    .await;
    rig.double.move_chat(rig.now(), "old", "new");
    at(&rig, "new", "2", "bob", "hello again");
    at(&rig, "new", "1", "eve", "after");
    rig.until("all is answered there", |rig| {
        shown(rig, "new", "1").len() == 4 && shown(rig, "new", "2").len() == 2
    })
    .await;
    rig.until_quiet().await;
    let one = shown(&rig, "new", "1");
    assert_eq!(one[2], "so far and on");
    assert_eq!(base(&rig), "be brief", "the thread's setting moved along");
    let asked = rig.provider.asked();
    let history = |question: &str| {
        let of = |(_, request): &&(_, tertulia_core::provider::ModelRequest)| {
            format!("{:?}", request.messages.last()).contains(question)
        };
        asked.iter().find(of).unwrap().1.messages.len()
    };
    assert_eq!((history("again"), history("after")), (3, 3), "so did the history");
    let written = rig.moody.written();
    let moves = written.iter().filter(|written| written.starts_with("Moved")).count();
    assert_eq!(moves, 1, "no delivery had to find out");
    rig.judge(&|_| Expected::Any);
}

#[tokio::test(start_paused = true)]
async fn what_follows_a_move_in_its_batch_is_judged_by_what_moved() {
    let mut rig = governed().await;
    rig.moody.slow_accept(Duration::from_secs(20));
    at(&rig, "old", "2", "ann", "first");
    rig.until("it is on its way", |rig| rig.store.row_states().len() == 3)
        .await;
    // while the interface waits for the store, these become one batch
    rig.double.move_chat(rig.now(), "old", "new");
    at(&rig, "new", "3", "bob", "may I?");
    rig.until("it is answered", |rig| !shown(rig, "new", "3").is_empty())
        .await;
    rig.moody.slow_accept(Duration::ZERO);
    rig.until_quiet().await;
    rig.crash().await;
    at(&rig, "new", "1", "bob", "and now?");
    rig.until("it is answered", |rig| shown(rig, "new", "1").len() == 3)
        .await;
    assert_eq!(base(&rig), "be brief");
}

#[tokio::test(start_paused = true)]
async fn a_move_that_is_handed_in_again_changes_nothing() {
    let mut rig = governed().await;
    at(&rig, "old", "1", "bob", "hello");
    rig.until("it is answered", |rig| shown(rig, "old", "1").len() == 3)
        .await;
    // the move is on disk, and nobody was told when the process dies
    rig.moody.slow("moved", Duration::from_hours(9));
    rig.double.move_chat(rig.now(), "old", "new");
    rig.until("it is written", |rig| {
        rig.moody.written().iter().any(|written| written.starts_with("Moved"))
    })
    .await;
    rig.moody.slow("", Duration::ZERO);
    let moved = tertulia_core::transaction::Transaction::Moved {
        from: "loopback/old".parse().unwrap(),
        to: "loopback/new".parse().unwrap(),
    };
    tertulia_ports::Store::commit(&*rig.store, moved).await.unwrap();
    rig.crash().await;
    rig.moody.feel(Mood::Busy);
    tokio::time::sleep(Duration::from_mins(1)).await;
    rig.moody.feel(Mood::Well);
    at(&rig, "new", "1", "bob", "still there?");
    rig.until("it is answered", |rig| shown(rig, "new", "1").len() == 4)
        .await;
    rig.until_quiet().await;
    assert_eq!(base(&rig), "be brief");
    assert_eq!(rig.provider.asked().last().unwrap().1.messages.len(), 3);
    rig.judge(&|_| Expected::Any);
}

#[tokio::test(start_paused = true)]
async fn what_waits_is_answered_in_the_conversation_that_its_own_becomes_part_of() {
    let rig = governed().await;
    at(&rig, "new", "1", "ann", "hello");
    rig.until("it is answered", |rig| shown(rig, "new", "1").len() == 1)
        .await;
    at(&rig, "old", "1", "bob", "long");
    rig.until("it streams", |rig| shown(rig, "old", "1").len() == 3).await;
    let known = rig.store.row_states().len();
    at(&rig, "old", "1", "bob", "waiting");
    rig.until("it waits", |rig| rig.store.row_states().len() == known + 1)
        .await;
    rig.double.move_chat(rig.now(), "old", "new");
    let is_answered = |rig: &Rig| shown(rig, "new", "1").iter().any(|text| text.contains("waiting"));
    rig.until("it is answered there", is_answered).await;
    rig.until_quiet().await;
    assert_eq!(rig.provider.asked().len(), 3, "each once");
    rig.judge(&|_| Expected::Any);
}
