//! `/stop`, `/new`, `/retry` and `/forget`.

use std::sync::Arc;
use std::time::Duration;

use tertulia_core::provider::Stop;
use tertulia_core::record::ToolEffect;
use tertulia_message::{Addressed, SlotKind};
use tertulia_ports::{Desk as _, HistoryQuery};
use tertulia_testkit::chat_double::{Expected, Kind, Said, Spot};
use tertulia_testkit::fake_store::RowState;
use tokio::time::Instant;

use super::told::{ann, facts, governed, in_room, told};
use crate::rig::{Piece, Rig, TestTool, call, words};

/// A stream that shows something and then says nothing more.
fn endless() -> Vec<Piece> {
    vec![Piece::Text("so far".to_owned()), Piece::Silence]
}

fn last_row(rig: &Rig) -> RowState {
    rig.store.row_states().last().unwrap().1
}

async fn remembered(rig: &Rig, path: &str) -> Vec<String> {
    let query = HistoryQuery {
        path: path.parse().unwrap(),
        whole_chat: false,
        limit: 50,
    };
    let lines = rig.store.history(&query).await.unwrap();
    lines.into_iter().map(|line| line.text).collect()
}

#[tokio::test(start_paused = true)]
async fn stop_ends_the_turn_and_drops_what_waits_while_others_stream() {
    let rig = Rig::started(Kind::Findable);
    rig.provider.on("long", [endless()]);
    for nth in 0..20 {
        rig.say(&format!("other{nth}"), "long");
    }
    rig.say("a", "long");
    rig.until("all stream", |rig| rig.provider.open() == 21).await;
    rig.say("a", "one");
    rig.say("a", "two");
    rig.until("they wait", |rig| rig.store.row_states().len() == 23).await;
    let began = Instant::now();
    let answer = told(&rig, Said::direct("a", "ann", "/stop")).await;
    assert!(began.elapsed() < Duration::from_secs(1), "{:?}", began.elapsed());
    assert_eq!(answer, "Stopped. 2 waiting messages were dropped.");
    assert_eq!(rig.provider.open(), 20, "the others go on");
    assert_eq!(rig.shown("a")[0], "so far\n\n(Stopped.)");
    assert_eq!(
        told(&rig, Said::direct("a", "ann", "/stop")).await,
        "Nothing was running."
    );
    rig.say("a", "three");
    rig.until("it goes on", |rig| {
        rig.shown("a").contains(&"You said three.".to_owned())
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn what_is_said_in_a_thread_is_stopped_and_answered_there() {
    let rig = Rig::started(Kind::Findable);
    rig.provider.on("long", [endless()]);
    let thread = Spot::thread("room", "t");
    let say = |spot: &Spot, text: &str| Said::at(spot.clone(), "ann", text, Addressed::Mention);
    rig.say_at(say(&thread, "long"));
    rig.say_at(say(&Spot::chat("room"), "long"));
    rig.until("both stream", |rig| rig.provider.open() == 2).await;
    let answer = told(&rig, Said::at(thread.clone(), "ann", "/stop", Addressed::Command)).await;
    assert_eq!(answer, "Stopped.");
    assert_eq!(rig.provider.open(), 1, "the chat itself goes on");
    assert_eq!(rig.shown("room").len(), 1);
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_waits_for_the_platform_is_held_back() {
    let mut rig = Rig::new(Kind::Findable);
    rig.hide_progress();
    rig.start();
    rig.say("a", "warm up");
    rig.until_shown("a", 1).await;
    rig.chat.slow_deliveries(Duration::from_secs(30));
    let long = vec![Piece::Text("word ".repeat(200)), Piece::End(Stop::Done)];
    rig.provider.on("long", [long]);
    rig.say("a", "long");
    rig.until("it is settled", |rig| {
        rig.store.row_states().len() == 2 && last_row(rig) == RowState::Done
    })
    .await;
    rig.say("a", "/stop");
    rig.until("the command is done", |rig| {
        rig.store.row_states().len() == 3 && last_row(rig) == RowState::Done
    })
    .await;
    rig.until_quiet().await;
    let shown = rig.shown("a");
    // there is no room for the mark in the part that was already on its way
    let expected = ["(Stopped.)", "Stopped: what was not yet shown is held back."];
    assert!(shown[1].starts_with("word word"), "{shown:#?}");
    assert_eq!(shown[2..], expected);
    rig.judge(&|_| Expected::Any);
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_changes_something_is_not_cut_off() {
    let mut rig = Rig::new(Kind::Findable);
    let tool = Arc::new(TestTool::new("send", ToolEffect::ReachesOut, Duration::from_secs(25)));
    rig.tools = vec![tool.clone()];
    rig.start();
    rig.provider
        .on("send", [vec![call(0, "send", "{}"), Piece::End(Stop::ToolCalls)]]);
    rig.say("a", "send");
    rig.until("the tool runs", |_| tool.begun() == 1).await;
    let answer = told(&rig, Said::direct("a", "ann", "/stop")).await;
    assert!(answer.contains("still at work"), "{answer}");
    let answer = told(&rig, Said::direct("a", "ann", "/forget yes")).await;
    assert!(answer.contains("Nothing is deleted yet"), "{answer}");
    rig.until("the tool is done", |_| tool.done() == 1).await;
    assert_eq!(tool.begun(), 1);
}

#[tokio::test(start_paused = true)]
async fn new_stops_and_begins_anew() {
    let rig = Rig::started(Kind::Findable);
    rig.say("a", "remember the fish");
    rig.until_shown("a", 1).await;
    rig.provider.on("long", [endless()]);
    rig.say("a", "long");
    rig.until("it streams", |rig| rig.provider.open() == 1).await;
    let answer = told(&rig, Said::direct("a", "ann", "/new")).await;
    assert!(answer.starts_with("Stopped. We begin anew"), "{answer}");
    assert_eq!(rig.provider.open(), 0);
    rig.say("a", "and now?");
    rig.until_quiet().await;
    let asked = rig.provider.asked();
    let told_to_model = format!("{:?}", asked.last().unwrap().1.messages);
    assert!(told_to_model.contains("and now?"), "{told_to_model}");
    assert!(!told_to_model.contains("fish"), "{told_to_model}");
    assert_eq!(facts(&rig, "loopback/a").await.epoch, 1);
}

/// The process dies when the command is on disk, and before its answer is shown.
#[tokio::test(start_paused = true)]
async fn a_command_is_done_once_however_the_process_dies() {
    let mut rig = Rig::started(Kind::Findable);
    rig.say("a", "hello");
    rig.until_shown("a", 1).await;
    rig.chat.slow_deliveries(Duration::from_mins(1));
    rig.say("a", "/new");
    rig.until("it is committed", |rig| {
        rig.store.row_states().len() == 2 && last_row(rig) == RowState::Done
    })
    .await;
    assert_eq!(rig.shown("a").len(), 1, "the answer is not there yet");
    rig.crash().await;
    rig.until_quiet().await;
    let shown = rig.shown("a");
    assert_eq!(shown.len(), 2, "{shown:?}");
    assert_eq!(facts(&rig, "loopback/a").await.epoch, 1);
    rig.judge(&|_| Expected::Any);
}

/// The process dies in the middle of a stop: it is done again, over the same older rows.
#[tokio::test(start_paused = true)]
async fn a_stop_that_was_cut_off_is_done_by_the_next_start() {
    let mut rig = Rig::new(Kind::Findable);
    let tool = Arc::new(TestTool::new("send", ToolEffect::ReachesOut, Duration::from_secs(25)));
    rig.tools = vec![tool.clone()];
    rig.start();
    rig.provider
        .on("send", [vec![call(0, "send", "{}"), Piece::End(Stop::ToolCalls)]]);
    rig.say("a", "send");
    rig.until("the tool runs", |_| tool.begun() == 1).await;
    rig.say("a", "waiting");
    rig.say("a", "/stop");
    rig.until("all are accepted", |rig| rig.store.row_states().len() == 3)
        .await;
    rig.crash().await;
    rig.until_quiet().await;
    let states = rig.store.row_states();
    assert!(matches!(states[1].1, RowState::Dropped(_)), "{states:?}");
    assert_eq!(tool.begun(), 1, "what may have happened is not repeated");
    let replies = rig
        .store
        .slots()
        .into_iter()
        .filter(|slot| slot.id.kind == SlotKind::Command);
    assert_eq!(replies.count(), 1);
}

#[tokio::test(start_paused = true)]
async fn retry_answers_the_last_message_again() {
    let rig = Rig::started(Kind::Findable);
    assert_eq!(
        told(&rig, Said::direct("a", "ann", "/retry")).await,
        "There is nothing here to answer again."
    );
    rig.provider.on("riddle", [words("a first try"), words("a second try")]);
    rig.say("a", "riddle");
    rig.until_shown("a", 2).await;
    rig.say("a", "/retry");
    let shown = rig.until_shown("a", 3).await;
    assert_eq!(shown[1..], ["a first try", "a second try"]);
    let asked = rig.provider.asked();
    assert!(!format!("{:?}", asked[1].1.messages).contains("a first try"));
    assert_eq!(remembered(&rig, "loopback/a").await, ["riddle", "a second try"]);
}

#[tokio::test(start_paused = true)]
async fn retry_stops_what_runs() {
    let rig = Rig::started(Kind::Findable);
    rig.provider.on("long", [endless(), words("to the end")]);
    rig.say("a", "long");
    rig.until("it streams", |rig| rig.shown("a").len() == 1).await;
    rig.say("a", "/retry");
    let shown = rig.until_shown("a", 2).await;
    assert_eq!(shown, ["so far\n\n(Stopped.)", "to the end"]);
}

#[tokio::test(start_paused = true)]
async fn forget_asks_first_and_deletes_then() {
    let rig = Rig::started(Kind::Findable);
    rig.say("a", "my secret");
    rig.until_shown("a", 1).await;
    let answer = told(&rig, Said::direct("a", "ann", "/forget")).await;
    assert!(
        answer.contains("2 remembered messages") && answer.contains("/forget yes"),
        "{answer}"
    );
    assert_eq!(remembered(&rig, "loopback/a").await.len(), 2);
    let answer = told(&rig, Said::direct("a", "ann", "/forget yes")).await;
    assert!(answer.contains("is deleted"), "{answer}");
    assert_eq!(remembered(&rig, "loopback/a").await, Vec::<String>::new());
    assert!(!format!("{:?}", rig.store.slots()).contains("my secret"));
    rig.say("a", "what was it?");
    rig.until_quiet().await;
    let asked = rig.provider.asked();
    assert!(!format!("{:?}", asked.last().unwrap().1.messages).contains("my secret"));
}

#[tokio::test(start_paused = true)]
async fn forget_stops_what_runs_and_leaves_nothing_of_it() {
    let rig = Rig::started(Kind::Findable);
    rig.provider.on("secret", [endless()]);
    rig.say("a", "secret");
    rig.until("it streams", |rig| rig.shown("a").len() == 1).await;
    let answer = told(&rig, Said::direct("a", "ann", "/forget yes")).await;
    assert!(answer.contains("is deleted"), "{answer}");
    rig.until_quiet().await;
    assert_eq!(remembered(&rig, "loopback/a").await, Vec::<String>::new());
    assert!(!format!("{:?}", rig.store.slots()).contains("so far"));
}

#[tokio::test(start_paused = true)]
async fn in_a_group_only_the_trusted_may_have_things_forgotten() {
    let mut rig = governed();
    rig.start();
    let thread = Spot::thread("room", "t");
    for spot in [Spot::chat("room"), thread.clone()] {
        rig.say_at(Said::at(spot, "bob", "hello", Addressed::Mention));
    }
    rig.until_quiet().await;
    let answer = in_room(&rig, "bob", "/forget yes").await;
    assert!(answer.contains("only trusted people"), "{answer}");
    assert_eq!(remembered(&rig, "loopback/room").await.len(), 2);
    let answer = in_room(&rig, "ted", "/forget chat").await;
    assert!(answer.contains("4 remembered messages in 2 conversations"), "{answer}");
    let answer = in_room(&rig, "ted", "/forget chat yes").await;
    assert!(answer.contains("is deleted"), "{answer}");
    assert_eq!(remembered(&rig, "loopback/room/t").await, Vec::<String>::new());
    let answer = ann(&rig, "/forget").await;
    assert!(answer.contains("0 remembered messages"), "{answer}");
}

#[tokio::test(start_paused = true)]
async fn stop_does_not_wait_for_a_provider_that_is_being_probed() {
    let rig = Rig::started(Kind::Findable);
    rig.provider.hang_at_probes();
    rig.say("a", "hello");
    tokio::time::sleep(Duration::from_secs(1)).await;
    let asked = Instant::now();
    rig.say("a", "/stop");
    rig.until("it is told", |rig| !rig.shown("a").is_empty()).await;
    assert!(asked.elapsed() < Duration::from_secs(1), "{:?}", asked.elapsed());
    rig.until_quiet().await;
    assert_eq!(rig.shown("a"), ["Stopped. 1 waiting message was dropped."]);
    assert_eq!(rig.provider.asked().len(), 0);
    rig.say("a", "again");
    rig.until("a provider that cannot be probed is asked all the same", |rig| {
        rig.shown("a").iter().any(|text| text.contains("You said again"))
    })
    .await;
}
