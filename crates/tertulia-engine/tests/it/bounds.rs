//! Many at once, and nothing left behind.

use std::sync::Arc;
use std::time::Duration;

use tertulia_core::provider::Stop;
use tertulia_core::transaction::DropReason;
use tertulia_interface::Interface;
use tertulia_testkit::chat_double::{CallKind, Expected, Fault, Faults, Kind};
use tertulia_testkit::fake_store::RowState;

use crate::rig::{Piece, Rig};

const MANY: usize = 500;

/// Sessions hold their interface: how many hands hold it tells how many sessions there are.
fn hands(rig: &Rig) -> usize {
    Arc::strong_count(&rig.chat)
}

#[tokio::test(start_paused = true)]
async fn five_hundred_sessions_come_and_go() {
    let rig = Rig::started(Kind::Findable);
    rig.say("first", "hello");
    rig.until_shown("first", 1).await;
    rig.until("it is idle", |rig| rig.chat.still_typing() == 0).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    let before = hands(&rig);
    let slow = vec![
        Piece::Wait(Duration::from_secs(90)),
        Piece::Text("done".into()),
        Piece::End(Stop::Done),
    ];
    rig.provider.on("many", [slow]);
    for nth in 0..MANY {
        rig.say(&format!("chat {nth}"), "many");
    }
    rig.until("all stream at once", |rig| rig.provider.open() == MANY).await;
    assert!(hands(&rig) >= before + MANY);
    rig.until_quiet().await;
    rig.until("sessions are let go", |rig| hands(rig) == before).await;
    let summary = rig.judge(&|_| Expected::Any);
    assert_eq!(summary.answered, MANY + 1);
    assert_eq!(rig.chat.still_typing(), 0);
}

#[tokio::test(start_paused = true)]
async fn no_more_sessions_than_places_and_each_gets_one() {
    let mut rig = Rig::new(Kind::Findable);
    rig.settings.sessions = 3;
    rig.start();
    let slow = vec![
        Piece::Wait(Duration::from_secs(5)),
        Piece::Text("done".into()),
        Piece::End(Stop::Done),
    ];
    rig.provider.on("many", [slow]);
    for nth in 0..20 {
        rig.say(&format!("chat {nth}"), "many");
    }
    rig.until("the places are taken", |rig| rig.provider.open() == 3).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(rig.provider.open(), 3);
    // a reader that goes while its request waits for a place is not asked for
    rig.door.stored("r1", "talk", "hello").await;
    rig.door.hang_up("r1").await;
    rig.until_quiet().await;
    assert_eq!(rig.judge(&|_| Expected::Any).answered, 20);
    rig.until("the request is dropped", |rig| {
        rig.store
            .row_states()
            .iter()
            .any(|(_, state)| *state == RowState::Dropped(DropReason::Stopped))
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn more_deliveries_than_places_are_all_made() {
    for kind in [Kind::Findable, Kind::Blind] {
        let rig = Rig::started(kind);
        rig.chat.slow_deliveries(Duration::from_millis(700));
        rig.double
            .plan(Faults::none().when(40, |call| call.kind == CallKind::Post, Fault::Lost));
        for nth in 0..MANY {
            rig.say(&format!("chat {nth}"), "hello");
        }
        rig.until_quiet().await;
        assert_eq!(rig.judge_echoes().answered, MANY);
        for nth in 0..MANY {
            // without the mark of something sent again: nothing was unsure
            assert_eq!(rig.shown(&format!("chat {nth}")), ["You said hello."]);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn requests_leave_nothing_behind() {
    let mut rig = Rig::new(Kind::Findable);
    rig.settings.passing_requests = 1;
    rig.start();
    for nth in 0..50 {
        let id = format!("s{nth}");
        let verdict = rig.door.supplied(&id, "hello", Vec::new()).await;
        assert_eq!(verdict, tertulia_interface::Verdict::Accepted, "request {nth}");
        rig.until("it ends", |rig| rig.door.ending(&id).is_some()).await;
    }
    let door: Arc<dyn Interface> = rig.door.clone();
    let kept = Arc::strong_count(&door);
    rig.until("sessions are let go", |_| Arc::strong_count(&door) < kept || kept <= 5)
        .await;
}
