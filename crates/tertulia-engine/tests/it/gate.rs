//! Who comes in: the first admin by a code, strangers not at all.

use std::time::Duration;

use tertulia_core::access::AccessRules;
use tertulia_interface::Verdict;
use tertulia_message::path::InterfacePath;
use tertulia_message::{Addressed, Level, PersonId};
use tertulia_testkit::chat_double::{Kind, Said, Spot};

use crate::rig::{Log, Mood, Rig};

const DAY: Duration = Duration::from_hours(24);

fn person(name: &str) -> PersonId {
    PersonId::new("loopback", name)
}

/// A bot that nobody governs, and that knows nobody.
fn nobodys() -> Rig {
    let mut rig = Rig::new(Kind::Findable);
    rig.settings.access = AccessRules::default();
    rig
}

/// Running, with a code.
async fn claimable() -> (Rig, String) {
    let mut rig = nobodys();
    let engine = rig.engine();
    assert_eq!(rig.handle().open_claim(), None, "nobody knows yet who is admin");
    engine.prepare().await.unwrap();
    let code = rig.handle().open_claim().unwrap();
    rig.run(engine);
    (rig, code)
}

fn guess(rig: &Rig, who: &str, code: &str) {
    rig.say_at(Said::direct(who, who, format!("/claim {code}")));
}

/// Guesses and waits for the answer.
async fn guessed(rig: &Rig, who: &str, code: &str) -> String {
    let before = rig.shown(who).len();
    guess(rig, who, code);
    rig.until_shown(who, before + 1).await.pop().unwrap()
}

async fn is_admin(rig: &Rig, who: &str) -> bool {
    let before = rig.shown(who).len();
    rig.say_at(Said::direct(who, who, "/whoami"));
    tokio::time::sleep(Duration::from_secs(30)).await;
    let shown = rig.shown(who);
    shown.len() > before && shown.last().unwrap().contains("level admin")
}

/// Makes sure that the code is nowhere: not in the store, not in the log.
fn is_nowhere(rig: &Rig, log: &Log, code: &str) {
    let bare = code.replace('-', "");
    let written = rig.moody.written();
    assert!(
        written.iter().any(|written| written.contains("claim")),
        "the guesses are rows"
    );
    for secret in [code, &bare, &code.to_lowercase(), &bare.to_lowercase()] {
        assert!(written.iter().all(|written| !written.contains(secret)), "{written:#?}");
        assert_eq!(log.with(secret), Vec::<String>::new());
    }
}

#[tokio::test(start_paused = true)]
async fn strangers_are_told_of_the_claim_as_long_as_nobody_governs() {
    let (rig, code) = claimable().await;
    rig.say_at(Said::direct("ann", "ann", "/start"));
    let told = rig.until_shown("ann", 1).await.remove(0);
    assert!(
        told.contains("nobody governs me yet") && told.contains("send /claim"),
        "{told}"
    );
    guessed(&rig, "ann", &code).await;
    rig.say_at(Said::direct("bob", "bob", "/start"));
    let told = rig.until_shown("bob", 1).await.remove(0);
    assert!(told.contains("/allow person loopback/bob"), "{told}");
    assert!(!told.contains("/claim"), "{told}");
}

#[tokio::test(start_paused = true)]
async fn from_nothing_to_an_admin() {
    let log = Log::taken();
    let (rig, code) = claimable().await;
    guessed(&rig, "bob", "ABCD-EFGH").await;
    assert!(!is_admin(&rig, "bob").await);
    guessed(&rig, "ann", &code.to_lowercase()).await;
    assert!(is_admin(&rig, "ann").await);
    assert_eq!(rig.handle().open_claim(), None, "there is an admin");
    // the code is good once
    guess(&rig, "bob", &code);
    assert!(!is_admin(&rig, "bob").await);
    is_nowhere(&rig, &log, &code);
    is_nowhere(&rig, &log, "ABCD-EFGH");
    assert!(log.with("a wrong claim code")[0].contains("loopback/bob"));
}

#[tokio::test(start_paused = true)]
async fn an_admin_stays_one_after_a_restart() {
    let (mut rig, code) = claimable().await;
    guessed(&rig, "ann", &code).await;
    rig.crash().await;
    assert!(is_admin(&rig, "ann").await);
    assert_eq!(rig.handle().open_claim(), None);
}

#[tokio::test(start_paused = true)]
async fn five_wrong_guesses_close_the_code_and_a_new_one_can_be_made() {
    let log = Log::taken();
    let (rig, code) = claimable().await;
    for nth in 0..5 {
        guessed(&rig, "bob", &format!("WRNG-2{nth}2{nth}")).await;
    }
    assert_eq!(log.with("a wrong claim code").len(), 5);
    assert_eq!(log.with("`tertulia claim` makes a new one").len(), 1);
    guess(&rig, "ann", &code);
    assert!(!is_admin(&rig, "ann").await);
    let next = rig.handle().open_claim().unwrap();
    assert_ne!(next, code);
    guessed(&rig, "ann", &code).await;
    assert!(!is_admin(&rig, "ann").await, "the old code is none");
    guessed(&rig, "ann", &next).await;
    assert!(is_admin(&rig, "ann").await);
}

#[tokio::test(start_paused = true)]
async fn an_old_code_is_none() {
    let log = Log::taken();
    let (rig, code) = claimable().await;
    tokio::time::sleep(Duration::from_mins(15)).await;
    guess(&rig, "ann", &code);
    assert!(!is_admin(&rig, "ann").await);
    assert_eq!(log.with("the claim code is too old").len(), 1);
    is_nowhere_in_log(&log, &code);
}

fn is_nowhere_in_log(log: &Log, code: &str) {
    assert_eq!(log.with(code), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn a_group_is_no_place_for_a_code() {
    let (rig, code) = claimable().await;
    for addressed in [Addressed::Command, Addressed::Mention, Addressed::None] {
        let said = format!("/claim {code}");
        rig.say_at(Said::at(Spot::chat("group"), "ann", said, addressed));
    }
    tokio::time::sleep(Duration::from_secs(30)).await;
    assert_eq!(rig.shown("group"), Vec::<String>::new());
    assert!(rig.store.row_states().is_empty());
    guess(&rig, "ann", &code);
    assert!(!is_admin(&rig, "ann").await, "everybody there has read it");
    let next = rig.handle().open_claim().unwrap();
    guessed(&rig, "ann", &next).await;
    assert!(is_admin(&rig, "ann").await);
}

#[tokio::test(start_paused = true)]
async fn who_is_heard_already_may_claim_and_who_is_shut_out_may_not() {
    let mut rig = nobodys();
    let people = [(person("ann"), Level::User), (person("eve"), Level::Guest)];
    rig.settings.access.people = people.into();
    let engine = rig.engine();
    engine.prepare().await.unwrap();
    let code = rig.handle().open_claim().unwrap();
    rig.run(engine);
    for _ in 0..10 {
        guess(&rig, "eve", "WRNG-2222");
    }
    guess(&rig, "eve", &code);
    assert!(!is_admin(&rig, "eve").await);
    assert_eq!(rig.shown("eve"), Vec::<String>::new());
    guessed(&rig, "ann", &code).await;
    assert!(is_admin(&rig, "ann").await);
}

#[tokio::test(start_paused = true)]
async fn a_guess_handed_in_again_is_one_guess() {
    let (rig, code) = claimable().await;
    stranger(&rig, "eve");
    rig.until_shown("eve", 1).await;
    rig.moody.feel(Mood::Busy);
    guess(&rig, "bob", "WRNG-2222");
    tokio::time::sleep(Duration::from_mins(2)).await;
    rig.moody.feel(Mood::Well);
    rig.until_shown("bob", 1).await;
    rig.moody.feel(Mood::Busy);
    guess(&rig, "ann", &code);
    tokio::time::sleep(Duration::from_mins(2)).await;
    rig.moody.feel(Mood::Well);
    rig.until_shown("ann", 1).await;
    assert!(is_admin(&rig, "ann").await);
    let guesses = rig.moody.written();
    let with = |word: &str| guesses.iter().filter(|row| row.contains(word)).count();
    assert!(with("arguments: \"4\"") > 2 && with("arguments: \"right\"") > 2);
    assert_eq!(with("arguments: \"3\""), 0);
}

#[tokio::test(start_paused = true)]
async fn no_code_where_nobody_could_send_one_or_an_admin_is_configured() {
    let mut rig = nobodys();
    rig.claimable = false;
    rig.engine().prepare().await.unwrap();
    assert_eq!(rig.handle().open_claim(), None);
    let mut rig = nobodys();
    rig.settings.access.people = [(person("ann"), Level::Admin)].into();
    rig.engine().prepare().await.unwrap();
    assert_eq!(rig.handle().open_claim(), None);
}

#[tokio::test(start_paused = true)]
async fn the_code_closes_when_somebody_becomes_admin_another_way() {
    let (rig, code) = claimable().await;
    let mut live = rig.live();
    live.settings.access.people = [(person("ann"), Level::Admin)].into();
    rig.next.is(Ok(live));
    rig.handle().reload().await.unwrap();
    guess(&rig, "bob", &code);
    assert!(!is_admin(&rig, "bob").await);
    // it stays closed when the admin goes
    rig.next.is(Ok(rig.live()));
    rig.handle().reload().await.unwrap();
    guess(&rig, "bob", &code);
    assert!(!is_admin(&rig, "bob").await);
}

fn stranger(rig: &Rig, who: &str) {
    rig.say_at(Said::direct(who, who, "let me in"));
}

#[tokio::test(start_paused = true)]
async fn a_stranger_is_told_once_a_day_also_across_restarts() {
    let log = Log::taken();
    let mut rig = nobodys();
    rig.start();
    for _ in 0..10 {
        stranger(&rig, "bob");
        tokio::time::sleep(Duration::from_mins(1)).await;
    }
    let told = rig.shown("bob");
    assert_eq!(told.len(), 1);
    assert!(told[0].contains("/allow person loopback/bob"), "{told:?}");
    assert_eq!(log.with("somebody unknown was not let in").len(), 1);
    rig.crash().await;
    stranger(&rig, "bob");
    stranger(&rig, "eve");
    tokio::time::sleep(Duration::from_hours(12)).await;
    assert_eq!((rig.shown("bob").len(), rig.shown("eve").len()), (1, 1));
    tokio::time::sleep(DAY).await;
    rig.crash().await;
    stranger(&rig, "bob");
    tokio::time::sleep(Duration::from_mins(1)).await;
    assert_eq!(rig.shown("bob").len(), 2);
    assert!(rig.store.row_states().is_empty() && rig.provider.asked().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_full_disk_neither_keeps_a_stranger_waiting_nor_tells_him_twice() {
    let mut rig = nobodys();
    rig.start();
    rig.until("it listens", |rig| rig.double.waiting(None) == 0).await;
    rig.door.stored("r0", "talk", "hello").await;
    rig.moody.feel(Mood::Busy);
    let verdict = rig.door.alone("m1", "bob", "let me in").await;
    assert!(matches!(verdict, Verdict::Denied { say: Some(_) }), "{verdict:?}");
    rig.moody.feel(Mood::Well);
    let verdict = rig.door.alone("m2", "bob", "let me in").await;
    assert_eq!(verdict, Verdict::Denied { say: None });
}

#[tokio::test(start_paused = true)]
async fn whoever_waits_at_a_door_always_gets_an_answer() {
    let mut rig = nobodys();
    rig.settings.access.people = [(PersonId::new("door", "client"), Level::Guest)].into();
    rig.start();
    for id in ["r1", "r2", "r3"] {
        let verdict = rig.door.stored(id, "talk", "hello").await;
        assert!(matches!(verdict, Verdict::Denied { say: Some(_) }), "{verdict:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_shut_chat_hears_only_admins_and_says_nothing() {
    let mut rig = Rig::new(Kind::Findable);
    let group = InterfacePath::build("loopback", ["group"]).unwrap();
    let home = InterfacePath::build("loopback", ["home"]).unwrap();
    rig.settings.access.places = [(group, Level::Guest), (home, Level::Guest)].into();
    rig.settings.access.people = [(person("ann"), Level::Admin), (person("bob"), Level::Trusted)].into();
    rig.start();
    rig.say_at(Said::direct("home", "bob", "hello"));
    rig.say_at(Said::at(Spot::chat("group"), "bob", "hello", Addressed::Mention));
    rig.say_at(Said::at(Spot::thread("group", "t"), "bob", "hello", Addressed::Mention));
    rig.say_at(Said::at(Spot::chat("group"), "ann", "hello", Addressed::Mention));
    let shown = rig.until_shown("group", 1).await;
    assert_eq!(shown, ["You said hello."]);
    assert_eq!(rig.shown("home"), Vec::<String>::new());
    assert_eq!(rig.store.row_states().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn an_admin_removed_a_second_ago_commands_nothing() {
    let mut rig = Rig::new(Kind::Findable);
    rig.settings.access.people = [(person("ann"), Level::Admin)].into();
    rig.start();
    rig.next.is(Err("read again".to_owned()));
    rig.say("a", "/reload");
    let shown = rig.until_shown("a", 1).await;
    assert!(!shown[0].contains("do not know"), "an admin may: {shown:?}");
    rig.moody.slow_accept(Duration::from_secs(5));
    rig.say("a", "/reload");
    rig.until("it is accepted", |rig| rig.store.row_states().len() == 2)
        .await;
    let mut live = rig.live();
    live.settings.access.people.clear();
    rig.next.is(Ok(live));
    rig.handle().reload().await.unwrap();
    let shown = rig.until_shown("a", 2).await;
    assert!(shown[1].contains("do not know /reload"), "{shown:?}");
}

#[tokio::test(start_paused = true)]
async fn a_thousand_strangers_leave_a_line_each_and_no_row() {
    let log = Log::taken();
    let mut rig = nobodys();
    rig.start();
    for round in 0..3 {
        for nth in 0..1000 {
            rig.door
                .alone(&format!("m{round}.{nth}"), &format!("s{nth}"), "hello")
                .await;
        }
    }
    assert_eq!(log.with("somebody unknown was not let in").len(), 1000);
    assert!(rig.store.row_states().is_empty());
}

#[tokio::test(start_paused = true)]
async fn our_own_accounts_are_not_answered() {
    let rig = Rig::started(Kind::Findable);
    let said = |who: &str, text: &str| Said::at(Spot::chat("group"), who, text, Addressed::Mention);
    rig.say_at(said("bot-1", "hello"));
    rig.say_at(said("bot-1", "/help"));
    rig.say_at(said("ann", "hello"));
    assert_eq!(rig.until_shown("group", 1).await, ["You said hello."]);
    tokio::time::sleep(Duration::from_secs(30)).await;
    assert_eq!(rig.shown("group").len(), 1);
    assert_eq!(rig.store.row_states().len(), 1);
    // a door's clients and its account go by one name
    rig.door.stored("r1", "talk", "hello").await;
    rig.until("it is answered", |rig| !rig.door.text("r1").is_empty()).await;
}

#[tokio::test(start_paused = true)]
async fn an_interface_can_ask_what_somebody_may() {
    let mut rig = Rig::new(Kind::Findable);
    let group = InterfacePath::build("loopback", ["group"]).unwrap();
    let home = InterfacePath::build("loopback", ["home"]).unwrap();
    rig.settings.access = AccessRules {
        people: [(person("ann"), Level::Admin), (person("eve"), Level::Guest)].into(),
        places: [(group.clone(), Level::User)].into(),
        ..AccessRules::default()
    };
    rig.start();
    let inlet = rig.door.open_inlet().await;
    for (who, place, expected) in [
        ("ann", &home, Level::Admin),
        ("eve", &group, Level::Guest),
        ("bob", &home, Level::Guest),
        ("bob", &group, Level::User),
    ] {
        assert_eq!(inlet.standing(&person(who), place).level, expected, "{who} in {place}");
    }
    rig.say_at(Said::direct("home", "ann", "/allow person loopback/bob trusted"));
    rig.until_shown("home", 1).await;
    let standing = inlet.standing(&person("bob"), &home);
    assert_eq!((standing.level, standing.is_governed), (Level::Trusted, true));
}
