//! A panic harms at most the turn it happens in, and that is told.

use std::time::Duration;

use tertulia_core::fault::Fault;
use tertulia_core::provider::{ProviderFault, Stop};
use tertulia_message::Finish;
use tertulia_testkit::chat_double::{Expected, Kind};

use crate::rig::{NOTICE, Piece, Rig, TestTool, call, words};

async fn check_others(rig: &mut Rig) {
    rig.say("b", "untouched");
    rig.say("a", "next");
    rig.until_quiet().await;
    assert_eq!(rig.shown("b"), ["You said untouched."]);
    assert_eq!(rig.shown("a").last().unwrap(), "You said next.");
    assert!(rig.is_running());
    rig.until("typing ends", |rig| rig.chat.still_typing() == 0).await;
}

#[tokio::test(start_paused = true)]
async fn a_panicking_provider_is_a_broken_one() {
    for piece in [Piece::Panic, Piece::PanicAtOnce] {
        let mut rig = Rig::started(Kind::Findable);
        rig.provider.on("boom", [vec![piece]]);
        rig.say("a", "boom");
        rig.until_quiet().await;
        let notice = format!("{NOTICE} {}", Fault::Provider(ProviderFault::Broken).public());
        assert_eq!(rig.shown("a"), [notice]);
        check_others(&mut rig).await;
        rig.judge(&|_| Expected::Any);
    }
}

#[tokio::test(start_paused = true)]
async fn a_panic_in_the_middle_keeps_the_text() {
    let mut rig = Rig::started(Kind::Findable);
    let pause = Piece::Wait(Duration::from_secs(1));
    rig.provider
        .on("boom", [vec![Piece::Text("so far".into()), pause, Piece::Panic]]);
    rig.say("a", "boom");
    rig.until_quiet().await;
    assert!(rig.shown("a")[0].starts_with("so far\n\n⚠️"), "{:?}", rig.shown("a"));
    check_others(&mut rig).await;
}

#[tokio::test(start_paused = true)]
async fn a_panicking_tool_is_told_to_the_model() {
    let mut rig = Rig::new(Kind::Findable);
    rig.tools = vec![TestTool::panicking("look")];
    rig.start();
    let ask = vec![call(0, "look", "{}"), Piece::End(Stop::ToolCalls)];
    rig.provider.on("tool", [ask, words("it broke")]);
    rig.say("a", "tool");
    rig.until_quiet().await;
    assert_eq!(rig.shown("a"), ["it broke"]);
    check_others(&mut rig).await;
}

async fn check_deliveries(kind: Kind, before: usize, after: usize) {
    let mut rig = Rig::started(kind);
    rig.chat.panic_at_deliver(before, after);
    rig.say("a", "hello");
    rig.until_quiet().await;
    check_others(&mut rig).await;
    rig.judge_echoes();
}

#[tokio::test(start_paused = true)]
async fn panicking_deliveries_are_resolved() {
    for kind in [Kind::Keyed, Kind::Findable, Kind::Blind] {
        check_deliveries(kind, 1, 0).await;
        check_deliveries(kind, 3, 0).await;
        check_deliveries(kind, 0, 1).await;
    }
}

#[tokio::test(start_paused = true)]
async fn panicking_signs_harm_nobody() {
    let mut rig = Rig::started(Kind::Findable);
    rig.chat.panic_at_signals();
    rig.say("a", "hello");
    rig.until_quiet().await;
    assert!(rig.is_running());
    rig.judge_echoes();
    assert_eq!(rig.provider.asked().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_panicking_listener_starts_again() {
    let mut rig = Rig::new(Kind::Findable);
    rig.chat.panic_at_listen(2);
    rig.start();
    rig.say("a", "hello");
    rig.until_shown("a", 1).await;
    assert!(rig.is_running());
    rig.judge_echoes();
}

/// In real time: the paused clock would wait for the storm to end.
#[tokio::test]
async fn a_provider_that_never_waits_does_not_keep_the_thread() {
    let rig = Rig::started(Kind::Findable);
    rig.provider.on("storm", [vec![Piece::Storm]]);
    rig.say("a", "storm");
    rig.until("it storms", |rig| rig.provider.open() == 1).await;
    rig.say("b", "calm");
    rig.until("the other is answered", |rig| rig.shown("b").len() == 1)
        .await;
    assert_eq!(rig.provider.open(), 1, "it still storms");
}

#[tokio::test(start_paused = true)]
async fn a_message_that_kills_its_session_is_told_and_passed() {
    let mut rig = Rig::started(Kind::Findable);
    rig.provider.panic_at_capabilities(5);
    rig.say("a", "poison");
    rig.until_quiet().await;
    assert_eq!(rig.shown("a"), [Fault::Internal.public().as_str()]);
    check_others(&mut rig).await;
}

/// It dies between the end of a turn and the look for the next one, with the end of typing still to be shown.
#[tokio::test(start_paused = true)]
async fn a_session_that_dies_leaves_nobody_typing() {
    for times in [1, 5] {
        let mut rig = Rig::started(Kind::Findable);
        let pause = Piece::Wait(Duration::from_secs(1));
        rig.provider.on(
            "slow",
            [vec![pause, Piece::Text("done".into()), Piece::End(Stop::Done)]],
        );
        rig.say("a", "slow");
        rig.until("it types", |rig| rig.chat.still_typing() == 1).await;
        rig.until("it is asked", |rig| rig.provider.open() == 1).await;
        rig.provider.panic_at_capabilities(times);
        rig.until_shown("a", 1).await;
        rig.until("typing ends", |rig| rig.chat.still_typing() == 0).await;
        assert_eq!(rig.shown("a"), ["done"]);
        check_others(&mut rig).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_request_that_kills_its_session_is_closed() {
    let rig = Rig::started(Kind::Findable);
    rig.provider.panic_at_capabilities(5);
    rig.door.stored("r1", "talk", "poison").await;
    rig.until("the request ends", |rig| rig.door.ending("r1").is_some())
        .await;
    assert!(matches!(rig.door.ending("r1").unwrap().finish, Finish::Failed { .. }));
    rig.provider.panic_at_capabilities(1);
    rig.door.supplied("s1", "poison", Vec::new()).await;
    rig.until("the request ends", |rig| rig.door.ending("s1").is_some())
        .await;
    assert!(matches!(rig.door.ending("s1").unwrap().finish, Finish::Failed { .. }));
    rig.door.stored("r2", "talk", "next").await;
    rig.until("the next one ends", |rig| rig.door.ending("r2").is_some())
        .await;
    assert_eq!(rig.door.text("r2"), "You said next.");
}

#[tokio::test(start_paused = true)]
async fn a_session_that_dies_in_the_middle_tells() {
    let mut rig = Rig::new(Kind::Findable);
    let tool = TestTool::quick("look");
    rig.tools = vec![tool.clone()];
    rig.start();
    let ask = vec![
        Piece::Wait(Duration::from_secs(1)),
        call(0, "look", "{}"),
        Piece::End(Stop::ToolCalls),
    ];
    rig.provider.on("tool", [ask]);
    rig.say("a", "tool");
    rig.door.stored("r1", "talk", "tool").await;
    rig.until("both are asked", |rig| rig.provider.open() == 2).await;
    tool.hide();
    rig.until("the request ends", |rig| rig.door.ending("r1").is_some())
        .await;
    assert!(matches!(rig.door.ending("r1").unwrap().finish, Finish::Failed { .. }));
    rig.until_quiet().await;
    assert_eq!(rig.shown("a"), [Fault::Internal.public().as_str()]);
    assert!(rig.is_running());
}
