//! Who is asked where a provider cannot answer, and how many at once.

use std::sync::Arc;
use std::time::Duration;

use tertulia_core::chat::ChatMessage;
use tertulia_core::fault::{Fault, Hollow};
use tertulia_core::policy::Deadlines;
use tertulia_core::provider::{ProviderFault, Stop};
use tertulia_engine::Live;
use tertulia_testkit::chat_double::Kind;

use crate::rig::{NOTICE, Piece, Rig, Scripted, TestTool, call, words};

const DOWN: ProviderFault = ProviderFault::Unavailable { after: None };

fn refused(fault: ProviderFault) -> Vec<Piece> {
    vec![Piece::Refuse(fault)]
}

fn slow(seconds: u64, text: &str) -> Vec<Piece> {
    let mut pieces = vec![Piece::Wait(Duration::from_secs(seconds))];
    pieces.extend(words(text));
    pieces
}

fn notice(fault: &Fault) -> String {
    format!("{NOTICE} {}", fault.public())
}

/// The usual provider with these behind it, by name.
fn chained(rig: &Rig, others: &[(&str, &Arc<Scripted>)]) -> Live {
    let mut live = rig.live();
    let first = live.providers.get_mut("scripted").unwrap();
    first.fallback = others.iter().map(|(name, _)| (*name).to_owned()).collect();
    for (name, other) in others {
        let mut part = rig.part(other);
        part.model = format!("{name}'s");
        live.providers.insert((*name).to_owned(), part);
    }
    live
}

/// A running engine whose provider has this one behind it.
fn with_another(mut rig: Rig) -> (Rig, Arc<Scripted>) {
    let other = Arc::new(Scripted::default());
    other.on("trouble", [words("from the other")]);
    rig.begins_with = Some(chained(&rig, &[("other", &other)]));
    rig.start();
    (rig, other)
}

/// What is shown in the end for this of the first provider, and whether the other one was asked.
async fn ask(answers: Vec<Vec<Piece>>) -> (String, usize) {
    let (rig, other) = with_another(Rig::new(Kind::Findable));
    rig.provider.on("trouble", answers);
    rig.say("a", "trouble");
    let shown = rig.until_shown("a", 1).await;
    assert_eq!(rig.provider.open() + other.open(), 0);
    (shown.concat(), other.asked().len())
}

#[tokio::test(start_paused = true)]
async fn another_one_is_asked_where_it_may_help() {
    let after = Some(Duration::from_mins(10));
    for fault in [
        DOWN,
        ProviderFault::Unavailable { after },
        ProviderFault::RateLimited { after: None },
        ProviderFault::RateLimited { after },
        ProviderFault::Billing,
        ProviderFault::Unreachable,
        ProviderFault::Broken,
    ] {
        let shown = ask(vec![refused(fault)]).await;
        assert_eq!(shown, ("from the other".to_owned(), 1), "{fault:?}");
    }
    let silent = ask(vec![vec![Piece::Silence]]).await;
    assert_eq!(silent, ("from the other".to_owned(), 1));
    let thinking = vec![Piece::Text("<think>Well".into()), Piece::Fail(DOWN)];
    assert_eq!(ask(vec![thinking]).await.0, "from the other");
    let empty = vec![Piece::End(Stop::Done)];
    assert_eq!(ask(vec![empty]).await.0, "from the other");
}

#[tokio::test(start_paused = true)]
async fn nobody_else_is_asked_where_the_question_is_wrong() {
    for fault in [
        ProviderFault::Rejected,
        ProviderFault::Unauthorized,
        ProviderFault::NoSuchModel,
        ProviderFault::ContextTooLong,
    ] {
        let shown = ask(vec![refused(fault)]).await;
        assert_eq!(shown, (notice(&Fault::Provider(fault)), 0));
    }
    let filtered = ask(vec![vec![Piece::End(Stop::Filtered)]]).await;
    assert_eq!(filtered, (notice(&Fault::Hollow(Hollow::Filtered)), 0));
}

#[tokio::test(start_paused = true)]
async fn nobody_else_is_asked_behind_what_can_be_read() {
    let broken = vec![
        Piece::Text("Half an ans".into()),
        Piece::Wait(Duration::from_secs(1)),
        Piece::Fail(DOWN),
    ];
    let (shown, asked) = ask(vec![broken]).await;
    assert_eq!(shown, format!("Half an ans\n\n{}", notice(&Fault::Provider(DOWN))));
    assert_eq!(asked, 0);
}

#[tokio::test(start_paused = true)]
async fn where_all_fail_the_first_failure_is_told() {
    let mut rig = Rig::new(Kind::Findable);
    let others = [Arc::new(Scripted::default()), Arc::new(Scripted::default())];
    rig.begins_with = Some(chained(&rig, &[("b", &others[0]), ("c", &others[1])]));
    rig.start();
    rig.provider.on("trouble", [refused(ProviderFault::Billing)]);
    others[0].on("trouble", [refused(ProviderFault::Unreachable)]);
    others[1].on("trouble", [refused(ProviderFault::Rejected)]);
    rig.say("a", "trouble");
    let billing = notice(&Fault::Provider(ProviderFault::Billing));
    assert_eq!(rig.until_shown("a", 1).await, [billing]);
    assert!(!others[1].asked().is_empty());
}

#[tokio::test(start_paused = true)]
async fn whoever_stands_in_goes_on_with_the_turn() {
    let mut rig = Rig::new(Kind::Findable);
    rig.tools = vec![TestTool::quick("look")];
    let (rig, other) = with_another(rig);
    let look = vec![call(0, "look", "{}"), Piece::Usage(3, 4), Piece::End(Stop::ToolCalls)];
    rig.provider.on("look", [look.clone(), refused(ProviderFault::Billing)]);
    other.on("look", [look, words("seen")]);
    rig.say("a", "look");
    assert_eq!(rig.until_shown("a", 1).await, ["seen"]);
    // the first one once with and once without an answer; the other one for the second and the third round
    assert_eq!((rig.provider.asked().len(), other.asked().len()), (2, 2));
    let asked = &other.asked()[0].1;
    assert_eq!(asked.model, "other's");
    assert!(
        matches!(asked.messages.last(), Some(ChatMessage::Tool { .. })),
        "{asked:?}"
    );
    let paid: Vec<String> = rig
        .store
        .usage()
        .into_iter()
        .map(|row| format!("{} {}", row.provider, row.model))
        .collect();
    assert_eq!(paid, ["scripted ", "other other's", "other other's"]);
    // the next turn begins with the first one
    rig.say("a", "hello");
    rig.until_shown("a", 2).await;
    assert_eq!(rig.provider.asked().len(), 3);
}

#[tokio::test(start_paused = true)]
async fn one_that_is_down_is_left_alone_until_it_is_back() {
    let (rig, other) = with_another(Rig::new(Kind::Findable));
    rig.provider.on("trouble", [refused(DOWN)]);
    for nth in 0..3 {
        rig.say(&format!("a{nth}"), "trouble");
        rig.until_shown(&format!("a{nth}"), 1).await;
    }
    let asked = rig.provider.asked().len();
    rig.say("b", "trouble");
    rig.until_shown("b", 1).await;
    assert_eq!((rig.provider.asked().len(), other.asked().len()), (asked, 4));
    // the first question after its rest finds it well again
    tokio::time::sleep(Duration::from_secs(6)).await;
    for nth in 0..3 {
        let chat = format!("c{nth}");
        rig.say(&chat, "hello");
        assert_eq!(rig.until_shown(&chat, 1).await, ["You said hello."]);
    }
    assert_eq!(rig.provider.asked().len(), asked + 3);
}

#[tokio::test(start_paused = true)]
async fn the_only_one_is_asked_also_while_it_seems_to_be_down() {
    let rig = Rig::started(Kind::Findable);
    rig.provider.on("trouble", [refused(DOWN)]);
    for nth in 0..4 {
        rig.say(&format!("a{nth}"), "trouble");
        let shown = rig.until_shown(&format!("a{nth}"), 1).await;
        assert_eq!(shown, [notice(&Fault::Provider(DOWN))]);
    }
    // four tries each, as if nobody kept count
    assert_eq!(rig.provider.asked().len(), 16);
    for nth in 0..3 {
        rig.say(&format!("b{nth}"), "hello");
    }
    rig.until_quiet().await;
    for nth in 0..3 {
        assert_eq!(rig.shown(&format!("b{nth}")), ["You said hello."]);
    }
}

#[tokio::test(start_paused = true)]
async fn those_passed_over_are_asked_before_all_is_given_up() {
    let (rig, other) = with_another(Rig::new(Kind::Findable));
    rig.provider.on("trouble", [refused(DOWN)]);
    for nth in 0..3 {
        rig.say(&format!("a{nth}"), "trouble");
        rig.until_shown(&format!("a{nth}"), 1).await;
    }
    other.on("hello", [refused(ProviderFault::Billing)]);
    rig.say("b", "hello");
    assert_eq!(rig.until_shown("b", 1).await, ["You said hello."]);
}

#[tokio::test(start_paused = true)]
async fn places_are_given_in_order_and_given_back() {
    let mut rig = Rig::new(Kind::Findable);
    rig.at_once = 1;
    rig.start();
    let broken = vec![Piece::Wait(Duration::from_secs(2)), Piece::Text("x".into()), Piece::Cut];
    rig.provider.on("broken", [broken]);
    rig.provider.on("panic", [vec![Piece::Text("x".into()), Piece::Panic]]);
    rig.provider.on("slow", [slow(2, "done")]);
    let questions = ["slow 0", "broken 1", "panic 2", "slow 3", "slow 4"];
    for (nth, question) in questions.iter().enumerate() {
        rig.say(&format!("chat {nth}"), question);
        tokio::time::sleep(Duration::from_millis(100)).await;
        assert!(rig.provider.open() <= 1);
    }
    rig.until_quiet().await;
    let asked: Vec<String> = rig
        .provider
        .asked()
        .iter()
        .map(|(_, asked)| format!("{:?}", asked.messages))
        .collect();
    assert_eq!(asked.len(), 5);
    for (asked, question) in asked.iter().zip(questions) {
        assert!(asked.contains(question), "{asked}");
    }
    assert_eq!(rig.shown("chat 4"), ["done"]);
}

#[tokio::test(start_paused = true)]
async fn a_question_without_a_place_is_told_or_asked_of_another() {
    let mut rig = Rig::new(Kind::Findable);
    rig.at_once = 1;
    rig.start();
    rig.provider.on("slow", [slow(280, "done")]);
    rig.say("a", "slow");
    rig.until("it is asked", |rig| rig.provider.open() == 1).await;
    rig.say("b", "hello");
    assert_eq!(rig.until_shown("b", 1).await, [notice(&Fault::Busy)]);

    let mut rig = Rig::new(Kind::Findable);
    rig.at_once = 1;
    let (rig, other) = with_another(rig);
    rig.provider.on("slow", [slow(280, "done")]);
    rig.say("a", "slow");
    rig.until("it is asked", |rig| rig.provider.open() == 1).await;
    rig.say("b", "trouble");
    rig.until("the other one answers", |rig| rig.shown("b") == ["from the other"])
        .await;
    assert_eq!((rig.provider.open(), other.asked().len()), (1, 1));
    rig.until_quiet().await;
}

#[tokio::test(start_paused = true)]
async fn a_first_word_is_waited_for_from_when_the_question_is_sent() {
    let mut rig = Rig::new(Kind::Findable);
    rig.at_once = 1;
    rig.deadlines = Deadlines {
        first_byte: Duration::from_secs(20),
        ..Deadlines::default()
    };
    rig.start();
    let mut long = vec![Piece::Text("so".into())];
    long.extend(slow(40, " long"));
    rig.provider.on("long", [long]);
    rig.provider.on("slow", [slow(15, "done")]);
    rig.say("a", "long");
    rig.until("it is asked", |rig| rig.provider.open() == 1).await;
    rig.say("b", "slow");
    assert_eq!(rig.until_shown("b", 1).await, ["done"]);
}

#[tokio::test(start_paused = true)]
async fn a_reload_keeps_the_line_and_changes_its_places() {
    let mut rig = Rig::new(Kind::Findable);
    rig.at_once = 1;
    rig.start();
    rig.provider.on("slow", [slow(50, "done")]);
    for nth in 0..4 {
        rig.say(&format!("a{nth}"), "slow");
    }
    let resize = |rig: &mut Rig, at_once| {
        rig.at_once = at_once;
        rig.next.is(Ok(rig.live()));
    };
    rig.until("one is asked", |rig| rig.provider.open() == 1).await;
    resize(&mut rig, 3);
    rig.handle().reload().await.unwrap();
    rig.until("three are asked", |rig| rig.provider.open() == 3).await;
    resize(&mut rig, 1);
    rig.handle().reload().await.unwrap();
    rig.until("three are answered", |rig| rig.provider.open() == 1).await;
    rig.say("b", "slow");
    tokio::time::sleep(Duration::from_secs(10)).await;
    assert_eq!(rig.provider.open(), 1);
    rig.until_quiet().await;
    assert_eq!(rig.provider.asked().len(), 5);
}

#[tokio::test(start_paused = true)]
async fn signs_of_life_alone_have_an_end() {
    let limits = Deadlines::default();
    let alive = (0..100).flat_map(|_| [Piece::Wait(Duration::from_secs(50)), Piece::Alive]);
    let rig = Rig::started(Kind::Findable);
    rig.provider.on("alive", [alive.collect()]);
    rig.say("a", "alive");
    assert_eq!(rig.until_shown("a", 1).await, [notice(&Fault::TooSlow(limits.total))]);
}

#[tokio::test(start_paused = true)]
async fn what_is_too_long_is_asked_with_less_before() {
    let rig = Rig::started(Kind::Findable);
    for nth in 0..6 {
        rig.say("a", &format!("number {nth}"));
        rig.until_shown("a", nth + 1).await;
    }
    let too_long = refused(ProviderFault::ContextTooLong);
    rig.provider.on("trouble", [too_long.clone(), too_long, words("fits")]);
    rig.say("a", "trouble");
    rig.until_quiet().await;
    assert_eq!(rig.shown("a").last().unwrap(), "fits");
    let asked = rig.provider.asked();
    let lengths: Vec<usize> = asked
        .iter()
        .skip(6)
        .map(|(_, request)| request.messages.len())
        .collect();
    assert_eq!(lengths, [13, 7, 3]);
}
