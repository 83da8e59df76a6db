//! `/allow`, `/deny`, `/claim` and `/whoami`.

use std::time::Duration;

use tertulia_message::{Addressed, Level, PersonId};
use tertulia_ports::Desk as _;
use tertulia_testkit::chat_double::{Kind, Said, Spot};

use super::told::{ann, governed, in_room, told};
use crate::rig::Rig;

/// True if somebody is heard in the group.
async fn is_heard(rig: &Rig, who: &str, spot: &Spot) -> bool {
    let before = rig.provider.asked().len();
    rig.say_at(Said::at(spot.clone(), who, "hello", Addressed::Mention));
    tokio::time::sleep(Duration::from_secs(5)).await;
    rig.until_quiet().await;
    rig.provider.asked().len() > before
}

#[tokio::test(start_paused = true)]
async fn a_stranger_is_let_in_and_shut_out_again() {
    let mut rig = governed();
    rig.start();
    let room = Spot::chat("room");
    assert!(!is_heard(&rig, "eve", &room).await);
    let answer = ann(&rig, "/allow person loopback/eve").await;
    assert!(answer.contains("loopback/eve has the level user."), "{answer}");
    assert!(
        answer.contains("To undo it: /allow person loopback/eve default"),
        "{answer}"
    );
    assert!(is_heard(&rig, "eve", &room).await);
    let answer = ann(&rig, "/deny person loopback/eve").await;
    assert!(answer.contains("is shut out everywhere"), "{answer}");
    assert!(!is_heard(&rig, "eve", &room).await);
    rig.crash().await;
    assert!(!is_heard(&rig, "eve", &room).await, "also after a restart");
    ann(&rig, "/allow person loopback/eve default").await;
    assert!(!is_heard(&rig, "eve", &room).await, "a stranger again");
    assert_eq!(rig.store.governed().await.unwrap().permits, []);
}

#[tokio::test(start_paused = true)]
async fn a_permit_for_a_time_ends() {
    let mut rig = governed();
    rig.start();
    let room = Spot::chat("room");
    let answer = in_room(&rig, "ann", "/allow chat here for 30m").await;
    assert!(answer.contains("has the level user there for 30 minutes"), "{answer}");
    assert!(is_heard(&rig, "eve", &room).await);
    assert!(is_heard(&rig, "eve", &Spot::thread("room", "t")).await);
    let answer = told(&rig, Said::at(room.clone(), "eve", "/whoami", Addressed::Command)).await;
    assert!(
        answer.contains("everybody in loopback/room has it, given by loopback/ann"),
        "{answer}"
    );
    assert!(answer.contains("for another 29 minutes"), "{answer}");
    tokio::time::sleep(Duration::from_mins(31)).await;
    assert!(!is_heard(&rig, "eve", &room).await);
}

#[tokio::test(start_paused = true)]
async fn a_chat_and_a_thread_are_told_apart() {
    let mut rig = governed();
    rig.start();
    let thread = Spot::thread("room", "t");
    let say = |text: &str| Said::at(thread.clone(), "ann", text, Addressed::Command);
    told(&rig, say("/allow thread")).await;
    assert!(is_heard(&rig, "eve", &thread).await);
    assert!(!is_heard(&rig, "eve", &Spot::chat("room")).await);
    told(&rig, say("/deny chat")).await;
    assert!(
        !is_heard(&rig, "bob", &Spot::chat("room")).await,
        "only admins are heard"
    );
    assert!(is_heard(&rig, "ann", &Spot::chat("room")).await);
    assert!(is_heard(&rig, "eve", &thread).await, "the nearest wins");
}

#[tokio::test(start_paused = true)]
async fn somebody_always_governs() {
    let mut rig = Rig::new(Kind::Findable);
    rig.settings
        .access
        .interfaces
        .insert("loopback".to_owned(), Level::Admin);
    rig.start();
    let answer = ann(&rig, "/allow person loopback/ann admin").await;
    assert!(
        answer.contains("loopback/ann is an admin, and may do everything"),
        "{answer}"
    );
    for lowered in [
        "/deny person loopback/ann",
        "/allow person loopback/ann trusted",
        "/allow person loopback/ann default",
        "/allow person loopback/ann admin for 1h",
    ] {
        let answer = ann(&rig, lowered).await;
        assert!(answer.contains("without an admin"), "{lowered}: {answer}");
    }
    ann(&rig, "/allow person loopback/bob admin").await;
    let answer = ann(&rig, "/deny person loopback/ann").await;
    assert!(answer.contains("shut out"), "{answer}");
}

#[tokio::test(start_paused = true)]
async fn the_configuration_names_its_admins_itself() {
    let mut rig = governed();
    rig.start();
    ann(&rig, "/allow person loopback/eve admin").await;
    for text in ["/deny person loopback/ann", "/allow person loopback/ann user"] {
        let answer = told(&rig, Said::direct("eve", "eve", text)).await;
        assert!(answer.contains("admin by bot.toml"), "{answer}");
    }
    assert!(is_heard(&rig, "ann", &Spot::chat("room")).await);
}

#[tokio::test(start_paused = true)]
async fn everybody_with_a_level_is_listed_to_admins_alone() {
    let mut rig = governed();
    rig.start();
    ann(&rig, "/allow person loopback/eve trusted").await;
    let answer = ann(&rig, "/deny person loopback/eve for 1h").await;
    assert!(
        answer.contains("had the level trusted by command; that ends with this. To let her in again: /allow person loopback/eve trusted"),
        "{answer}"
    );
    ann(&rig, "/allow chat loopback/room for 30m").await;
    let answer = ann(&rig, "/allow list").await;
    for part in [
        "loopback/ann: admin, by bot.toml",
        "everybody on door: user",
        "loopback/eve: guest, given by loopback/ann",
        "everybody in loopback/room: user, given by loopback/ann",
        "for another ",
    ] {
        assert!(answer.contains(part), "{part}: {answer}");
    }
    let answer = in_room(&rig, "ann", "/allow list").await;
    assert!(answer.contains("in a direct message only"), "{answer}");
    let answer = told(&rig, Said::direct("ted", "ted", "/allow list")).await;
    assert!(answer.starts_with("I do not know /allow"), "{answer}");
}

#[tokio::test(start_paused = true)]
async fn help_offers_the_claim_where_it_works() {
    let mut rig = Rig::new(Kind::Findable);
    rig.settings.access.interfaces.insert("door".to_owned(), Level::User);
    rig.start();
    assert!(ann(&rig, "/help").await.contains("/claim"));
    assert!(!in_room(&rig, "ann", "/help").await.contains("/claim"));
    rig.door.stored("r1", "visitor", "/help").await;
    rig.until_quiet().await;
    let answer = rig.door.text("r1");
    assert!(answer.contains("/stop") && !answer.contains("/claim"), "{answer}");
}

/// Two admins shut each other out at the same moment: one of them stays.
#[tokio::test(start_paused = true)]
async fn two_at_once_leave_one() {
    let mut rig = Rig::new(Kind::Findable);
    rig.settings
        .access
        .interfaces
        .insert("loopback".to_owned(), Level::Admin);
    rig.start();
    ann(&rig, "/allow person loopback/ann admin").await;
    ann(&rig, "/allow person loopback/bob admin").await;
    rig.say_at(Said::direct("ann", "ann", "/deny person loopback/bob"));
    rig.say_at(Said::direct("bob", "bob", "/deny person loopback/ann"));
    rig.until_quiet().await;
    let permits = rig.store.governed().await.unwrap().permits;
    let admins = permits.iter().filter(|(_, permit)| permit.level == Level::Admin);
    assert_eq!(admins.count(), 1, "{permits:?}");
}

#[tokio::test(start_paused = true)]
async fn what_admins_do_is_unknown_to_others() {
    let mut rig = governed();
    rig.start();
    for text in [
        "/allow chat",
        "/chats",
        "/say loopback/ann hi",
        "/reload",
        "/at loopback/ann stop",
    ] {
        let answer = told(&rig, Said::direct("ted", "ted", text)).await;
        assert!(answer.starts_with("I do not know /"), "{text}: {answer}");
    }
    assert!(
        in_room(&rig, "ann", "/chats")
            .await
            .contains("in a direct message only")
    );
    assert_eq!(rig.store.governed().await.unwrap().permits, []);
}

#[tokio::test(start_paused = true)]
async fn the_right_code_counts_once() {
    let mut rig = Rig::new(Kind::Findable);
    rig.settings.access.interfaces.clear();
    let engine = rig.engine();
    engine.prepare().await.unwrap();
    let code = rig.handle().open_claim().unwrap();
    rig.run(engine);
    let claim = |who: &str, code: &str| Said::direct(who.to_owned(), who.to_owned(), format!("/claim {code}"));
    let answer = told(&rig, claim("eve", "AAAA-AAAA")).await;
    assert_eq!(answer, "That is not the code. 4 tries are left.");
    let answer = told(&rig, claim("ann", &code)).await;
    assert!(answer.contains("You are my admin from now on"), "{answer}");
    let answer = told(&rig, claim("ann", &code)).await;
    assert!(answer.contains("I have an admin already"), "{answer}");
    let permits = rig.store.governed().await.unwrap().permits;
    assert_eq!(permits.len(), 1);
    let answer = ann(&rig, "/whoami").await;
    assert!(answer.contains("level admin: with the claim code"), "{answer}");
    assert!(!ann(&rig, "/help").await.contains("/claim"));
    assert_eq!(rig.settings.access.people.get(&PersonId::new("loopback", "ann")), None);
}
