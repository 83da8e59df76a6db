//! A store that cannot write delays everything and loses nothing; a broken one ends the run.

use std::time::Duration;

use tertulia_engine::EngineError;
use tertulia_ports::StoreError;
use tertulia_testkit::chat_double::Kind;

use crate::rig::{Mood, Piece, Rig};

#[tokio::test(start_paused = true)]
async fn a_busy_store_delays_and_loses_nothing() {
    for kind in [Kind::Keyed, Kind::Findable, Kind::Blind] {
        let rig = Rig::started(kind);
        for nth in 0..20 {
            rig.say(&format!("chat {}", nth % 3), &format!("question {nth}"));
            rig.moody.feel(Mood::Busy);
            tokio::time::sleep(Duration::from_secs(1)).await;
            rig.moody.feel(Mood::Well);
            tokio::time::sleep(Duration::from_millis(37 * nth % 101)).await;
        }
        rig.until_quiet().await;
        assert_eq!(rig.judge_echoes().answered, 20);
    }
}

#[tokio::test(start_paused = true)]
async fn a_store_that_is_busy_at_start_is_waited_for() {
    let mut rig = Rig::new(Kind::Findable);
    rig.moody.feel(Mood::Busy);
    rig.start();
    rig.say("a", "hello");
    tokio::time::sleep(Duration::from_mins(1)).await;
    assert!(rig.is_running());
    rig.moody.feel(Mood::Well);
    rig.until_shown("a", 1).await;
    rig.judge_echoes();
}

async fn check_broken(mut rig: Rig) {
    rig.moody.feel(Mood::Broken);
    rig.say("b", "anybody?");
    let ended = rig.ended().await;
    assert!(
        matches!(ended, Err(EngineError::Store(StoreError::Broken(_)))),
        "{ended:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_broken_store_ends_the_run() {
    check_broken(Rig::started(Kind::Findable)).await;
    let rig = Rig::started(Kind::Findable);
    rig.provider
        .on("long", [vec![Piece::Text("so".into()), Piece::Silence]]);
    rig.say("a", "long");
    rig.until("it streams", |rig| rig.shown("a").len() == 1).await;
    check_broken(rig).await;
}

#[tokio::test(start_paused = true)]
async fn a_store_that_refuses_a_slot_holds_no_other() {
    let mut rig = Rig::started(Kind::Keyed);
    rig.moody.feel(Mood::Picky);
    rig.say("a", "hello");
    rig.until("it is shown", |rig| rig.shown("a").len() == 1).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    rig.moody.feel(Mood::Well);
    rig.say("a", "more");
    rig.until("the next one is shown", |rig| rig.shown("a").len() == 2)
        .await;
    assert!(rig.is_running());
    rig.crash().await;
    rig.until_quiet().await;
    rig.judge_echoes();
}
