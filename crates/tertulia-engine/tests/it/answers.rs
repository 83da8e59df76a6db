//! Questions and answers when all goes well.

use std::time::Duration;

use tertulia_core::provider::Stop;
use tertulia_message::Addressed;
use tertulia_testkit::chat_double::{Expected, Kind, Said, Spot};

use crate::rig::{Piece, Rig, call, words};

async fn check_kind(kind: Kind) {
    let rig = Rig::started(kind);
    rig.say("a", "good morning");
    rig.until_shown("a", 1).await;
    let summary = rig.judge_echoes();
    assert_eq!((summary.questions, summary.answered), (1, 1));
    rig.until("typing ends", |rig| rig.chat.still_typing() == 0).await;
    assert_eq!(rig.chat.began_typing(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_question_is_answered_on_a_keyed_platform() {
    check_kind(Kind::Keyed).await;
}

#[tokio::test(start_paused = true)]
async fn a_question_is_answered_on_a_findable_platform() {
    check_kind(Kind::Findable).await;
}

#[tokio::test(start_paused = true)]
async fn a_question_is_answered_on_a_blind_platform() {
    check_kind(Kind::Blind).await;
}

#[tokio::test(start_paused = true)]
async fn a_slow_turn_does_not_hold_others() {
    let rig = Rig::started(Kind::Findable);
    let slow = [
        Piece::Wait(Duration::from_mins(1)),
        Piece::Text("at last".into()),
        Piece::End(Stop::Done),
    ];
    rig.provider.on("slow", [slow.to_vec()]);
    let thread = Spot::thread("a", "t");
    rig.say("a", "slow");
    rig.until("the slow one streams", |rig| rig.provider.open() == 1).await;
    rig.say("b", "quick");
    rig.say_at(Said::at(thread.clone(), "ann", "beside", Addressed::Mention));
    rig.until("the others are answered", |rig| {
        rig.shown("b").len() == 1 && rig.shown_at(&thread).len() == 1
    })
    .await;
    assert_eq!(rig.provider.open(), 1, "the slow one still streams");
    assert_eq!(rig.shown("a"), Vec::<String>::new());
    rig.until_quiet().await;
    let summary = rig.judge(&|question| match question.text.as_str() {
        "slow" => Expected::Equals("at last".into()),
        text => Expected::Equals(format!("You said {text}.")),
    });
    assert_eq!(summary.answered, 3);
}

#[tokio::test(start_paused = true)]
async fn each_turn_goes_by_what_the_platform_can_do_when_it_begins() {
    let rig = Rig::started(Kind::Findable);
    let slow = |text: &str| {
        let wait = Piece::Wait(Duration::from_secs(20));
        vec![Piece::Text(text.to_owned()), wait, Piece::End(Stop::Done)]
    };
    rig.provider.on("first", [slow("one")]);
    rig.provider.on("second", [slow("two")]);
    rig.say("a", "first");
    rig.until("the first one is shown as it comes", |rig| rig.shown("a").len() == 1)
        .await;
    rig.say("a", "second");
    rig.chat.hide_progress();
    rig.until("the second one is asked", |rig| rig.provider.asked().len() == 2)
        .await;
    tokio::time::sleep(Duration::from_secs(10)).await;
    assert_eq!(rig.provider.open(), 1, "the second one still streams");
    assert_eq!(rig.shown("a"), ["one"]);
    rig.until_shown("a", 2).await;
}

#[tokio::test(start_paused = true)]
async fn messages_of_one_room_are_answered_in_order() {
    let rig = Rig::started(Kind::Findable);
    let slow = [
        Piece::Wait(Duration::from_secs(20)),
        Piece::Text("one".into()),
        Piece::End(Stop::Done),
    ];
    rig.provider.on("first", [slow.to_vec()]);
    rig.provider.on("second", [words("two")]);
    rig.provider.on("third", [words("three")]);
    for text in ["first", "second", "third"] {
        rig.say("a", text);
    }
    assert_eq!(rig.until_shown("a", 3).await, ["one", "two", "three"]);
    rig.judge(&|_| Expected::Any);
    let last = &rig.provider.asked()[2].1;
    assert_eq!(last.messages.len(), 5, "the third question knows both turns before it");
}

#[tokio::test(start_paused = true)]
async fn a_long_answer_grows_over_several_messages() {
    let rig = Rig::started(Kind::Blind);
    let text = (0..120).map(|n| format!("word{n} ")).collect::<Vec<_>>().concat();
    let pieces = text
        .split_inclusive(' ')
        .flat_map(|word| [Piece::Text(word.to_owned()), Piece::Wait(Duration::from_millis(30))]);
    let pieces: Vec<Piece> = pieces.chain([Piece::End(Stop::Done)]).collect();
    rig.provider.on("long", [pieces]);
    rig.say("a", "long");
    assert!(rig.until_shown("a", 4).await.len() >= 4);
    rig.judge(&|_| Expected::Equals(text.clone()));
}

#[tokio::test(start_paused = true)]
async fn usage_is_kept_by_round() {
    let mut rig = Rig::new(Kind::Findable);
    rig.tools = vec![crate::rig::TestTool::quick("look")];
    rig.start();
    let ask = vec![call(0, "look", "{}"), Piece::Usage(5, 1), Piece::End(Stop::ToolCalls)];
    let say = vec![Piece::Text("seen".into()), Piece::Usage(9, 2), Piece::End(Stop::Done)];
    rig.provider.on("cost", [ask, say]);
    rig.say("a", "cost");
    rig.until_shown("a", 1).await;
    let rounds: Vec<_> = rig
        .store
        .usage()
        .iter()
        .map(|row| (row.round, row.usage.tokens_in))
        .collect();
    assert_eq!(rounds, [(0, Some(5)), (1, Some(9))]);
}
