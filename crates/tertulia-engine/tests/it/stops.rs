//! Soft stops and restarts: the next process finishes the same message, and nobody is told.

use std::sync::Arc;
use std::time::Duration;

use tertulia_core::fault::Fault;
use tertulia_core::provider::Stop;
use tertulia_core::record::ToolEffect;
use tertulia_testkit::chat_double::{Expected, Kind, RecordAct};

use tokio::time::Instant;

use crate::rig::{NOTICE, Piece, Rig, TestTool, call, words};

fn text(text: &str) -> Piece {
    Piece::Text(text.to_owned())
}

async fn check_resumed(kind: Kind) {
    let mut rig = Rig::started(kind);
    rig.provider.on(
        "long",
        [
            vec![text("Once upon a time"), Piece::Silence],
            words("Once upon a time, the end"),
        ],
    );
    rig.say("a", "long");
    rig.until("it streams", |rig| rig.shown("a").len() == 1).await;
    let began = Instant::now();
    rig.stop().await.unwrap();
    assert!(began.elapsed() >= Duration::from_secs(10), "a stream gets its time");
    assert_eq!(rig.shown("a"), ["Once upon a time"], "no notice");
    assert_eq!((rig.provider.open(), rig.chat.still_typing()), (0, 0));
    rig.say("a", "later");
    rig.restart();
    assert_eq!(
        rig.until_shown("a", 2).await,
        ["Once upon a time, the end", "You said later."]
    );
    rig.judge(&|_| Expected::Any);
}

#[tokio::test(start_paused = true)]
async fn the_next_start_finishes_the_same_message() {
    for kind in [Kind::Keyed, Kind::Findable, Kind::Blind] {
        check_resumed(kind).await;
    }
}

#[tokio::test(start_paused = true)]
async fn what_can_be_finished_in_time_is() {
    let mut rig = Rig::started(Kind::Findable);
    let answer = vec![
        text("nearly"),
        Piece::Wait(Duration::from_secs(5)),
        text(" done"),
        Piece::End(Stop::Done),
    ];
    rig.provider.on("long", [answer]);
    rig.say("a", "long");
    rig.until("it streams", |rig| rig.shown("a").len() == 1).await;
    rig.say("a", "not begun");
    rig.until("it is accepted", |rig| rig.store.row_states().len() == 2)
        .await;
    rig.stop().await.unwrap();
    assert_eq!(rig.shown("a"), ["nearly done"]);
    assert_eq!(rig.provider.asked().len(), 1, "new work is not begun");
    rig.restart();
    rig.until_shown("a", 2).await;
    assert_eq!(rig.provider.asked().len(), 2);
    rig.judge(&|_| Expected::Any);
}

#[tokio::test(start_paused = true)]
async fn an_idle_engine_ends_at_once() {
    let mut rig = Rig::started(Kind::Findable);
    rig.say("a", "hello");
    rig.until_shown("a", 1).await;
    rig.until("typing ends", |rig| rig.chat.still_typing() == 0).await;
    let began = Instant::now();
    rig.stop().await.unwrap();
    assert_eq!(began.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn a_crash_between_edits_leaves_no_trace() {
    for kind in [Kind::Keyed, Kind::Findable, Kind::Blind] {
        let mut rig = Rig::started(kind);
        let first = vec![
            text("old words that stay not"),
            Piece::Wait(Duration::from_secs(9)),
            Piece::Silence,
        ];
        rig.provider.on("long", [first, words("new")]);
        rig.say("a", "long");
        rig.until("it streams", |rig| rig.shown("a").len() == 1).await;
        tokio::time::sleep(Duration::from_secs(3)).await;
        rig.crash().await;
        rig.until_quiet().await;
        assert_eq!(rig.shown("a"), ["new"]);
        rig.judge(&|_| Expected::Any);
    }
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_runs_again_is_shown_while_it_grows() {
    let mut rig = Rig::started(Kind::Findable);
    let slowly = ["more ", "and more ", "and more"].map(|word| [text(word), Piece::Wait(Duration::from_secs(1))]);
    let again: Vec<Piece> = slowly.into_iter().flatten().chain([Piece::End(Stop::Done)]).collect();
    rig.provider
        .on("long", [vec![text("first try"), Piece::Silence], again]);
    rig.say("a", "long");
    rig.until("it streams", |rig| rig.shown("a").len() == 1).await;
    rig.crash().await;
    rig.until_quiet().await;
    let edits: Vec<String> = rig
        .double
        .records()
        .into_iter()
        .filter(|record| record.act == RecordAct::Edited)
        .map(|record| record.text)
        .collect();
    assert!(edits.len() >= 3, "{edits:?}");
    assert_eq!(edits.last().unwrap(), "more and more and more");
}

#[tokio::test(start_paused = true)]
async fn after_three_crashes_the_interruption_is_told() {
    let mut rig = Rig::started(Kind::Findable);
    rig.provider.on("long", [vec![text("so far"), Piece::Silence]]);
    rig.say("a", "long");
    for attempt in 1..=3 {
        rig.until("it is asked", |rig| rig.provider.asked().len() == attempt)
            .await;
        tokio::time::sleep(Duration::from_secs(5)).await;
        rig.crash().await;
    }
    rig.until_quiet().await;
    let shown = rig.shown("a");
    assert_eq!(shown, [format!("so far\n\n{NOTICE} {}", Fault::Interrupted.public())]);
    rig.say("a", "next");
    rig.until_quiet().await;
    let asked = rig.provider.asked();
    assert_eq!(asked.len(), 4);
    assert!(
        format!("{:?}", asked[3].1).contains("so far"),
        "what was shown is remembered"
    );
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_was_cut_off_is_told_and_not_repeated() {
    let mut rig = Rig::new(Kind::Findable);
    let tool = Arc::new(TestTool::new("send", ToolEffect::ReachesOut, Duration::from_secs(25)));
    rig.tools = vec![tool.clone()];
    rig.start();
    rig.provider
        .on("send", [vec![call(0, "send", "{}"), Piece::End(Stop::ToolCalls)]]);
    rig.say("a", "send");
    rig.until("the tool runs", |_| tool.begun() == 1).await;
    rig.stop().await.unwrap();
    assert_eq!(rig.chat.still_typing(), 0);
    rig.restart();
    rig.until_quiet().await;
    let notice = Fault::ToolInterrupted("send".into()).public();
    assert_eq!(rig.shown("a"), [format!("{NOTICE} {notice}")]);
    assert_eq!((tool.begun(), tool.done()), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn slow_signs_do_not_hold_the_next_question() {
    let rig = Rig::started(Kind::Findable);
    rig.chat.slow_signals(Duration::from_secs(9));
    rig.say("a", "one");
    rig.until_shown("a", 1).await;
    let before = Instant::now();
    rig.say("a", "two");
    rig.until_shown("a", 2).await;
    assert!(before.elapsed() < Duration::from_secs(1), "{:?}", before.elapsed());
}

#[tokio::test(start_paused = true)]
async fn the_first_answer_of_all_is_finished_in_time() {
    let mut rig = Rig::started(Kind::Findable);
    // nothing was ever delivered when the stop comes
    rig.provider.on(
        "first",
        [vec![
            Piece::Wait(Duration::from_secs(3)),
            text("done"),
            Piece::End(Stop::Done),
        ]],
    );
    rig.say("a", "first");
    rig.until("it is asked", |rig| rig.provider.open() == 1).await;
    rig.stop().await.unwrap();
    assert_eq!(rig.shown("a"), ["done"]);
}
