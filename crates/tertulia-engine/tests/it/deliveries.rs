//! The courier at work: limits, moves, losses, dead letters.

use std::time::Duration;

use tertulia_core::courier::RESENT_MARK;
use tertulia_core::provider::Stop;
use tertulia_core::record::SlotState;
use tertulia_message::{Addressed, RateScope};
use tertulia_testkit::chat_double::{CallKind, Expected, Fault, Faults, Kind, RecordAct, Said, Spot};

use tokio::time::Instant;

use crate::rig::{Log, Piece, Rig};

const KINDS: [Kind; 3] = [Kind::Keyed, Kind::Findable, Kind::Blind];

fn limited(scope: RateScope) -> Fault {
    Fault::RateLimited {
        after: Duration::from_secs(40),
        scope,
    }
}

#[tokio::test(start_paused = true)]
async fn a_limit_of_a_chat_is_obeyed_and_holds_no_other() {
    for kind in KINDS {
        let rig = Rig::started(kind);
        rig.double
            .plan(Faults::none().next(CallKind::Post, limited(RateScope::Path)));
        rig.say("a", "one");
        rig.until("it is limited", |rig| {
            rig.store.slots().iter().any(|slot| slot.progress.tries > 0)
        })
        .await;
        rig.say("a", "two");
        rig.say("b", "three");
        rig.until("the other chat is answered", |rig| rig.shown("b").len() == 1)
            .await;
        assert_eq!(rig.shown("a"), Vec::<String>::new());
        rig.until_quiet().await;
        rig.judge_echoes();
    }
}

#[tokio::test(start_paused = true)]
async fn a_limit_of_the_account_holds_all() {
    let log = Log::taken();
    for kind in KINDS {
        let rig = Rig::started(kind);
        rig.double
            .plan(Faults::none().next(CallKind::Post, limited(RateScope::Account)));
        rig.say("a", "one");
        rig.until("it is limited", |rig| {
            rig.store.slots().iter().any(|slot| slot.progress.tries > 0)
        })
        .await;
        for chat in ["a", "b", "c"] {
            rig.say(chat, "two");
        }
        rig.until_quiet().await;
        rig.judge_echoes();
        assert_eq!(log.with("a delivery failed"), Vec::<String>::new());
        assert!(!log.with("a delivery waits").is_empty());
    }
}

fn slowly(words: usize) -> Vec<Piece> {
    let word = |nth| [Piece::Text(format!("w{nth} ")), Piece::Wait(Duration::from_millis(200))];
    (0..words).flat_map(word).chain([Piece::End(Stop::Done)]).collect()
}

fn all_words(words: usize) -> String {
    (0..words).map(|nth| format!("w{nth} ")).collect::<Vec<_>>().concat()
}

#[tokio::test(start_paused = true)]
async fn live_edits_are_dropped_under_a_limit_and_the_text_is_whole() {
    for kind in KINDS {
        let rig = Rig::started(kind);
        rig.double
            .plan(Faults::none().nth(CallKind::Edit, 2, limited(RateScope::Path)));
        rig.provider.on("slow", [slowly(40)]);
        rig.say("a", "slow");
        rig.until_shown("a", 1).await;
        rig.judge(&|_| Expected::Equals(all_words(40)));
        let edits = rig
            .double
            .records()
            .into_iter()
            .filter(|record| record.act == RecordAct::Edited)
            .count();
        assert!(edits <= 3, "{edits} edits under a limit");
    }
}

#[tokio::test(start_paused = true)]
async fn a_thread_shares_the_limit_of_its_chat() {
    let rig = Rig::started(Kind::Findable);
    rig.double
        .plan(Faults::none().next(CallKind::Post, limited(RateScope::Path)));
    let thread = Spot::thread("a", "t");
    rig.say("a", "one");
    rig.until("it is limited", |rig| {
        rig.store.slots().iter().any(|slot| slot.progress.tries > 0)
    })
    .await;
    let since = Instant::now();
    rig.say_at(Said::at(thread.clone(), "ann", "two", Addressed::Mention));
    rig.until("the thread is answered", |rig| rig.shown_at(&thread).len() == 1)
        .await;
    assert!(since.elapsed() >= Duration::from_secs(30));
    rig.until_quiet().await;
    rig.judge(&|_| Expected::Any);
}

#[tokio::test(start_paused = true)]
async fn lost_and_unsure_deliveries_are_resolved() {
    for kind in KINDS {
        for fault in [Fault::Lost, Fault::UnsureExecuted, Fault::UnsureNotExecuted] {
            for call in [CallKind::Post, CallKind::Edit] {
                let rig = Rig::started(kind);
                rig.double.plan(Faults::none().next(call, fault.clone()));
                rig.provider.on("slow", [slowly(8)]);
                rig.say("a", "slow");
                rig.until_quiet().await;
                rig.judge(&|_| Expected::Contains(all_words(8)));
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn what_stays_unsure_is_tried_ever_more_seldom() {
    let rig = Rig::started(Kind::Blind);
    rig.double
        .plan(Faults::none().when(6, |call| call.kind == CallKind::Post, Fault::UnsureNotExecuted));
    rig.say("a", "hello");
    rig.until_quiet().await;
    assert!(rig.now() >= Duration::from_secs(10), "all tries within {:?}", rig.now());
    assert_eq!(rig.shown("a"), [format!("You said hello.\n\n{RESENT_MARK}")]);
}

#[tokio::test(start_paused = true)]
async fn a_moved_chat_is_followed() {
    for kind in KINDS {
        let rig = Rig::started(kind);
        rig.double
            .plan(Faults::none().next(CallKind::Post, Fault::Moved("z".to_owned())));
        rig.say("a", "hello");
        rig.until_quiet().await;
        rig.say("z", "again");
        rig.until_quiet().await;
        rig.judge_echoes();
        assert_eq!(rig.shown("z").len(), 2);
        assert_eq!(rig.provider.asked()[1].1.messages.len(), 3, "the history moved along");
    }
}

#[tokio::test(start_paused = true)]
async fn a_chat_that_moves_while_an_answer_grows_is_followed() {
    for kind in KINDS {
        let rig = Rig::started(kind);
        rig.double
            .plan(Faults::none().nth(CallKind::Edit, 2, Fault::Moved("z".to_owned())));
        rig.provider.on("slow", [slowly(60)]);
        rig.say("a", "slow");
        rig.until_quiet().await;
        rig.judge(&|_| Expected::Equals(all_words(60)));
    }
}

#[tokio::test(start_paused = true)]
async fn a_chat_that_is_gone_is_blocked_until_something_comes_from_it() {
    for fault in [Fault::Gone, Fault::Refused] {
        let rig = Rig::started(Kind::Findable);
        rig.double.plan(Faults::none().next(CallKind::Post, fault));
        rig.say("a", "hello");
        rig.until("the chat is blocked", |rig| rig.blocked(1).is_some()).await;
        rig.say("b", "others");
        rig.until_shown("b", 1).await;
        rig.say("a", "back again");
        rig.until_quiet().await;
        assert_eq!(rig.shown("a"), ["You said back again."]);
        assert_eq!(rig.blocked(1), None);
        rig.judge(&|question| match question.text.as_str() {
            "hello" => Expected::Optional,
            _ => Expected::Any,
        });
    }
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_delivered_within_a_day_is_a_dead_letter() {
    let rig = Rig::started(Kind::Findable);
    rig.double
        .plan(Faults::none().when(100_000, |call| call.spot == Spot::chat("a"), Fault::Lost));
    rig.say("a", "hello");
    rig.say("b", "others");
    rig.until("it is given up", |rig| {
        rig.store
            .slots()
            .iter()
            .any(|slot| slot.progress.state == SlotState::Dead)
    })
    .await;
    assert!(rig.now() >= Duration::from_hours(24));
    assert!(rig.now() < Duration::from_hours(25));
    rig.double.plan(Faults::none());
    rig.say("a", "still there?");
    rig.until_quiet().await;
    assert_eq!(rig.shown("a"), ["You said still there?."]);
    assert_eq!(rig.shown("b"), ["You said others."]);
}

#[tokio::test(start_paused = true)]
async fn a_refused_part_of_a_growing_answer_holds_no_command() {
    let rig = Rig::started(Kind::Findable);
    rig.double.plan(Faults::none().next(CallKind::Post, Fault::TooLong));
    rig.provider.on(
        "slow",
        [vec![
            Piece::Text("so".into()),
            Piece::Wait(Duration::from_mins(1)),
            Piece::End(Stop::Done),
        ]],
    );
    rig.say("a", "slow");
    rig.until("the part is refused", |rig| {
        rig.store.slots().iter().any(|slot| slot.progress.error.is_some())
    })
    .await;
    rig.say("a", "/path");
    rig.until("the command is answered", |rig| rig.shown("a").len() == 1)
        .await;
    assert_eq!(rig.provider.open(), 1);
    rig.until_quiet().await;
    assert_eq!(rig.shown("a").len(), 2);
}

#[tokio::test(start_paused = true)]
async fn what_is_too_long_again_and_again_loses_nothing() {
    for kind in KINDS {
        let rig = Rig::started(kind);
        // the platform takes much less than it says
        let greedy = |call: &tertulia_testkit::chat_double::Call| call.text.len() > 30;
        rig.double.plan(Faults::none().when(1000, greedy, Fault::TooLong));
        let text = all_words(40);
        rig.provider
            .on("much", [vec![Piece::Text(text.clone()), Piece::End(Stop::Done)]]);
        rig.say("a", "much");
        rig.until_quiet().await;
        rig.judge(&|_| Expected::Equals(text.clone()));
    }
}

#[tokio::test(start_paused = true)]
async fn formatting_that_is_refused_becomes_plain_text() {
    let rig = Rig::started(Kind::Findable);
    rig.double
        .plan(Faults::none().when(1000, |call| call.formatted, Fault::Malformed));
    rig.provider.on(
        "bold",
        [vec![Piece::Text("so **very** bold".into()), Piece::End(Stop::Done)]],
    );
    rig.say("a", "bold");
    rig.until_quiet().await;
    assert_eq!(rig.shown("a"), ["so very bold"]);
}

#[tokio::test(start_paused = true)]
async fn a_chat_that_moves_in_circles_is_not_chased() {
    let rig = Rig::started(Kind::Findable);
    let circle = ["x", "a"].map(|to| Fault::Moved(to.to_owned()));
    let plan = (0..10).fold(Faults::none(), |plan, nth| {
        plan.next(CallKind::Post, circle[nth % 2].clone())
    });
    rig.double.plan(plan);
    let began = Instant::now();
    rig.say("a", "hello");
    rig.until_quiet().await;
    assert!(began.elapsed() > Duration::from_mins(3), "{:?}", began.elapsed());
    assert_eq!(rig.shown("a"), ["You said hello."]);
}
