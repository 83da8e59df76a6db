//! What stands behind a command goes on, whatever becomes of the command.

use std::time::Duration;

use tertulia_core::fault::Fault;
use tertulia_message::{Finish, SlotKind};
use tertulia_testkit::chat_double::{Kind, Said};
use tertulia_testkit::fake_store::RowState;

use crate::commands::told::{governed, told};
use crate::rig::{Log, Mood, Piece, Rig, words};

fn after(seconds: u64, text: &str) -> Vec<Piece> {
    let wait = Piece::Wait(Duration::from_secs(seconds));
    std::iter::once(wait).chain(words(text)).collect()
}

/// In real time: whoever spins leaves the paused clock no moment to go on.
#[tokio::test]
async fn what_waits_for_an_interface_that_is_gone_is_looked_at_once() {
    let mut rig = Rig::started(Kind::Findable);
    rig.provider.on("long", [vec![Piece::Silence]]);
    rig.door.stored("r1", "talk", "long").await;
    rig.until("it is asked", |rig| rig.provider.open() == 1).await;
    rig.door.stored("r2", "talk", "/path").await;
    let log = Log::taken();
    rig.without_door = true;
    rig.crash().await;
    rig.say("a", "hello");
    rig.until("another is answered", |rig| rig.shown("a").len() == 1).await;
    let looked = log.with("messages wait for an interface that is not configured").len();
    assert!((1..5).contains(&looked), "{looked}");
}

#[tokio::test(start_paused = true)]
async fn what_was_dropped_is_not_answered_by_a_session_that_gets_a_place_meanwhile() {
    let mut rig = Rig::new(Kind::Findable);
    rig.settings.sessions = 2;
    rig.start();
    rig.provider.on("long", [after(5, "done")]);
    for id in ["s1", "s2"] {
        rig.door.supplied(id, "long", Vec::new()).await;
    }
    rig.until("the places are taken", |rig| rig.provider.open() == 2).await;
    rig.say("b", "one");
    rig.until("it waits", |rig| rig.store.row_states().len() == 1).await;
    rig.moody.slow("drop", Duration::from_secs(8));
    let answer = told(&rig, Said::direct("b", "ann", "/stop")).await;
    assert_eq!(answer, "Stopped. 1 waiting message was dropped.");
    rig.say("c", "two");
    rig.until_quiet().await;
    assert_eq!(rig.shown("b"), [answer]);
    assert_eq!(rig.shown("c"), ["You said two."]);
}

#[tokio::test(start_paused = true)]
async fn stop_reaches_what_waits_behind_a_slow_command() {
    let mut rig = governed();
    rig.start();
    rig.next.is(Ok(rig.live()));
    rig.next.takes(Duration::from_secs(5));
    rig.say("ann", "/reload");
    rig.say("ann", "question");
    rig.say("ann", "/stop");
    rig.until_quiet().await;
    rig.say("ann", "next");
    rig.until_quiet().await;
    let shown = rig.shown("ann");
    assert!(
        !shown.iter().any(|text| text.contains("You said question")),
        "{shown:?}"
    );
    assert_eq!(shown.last().unwrap(), "You said next.");
}

#[tokio::test(start_paused = true)]
async fn a_command_that_panics_beside_its_doing_is_told_and_passed() {
    let rig = Rig::started(Kind::Findable);
    rig.say("a", "hello");
    rig.until_shown("a", 1).await;
    rig.chat.panic_at_limits(1);
    rig.say("a", "/path");
    rig.say("a", "again");
    rig.until_quiet().await;
    let shown = rig.shown("a");
    assert!(shown.contains(&Fault::Internal.public().to_string()), "{shown:?}");
    assert_eq!(shown.last().unwrap(), "You said again.");
}

#[tokio::test(start_paused = true)]
async fn what_the_store_refuses_is_told() {
    let rig = Rig::started(Kind::Findable);
    rig.moody.refuse("reply", 1);
    let answer = told(&rig, Said::direct("a", "ann", "/path")).await;
    assert_eq!(answer, Fault::Internal.public().to_string());
}

#[tokio::test(start_paused = true)]
async fn a_setting_that_cannot_be_stored_holds_no_request() {
    let rig = Rig::started(Kind::Findable);
    rig.moody.slow_accept(Duration::from_secs(1));
    rig.say("a", "/model other");
    rig.until("it is accepted", |rig| rig.store.row_states().len() == 1)
        .await;
    rig.moody.feel(Mood::Busy);
    tokio::time::sleep(Duration::from_secs(2)).await;
    rig.door.supplied("s1", "hello", Vec::new()).await;
    rig.until("it is answered", |rig| rig.door.ending("s1").is_some()).await;
    assert_eq!(rig.door.ending("s1").unwrap().finish, Finish::Stop);
    assert_eq!(rig.store.row_states()[0].1, RowState::New);
    rig.moody.feel(Mood::Well);
    rig.until_quiet().await;
    assert_eq!(rig.shown("a").len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_stop_outlives_the_session_that_was_to_do_it() {
    let rig = Rig::started(Kind::Findable);
    rig.say("a", "hello");
    rig.until_shown("a", 1).await;
    rig.provider.panic_at_capabilities(1);
    let answer = told(&rig, Said::direct("a", "ann", "/stop")).await;
    assert_eq!(answer, "Nothing was running.");
}

#[tokio::test(start_paused = true)]
async fn a_door_that_hangs_holds_no_command() {
    let rig = Rig::started(Kind::Findable);
    rig.door.hang();
    rig.door.stored("r1", "talk", "/path").await;
    rig.door.stored("r2", "talk", "/path").await;
    rig.until("both are done", |rig| {
        rig.store.row_states().iter().all(|(_, state)| *state == RowState::Done)
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn forget_says_so_where_an_answer_is_still_on_its_way() {
    for question in ["a secret", "/history"] {
        let rig = Rig::started(Kind::Findable);
        rig.say("a", "my secret");
        rig.until_shown("a", 1).await;
        rig.chat.slow_deliveries(Duration::from_secs(20));
        rig.say("a", question);
        rig.until("it is on its way", |rig| {
            let slots = rig.store.slots();
            slots
                .iter()
                .any(|slot| slot.is_due() && slot.id.kind != SlotKind::Notice)
        })
        .await;
        let answer = told(&rig, Said::direct("a", "ann", "/forget yes")).await;
        assert!(answer.contains("is still on its way"), "{question}: {answer}");
        let answer = told(&rig, Said::direct("a", "ann", "/forget yes")).await;
        assert!(!answer.contains("is still on its way"), "{question}: {answer}");
        rig.until_quiet().await;
        let slots = format!("{:?}", rig.store.slots());
        assert!(!slots.contains("secret"), "{question}: {slots}");
    }
}
