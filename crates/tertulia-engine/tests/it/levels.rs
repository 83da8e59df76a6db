//! What a changed level does to what is on its way: shut out, let in, and who comes in the same batch.

use std::time::Duration;

use tertulia_core::access::AccessRules;
use tertulia_message::{Addressed, Level, PersonId};
use tertulia_testkit::chat_double::{Kind, Said, Spot};
use tertulia_testkit::fake_store::RowState;

use crate::rig::{Piece, Rig};

/// Ann governs, and Bob may speak.
fn governed() -> Rig {
    let mut rig = Rig::new(Kind::Findable);
    let person = |name: &str| PersonId::new("loopback", name);
    rig.settings.access = AccessRules {
        people: [(person("ann"), Level::Admin), (person("bob"), Level::User)].into(),
        ..AccessRules::default()
    };
    rig
}

fn direct(rig: &Rig, who: &str, text: &str) {
    rig.say_at(Said::direct(who, who, text));
}

/// An answer to Bob streams, and does not end.
async fn bob_is_answered() -> Rig {
    let mut rig = governed();
    rig.provider
        .on("long", [vec![Piece::Text("so far".to_owned()), Piece::Silence]]);
    rig.start();
    direct(&rig, "bob", "long");
    rig.until("it streams", |rig| !rig.shown("bob").is_empty()).await;
    rig
}

#[tokio::test(start_paused = true)]
async fn who_is_shut_out_is_answered_no_more() {
    let rig = bob_is_answered().await;
    direct(&rig, "bob", "one more");
    rig.until("it waits", |rig| rig.store.row_states().len() == 2).await;
    direct(&rig, "ann", "/deny person loopback/bob");
    rig.until("the stream is closed", |rig| rig.provider.open() == 0).await;
    rig.until_quiet().await;
    assert_eq!(rig.provider.asked().len(), 1, "what waited is not answered");
    assert!(
        rig.shown("bob").last().unwrap().contains("(Stopped.)"),
        "{:?}",
        rig.shown("bob")
    );
    let states: Vec<RowState> = rig.store.row_states().into_iter().map(|(_, state)| state).collect();
    assert!(
        matches!(states[..], [RowState::Done, RowState::Dropped(_), RowState::Done]),
        "{states:?}"
    );
    assert_eq!(rig.shown("ann").len(), 1);
}

#[tokio::test(start_paused = true)]
async fn others_are_not_touched_by_it() {
    let rig = bob_is_answered().await;
    direct(&rig, "ann", "/deny person loopback/eve");
    rig.until("it is done", |rig| rig.shown("ann").len() == 1).await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(rig.provider.open(), 1);
}

#[tokio::test(start_paused = true)]
async fn who_is_let_in_is_heard_in_the_same_batch() {
    let mut rig = governed();
    direct(&rig, "ann", "/allow person loopback/eve");
    direct(&rig, "eve", "hello");
    rig.start();
    rig.until_shown("eve", 1).await;
    assert_eq!(rig.shown("eve"), ["You said hello."]);
}

#[tokio::test(start_paused = true)]
async fn who_is_shut_out_is_not_heard_in_the_same_batch() {
    let mut rig = governed();
    direct(&rig, "ann", "/deny person loopback/bob");
    direct(&rig, "bob", "hello");
    rig.start();
    rig.until_shown("ann", 1).await;
    rig.until_quiet().await;
    assert_eq!(rig.shown("bob"), Vec::<String>::new());
    assert_eq!(rig.store.row_states().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn the_first_admin_governs_in_the_batch_of_the_claim() {
    let mut rig = governed();
    rig.settings.access = AccessRules::default();
    let engine = rig.engine();
    engine.prepare().await.unwrap();
    let code = rig.handle().open_claim().unwrap();
    direct(&rig, "ann", &format!("/claim {code}"));
    direct(&rig, "ann", "/allow person loopback/eve");
    direct(&rig, "eve", "hello");
    rig.run(engine);
    rig.until_shown("eve", 1).await;
    assert_eq!(rig.shown("eve"), ["You said hello."]);
    assert_eq!(rig.shown("ann").len(), 2, "{:?}", rig.shown("ann"));
}

#[tokio::test(start_paused = true)]
async fn a_code_that_a_group_has_read_is_good_no_more() {
    let mut rig = governed();
    rig.settings.access = AccessRules::default();
    let engine = rig.engine();
    engine.prepare().await.unwrap();
    let code = rig.handle().open_claim().unwrap();
    rig.run(engine);
    let typed = format!("/claim {code}");
    rig.say_at(Said::at(Spot::chat("room"), "ann", &typed, Addressed::Command));
    rig.until_quiet().await;
    direct(&rig, "eve", &typed);
    rig.until_shown("eve", 1).await;
    assert!(
        rig.shown("eve")[0].contains("do not know you"),
        "{:?}",
        rig.shown("eve")
    );
    assert_eq!(rig.store.row_states().len(), 0);
    assert!(rig.handle().open_claim().is_some(), "the operator gets another one");
}
