//! Every failure of the provider is one clear message in its conversation, and the next question works.

use std::time::Duration;

use tertulia_core::fault::{Fault, Hollow};
use tertulia_core::policy::Deadlines;
use tertulia_core::provider::{ProviderFault, Stop};
use tertulia_core::record::ToolEffect;
use tertulia_testkit::chat_double::{Expected, Kind};

use crate::rig::{NOTICE, Piece, Rig, TestTool, call, words};

fn text(text: &str) -> Piece {
    Piece::Text(text.to_owned())
}

/// The question is answered by this alone, nobody else is touched, and the next question works.
async fn check_on(rig: &Rig, answers: Vec<Vec<Piece>>, expected: &str) {
    rig.provider.on("trouble", answers);
    rig.say("a", "trouble");
    rig.say("b", "calm");
    rig.until_quiet().await;
    rig.say("a", "again");
    rig.until_quiet().await;
    assert_eq!(rig.shown("a"), [expected, "You said again."]);
    assert_eq!(rig.shown("b"), ["You said calm."]);
    assert_eq!(rig.provider.open(), 0);
    rig.judge(&|_| Expected::Any);
    rig.until("typing ends", |rig| rig.chat.still_typing() == 0).await;
}

async fn check(answers: Vec<Vec<Piece>>, expected: &str) {
    check_on(&Rig::started(Kind::Findable), answers, expected).await;
}

fn notice(fault: &Fault) -> String {
    format!("{NOTICE} {}", fault.public())
}

fn cut_short(shown: &str, fault: &Fault) -> String {
    format!("{shown}\n\n{}", notice(fault))
}

#[tokio::test(start_paused = true)]
async fn what_is_refused_for_good_is_told() {
    for fault in [
        ProviderFault::Unauthorized,
        ProviderFault::Billing,
        ProviderFault::NoSuchModel,
        ProviderFault::Rejected,
        ProviderFault::NotConfigured,
        ProviderFault::ContextTooLong,
    ] {
        check(vec![vec![Piece::Refuse(fault)]], &notice(&Fault::Provider(fault))).await;
    }
}

#[tokio::test(start_paused = true)]
async fn what_may_pass_is_tried_again_and_then_told() {
    for fault in [
        ProviderFault::Unreachable,
        ProviderFault::Broken,
        ProviderFault::Unavailable { after: None },
        ProviderFault::RateLimited { after: None },
    ] {
        let rig = Rig::started(Kind::Findable);
        check_on(&rig, vec![vec![Piece::Refuse(fault)]], &notice(&Fault::Provider(fault))).await;
        let at_once = usize::from(fault == ProviderFault::Unreachable);
        let asked = rig.provider.asked().len();
        assert_eq!(asked, 4 + at_once + 2, "four tries, and two other questions");
    }
}

#[tokio::test(start_paused = true)]
async fn what_passes_is_not_told() {
    let down = vec![Piece::Refuse(ProviderFault::Unavailable { after: None })];
    check(vec![down.clone(), down, words("here I am")], "here I am").await;
    check(vec![vec![Piece::Cut], words("here I am")], "here I am").await;
}

#[tokio::test(start_paused = true)]
async fn a_retry_after_is_obeyed() {
    let wait = Duration::from_secs(17);
    let rig = Rig::started(Kind::Findable);
    let limited = vec![Piece::Refuse(ProviderFault::RateLimited { after: Some(wait) })];
    check_on(&rig, vec![limited, words("now")], "now").await;
    let asked = rig.provider.asked();
    let times: Vec<_> = asked
        .iter()
        .filter(|(_, request)| format!("{request:?}").contains("trouble"))
        .map(|(at, _)| *at)
        .collect();
    assert!(
        times[1] - times[0] >= wait,
        "asked again after {:?}",
        times[1] - times[0]
    );
}

#[tokio::test(start_paused = true)]
async fn too_long_a_retry_after_is_told() {
    let fault = ProviderFault::RateLimited {
        after: Some(Duration::from_mins(10)),
    };
    check(vec![vec![Piece::Refuse(fault)]], &notice(&Fault::Provider(fault))).await;
}

#[tokio::test(start_paused = true)]
async fn a_broken_stream_keeps_its_text_with_a_mark() {
    let fault = Fault::Provider(ProviderFault::Broken);
    let pause = Piece::Wait(Duration::from_secs(1));
    let broken = vec![text("Half an ans"), pause, Piece::Fail(ProviderFault::Broken)];
    check(vec![broken], &cut_short("Half an ans", &fault)).await;
    check(vec![vec![text("No end"), Piece::Cut]], &cut_short("No end", &fault)).await;
}

#[tokio::test(start_paused = true)]
async fn silence_has_an_end() {
    let limits = Deadlines::default();
    check(
        vec![vec![Piece::Silence]],
        &notice(&Fault::NoFirstByte(limits.first_byte)),
    )
    .await;
    check(
        vec![vec![text("Then"), Piece::Silence]],
        &cut_short("Then", &Fault::Idle(limits.idle)),
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn an_endless_trickle_has_an_end() {
    let limits = Deadlines::default();
    let trickle = (0..100).flat_map(|_| [Piece::Wait(Duration::from_secs(50)), text("x")]);
    let rig = Rig::started(Kind::Findable);
    rig.provider.on("trickle", [trickle.collect()]);
    rig.say("a", "trickle");
    let shown = rig.until_shown("a", 1).await;
    assert!(shown[0].ends_with(&notice(&Fault::TooSlow(limits.total))), "{shown:?}");
}

#[tokio::test(start_paused = true)]
async fn deadlines_without_end_are_no_overflow() {
    let mut rig = Rig::new(Kind::Findable);
    rig.deadlines = Deadlines {
        first_byte: Duration::MAX,
        idle: Duration::MAX,
        total: Duration::MAX,
    };
    rig.start();
    rig.say("a", "hello");
    rig.until_shown("a", 1).await;
    rig.judge_echoes();
}

#[tokio::test(start_paused = true)]
async fn an_empty_answer_is_asked_again_and_then_told() {
    let empty = vec![Piece::End(Stop::Done)];
    check(vec![empty.clone(), words("better")], "better").await;
    check(vec![empty], &notice(&Fault::Hollow(Hollow::Nothing))).await;
    check(
        vec![vec![text(" \n"), Piece::End(Stop::Done)]],
        &notice(&Fault::Hollow(Hollow::Nothing)),
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn an_answer_beyond_the_bound_is_cut() {
    let mut rig = Rig::new(Kind::Findable);
    rig.settings.answer_bytes = 150;
    rig.start();
    let answer = vec![text(&"x".repeat(100)), text(&"y".repeat(60)), Piece::Silence];
    rig.provider.on("much", [answer]);
    rig.say("a", "much");
    rig.until_quiet().await;
    let shown = rig.shown("a").concat();
    assert!(shown.ends_with(&notice(&Fault::TooMuch)), "{shown}");
    assert_eq!(rig.provider.open(), 0);
}

#[tokio::test(start_paused = true)]
async fn endless_calls_without_arguments_have_an_end() {
    let mut rig = Rig::new(Kind::Findable);
    rig.settings.answer_bytes = 10_000;
    rig.start();
    let calls = (0..1000).map(|nth| call(nth, "t", "")).chain([Piece::Silence]);
    check_on(&rig, vec![calls.collect()], &notice(&Fault::TooMuch)).await;
}

#[tokio::test(start_paused = true)]
async fn a_flood_is_cut_and_shown_whole() {
    let mut rig = Rig::new(Kind::Findable);
    rig.settings.answer_bytes = 3000;
    rig.start();
    rig.provider.on("flood", [vec![Piece::Flood]]);
    rig.say("a", "flood");
    rig.until_quiet().await;
    let shown = rig.shown("a");
    assert!(shown.last().unwrap().contains(NOTICE), "{shown:?}");
    assert!(shown.concat().matches("word").count() > 500);
}

fn with_tool(rounds: u32) -> Rig {
    let mut rig = Rig::new(Kind::Findable);
    rig.settings.rounds = rounds;
    rig.tools = vec![TestTool::quick("look")];
    rig.start();
    rig
}

#[tokio::test(start_paused = true)]
async fn an_unknown_tool_is_told_to_the_model_alone() {
    let rig = with_tool(3);
    let answers = vec![
        vec![call(0, "fly", "{}"), Piece::End(Stop::ToolCalls)],
        words("I cannot fly"),
    ];
    check_on(&rig, answers, "I cannot fly").await;
    let asked = format!("{:?}", rig.provider.asked());
    assert!(asked.contains("there is no tool"), "{asked}");
}

#[tokio::test(start_paused = true)]
async fn malformed_arguments_are_told_to_the_model_alone() {
    for arguments in ["{\"a\":", "[1]", "7", "nonsense"] {
        let rig = with_tool(3);
        let answers = vec![
            vec![call(0, "look", arguments), Piece::End(Stop::ToolCalls)],
            words("never mind"),
        ];
        check_on(&rig, answers, "never mind").await;
        let asked = format!("{:?}", rig.provider.asked());
        assert!(asked.contains("the arguments are not a JSON object"), "{asked}");
    }
}

#[tokio::test(start_paused = true)]
async fn endless_tool_rounds_have_an_end() {
    let rig = with_tool(3);
    let again = vec![call(0, "look", "{}"), Piece::End(Stop::ToolCalls)];
    check_on(&rig, vec![again], &notice(&Fault::TooManyRounds(3))).await;
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_hangs_is_left_at_its_deadline() {
    let mut rig = Rig::new(Kind::Findable);
    let slow = std::sync::Arc::new(TestTool::new("look", ToolEffect::Reads, Duration::from_hours(1)));
    rig.tools = vec![slow.clone()];
    rig.start();
    let answers = vec![
        vec![call(0, "look", "{}"), Piece::End(Stop::ToolCalls)],
        words("no luck"),
    ];
    check_on(&rig, answers, "no luck").await;
    assert_eq!((slow.begun(), slow.done()), (1, 0));
}
