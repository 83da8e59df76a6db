//! Commands, floods and strangers.

mod arguments;
mod desk;
mod governing;
mod pressing;
mod settings;
mod stopping;
pub(crate) mod told;

use std::time::Duration;

use tertulia_core::access::AccessRules;
use tertulia_core::provider::Stop;
use tertulia_message::{Addressed, Level, PersonId};
use tertulia_testkit::chat_double::{Expected, Kind, Said, Spot};
use tertulia_testkit::fake_store::RowState;

use crate::rig::{Mood, Piece, Rig};

#[tokio::test(start_paused = true)]
async fn commands_are_answered_while_a_turn_streams() {
    let rig = Rig::started(Kind::Findable);
    rig.provider
        .on("long", [vec![Piece::Text("so".into()), Piece::Silence]]);
    rig.say("a", "long");
    rig.until("it streams", |rig| rig.shown("a").len() == 1).await;
    rig.say("a", "/path");
    rig.until("the command is answered", |rig| rig.shown("a").len() == 2)
        .await;
    rig.say("a", "/nonsense");
    rig.until("the other one, too", |rig| rig.shown("a").len() == 3).await;
    let shown = rig.shown("a");
    assert!(shown[1].contains("loopback/a"), "{shown:?}");
    assert!(
        shown[2].contains("/nonsense") && shown[2].contains("/help"),
        "{shown:?}"
    );
    assert_eq!(rig.provider.open(), 1, "the answer still streams");
}

#[tokio::test(start_paused = true)]
async fn a_command_left_over_is_answered_after_the_restart() {
    let mut rig = Rig::started(Kind::Findable);
    rig.until("it listens", |rig| rig.double.waiting(None) == 0).await;
    rig.say("a", "/whoami");
    rig.until("it is accepted", |rig| {
        if rig.store.row_states().is_empty() {
            return false;
        }
        rig.moody.feel(Mood::Busy);
        true
    })
    .await;
    rig.moody.feel(Mood::Well);
    rig.crash().await;
    let shown = rig.until_shown("a", 1).await;
    assert!(shown[0].contains("loopback/ann"), "{shown:?}");
    rig.judge(&|_| Expected::Any);
}

#[tokio::test(start_paused = true)]
async fn beyond_the_bound_one_notice_and_the_order_is_kept() {
    let rig = Rig::started(Kind::Findable);
    let slow = vec![
        Piece::Wait(Duration::from_mins(1)),
        Piece::Text("first".into()),
        Piece::End(Stop::Done),
    ];
    rig.provider.on("number 0.", [slow]);
    rig.say("a", "number 0.");
    rig.until("it is asked", |rig| rig.provider.open() == 1).await;
    for nth in 1..55 {
        rig.say("a", &format!("number {nth}."));
    }
    rig.until_quiet().await;
    let dropped = rig
        .store
        .row_states()
        .iter()
        .filter(|(_, state)| matches!(state, RowState::Dropped(_)))
        .count();
    assert_eq!(dropped, 5);
    let shown = rig.shown("a");
    let notices = shown
        .iter()
        .filter(|text| text.contains("more than I can take in"))
        .count();
    assert_eq!((notices, shown.len()), (1, 51));
    let answers: Vec<&String> = shown
        .iter()
        .filter(|text| !text.contains("more than I can take in"))
        .collect();
    assert_eq!(answers[0], "first");
    for (nth, answer) in answers.iter().enumerate().skip(1) {
        assert_eq!(**answer, format!("You said number {nth}.."));
    }
}

#[tokio::test(start_paused = true)]
async fn strangers_leave_no_row() {
    let mut rig = Rig::new(Kind::Findable);
    rig.settings.access = AccessRules {
        people: [(PersonId::new("loopback", "ann"), Level::User)].into(),
        ..AccessRules::default()
    };
    rig.start();
    rig.say_at(Said::direct("b", "bob", "let me in"));
    rig.until("the stranger is told", |rig| rig.shown("b").len() == 1).await;
    assert!(rig.shown("b")[0].contains("private bot"));
    rig.say_at(Said::at(Spot::chat("group"), "bob", "you there?", Addressed::Mention));
    rig.say_at(Said::at(Spot::chat("group"), "bob", "/help", Addressed::Command));
    rig.say("a", "hello");
    rig.until_shown("a", 1).await;
    assert_eq!(rig.shown("group"), Vec::<String>::new());
    assert_eq!(rig.store.row_states().len(), 1, "only the friend's");
    assert_eq!(rig.provider.asked().len(), 1);
}
