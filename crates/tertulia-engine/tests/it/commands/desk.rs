//! What those who govern see and do: `/chats`, `/say`, `/at`, `/usage`, `/deadletters`, `/status`, `/history`, `/help`.

use std::time::Duration;

use tertulia_core::provider::Stop;
use tertulia_core::record::SlotState;
use tertulia_core::transaction::ImportedLine;
use tertulia_message::{Addressed, SlotKind};
use tertulia_ports::Store as _;
use tertulia_testkit::chat_double::{Call, CallKind, Fault, Faults, Said, Spot};
use tertulia_testkit::fake_store::RowState;

use super::told::{ann, facts, governed, in_room, told};
use crate::rig::{Piece, Rig};

fn bob(text: &str) -> Said {
    Said::direct("bob", "bob", text)
}

/// Bob has said hello.
async fn greeted() -> Rig {
    let mut rig = governed();
    rig.start();
    rig.say_at(bob("hello"));
    rig.until_shown("bob", 1).await;
    rig
}

#[tokio::test(start_paused = true)]
async fn say_speaks_in_another_room_and_is_remembered_there() {
    let rig = greeted().await;
    let answer = ann(&rig, "/say loopback/bob **Lunch** is ready.").await;
    assert_eq!(answer, "I say it in loopback/bob.");
    rig.until_quiet().await;
    assert_eq!(rig.shown("bob")[1..], ["Lunch is ready."]);
    rig.say_at(bob("what?"));
    rig.until_shown("bob", 3).await;
    let asked = rig.provider.asked();
    let messages = format!("{:?}", asked.last().unwrap().1.messages);
    assert!(messages.contains("Lunch"), "{messages}");
}

#[tokio::test(start_paused = true)]
async fn say_says_why_it_cannot() {
    let rig = greeted().await;
    rig.door.stored("r1", "visitor", "hi").await;
    rig.until_quiet().await;
    let line = ImportedLine {
        key: "1".to_owned(),
        path: "loopback/old".parse().unwrap(),
        speaker: None,
        text: "hi".to_owned(),
        at: 1,
    };
    rig.store.import(vec![line]).await.unwrap();
    for (text, reason) in [
        ("/say loopback/old hi", "known from an older bot only"),
        ("/say loopback/nobody hi", "Nobody has ever spoken to me"),
        ("/say nowhere/x hi", "There is no interface nowhere"),
        ("/say loopback hi", "is no path"),
        ("/say door/visitor hi", "not written to"),
        ("/say loopback/bob", "Usage: /say"),
        ("/say", "Usage: /say"),
    ] {
        let answer = ann(&rig, text).await;
        assert!(answer.contains(reason), "{text}: {answer}");
    }
    assert_eq!(rig.shown("bob").len(), 1);
    assert_eq!(rig.door.delivered(), 0);
}

#[tokio::test(start_paused = true)]
async fn at_is_about_another_place_and_answers_here() {
    let rig = greeted().await;
    rig.provider
        .on("long", [vec![Piece::Text("so far".to_owned()), Piece::Silence]]);
    rig.say_at(bob("long"));
    rig.until("it streams", |rig| rig.provider.open() == 1).await;
    assert_eq!(ann(&rig, "/at loopback/bob /stop").await, "Stopped.");
    assert_eq!(rig.provider.open(), 0);
    let answer = ann(&rig, "/at loopback/bob path").await;
    assert!(answer.contains("loopback/bob"), "{answer}");
    let answer = ann(&rig, "/at loopback/bob history 1").await;
    assert!(answer.contains("so far"), "{answer}");
    ann(&rig, "/at loopback/bob model big").await;
    ann(&rig, "/at loopback/bob new").await;
    assert_eq!(facts(&rig, "loopback/bob").await.epoch, 1);
    rig.say_at(bob("next"));
    rig.until_quiet().await;
    assert_eq!(rig.provider.asked().last().unwrap().1.model, "big");
    assert_eq!(rig.shown("bob").len(), 3, "nothing else was said there");
}

#[tokio::test(start_paused = true)]
async fn at_names_the_place_and_the_confirmation_that_works() {
    let rig = greeted().await;
    let answer = ann(&rig, "/at loopback/bob model big").await;
    assert_eq!(answer, "The model for loopback/bob is now: big.");
    let answer = ann(&rig, "/at loopback/bob new").await;
    assert!(answer.starts_with("In loopback/bob we begin anew"), "{answer}");
    for (given, confirmation, done) in [
        (
            "forget",
            "/at loopback/bob forget yes",
            "What was said in loopback/bob is deleted.",
        ),
        (
            "forget chat",
            "/at loopback/bob forget chat yes",
            "What was said in loopback/bob and its threads is deleted.",
        ),
    ] {
        let answer = ann(&rig, &format!("/at loopback/bob {given}")).await;
        assert!(answer.contains("loopback/bob"), "{answer}");
        assert!(answer.ends_with(&format!("send {confirmation}.")), "{answer}");
        let answer = ann(&rig, confirmation).await;
        assert!(answer.starts_with(done), "{answer}");
        rig.say_at(bob("again"));
        rig.until_quiet().await;
    }
    let answer = told(&rig, bob("/forget")).await;
    assert!(answer.ends_with("send /forget yes."), "{answer}");
}

#[tokio::test(start_paused = true)]
async fn too_many_lines_are_refused_with_the_most() {
    let rig = greeted().await;
    for text in ["/history 51", "/chats 51"] {
        let answer = ann(&rig, text).await;
        assert!(answer.contains("at most 50"), "{text}: {answer}");
    }
}

#[tokio::test(start_paused = true)]
async fn at_says_why_it_cannot() {
    let rig = greeted().await;
    for (text, reason) in [
        ("/at loopback/bob retry", "has to be given there"),
        ("/at loopback/bob at loopback/bob stop", "is not about a conversation"),
        ("/at loopback/bob /say loopback/bob hi", "is not about a conversation"),
        ("/at loopback/bob claim x", "is not about a conversation"),
        ("/at loopback/bob dance", "I do not know /dance"),
        ("/at loopback/nobody stop", "Nobody has ever spoken to me"),
        ("/at loopback/bob/t stop", "Nobody has ever spoken to me"),
        ("/at loopback/bob stop now", "Usage: /stop"),
        ("/at loopback/bob", "Usage: /at"),
        ("/at nowhere/x stop", "There is no interface"),
    ] {
        let answer = ann(&rig, text).await;
        assert!(answer.contains(reason), "{text}: {answer}");
    }
}

/// Bob's chat was gone when he was to get an answer.
async fn with_a_dead_letter() -> Rig {
    let rig = greeted().await;
    let posts_to_bob = |call: &Call| matches!(call.kind, CallKind::Post) && call.spot.chat == "bob";
    rig.double.plan(Faults::none().when(1, posts_to_bob, Fault::Gone));
    rig.say_at(bob("lost"));
    rig.until("it is given up", |rig| {
        let slots = rig.store.slots();
        slots.iter().any(|slot| slot.progress.state == SlotState::Dead)
    })
    .await;
    rig
}

#[tokio::test(start_paused = true)]
async fn dead_letters_are_listed_tried_again_and_dropped() {
    let rig = with_a_dead_letter().await;
    let answer = ann(&rig, "/deadletters").await;
    assert!(
        answer.contains("loopback/bob") && answer.contains("You said lost."),
        "{answer}"
    );
    let number = answer.trim_start_matches("• ").split(' ').next().unwrap().to_owned();
    assert!(
        ann(&rig, "/deadletters drop 99a0")
            .await
            .contains("There is no dead letter 99a0.")
    );
    let answer = ann(&rig, "/deadletters drop 5").await;
    assert!(answer.contains("There is no dead letter 5."), "{answer}");
    rig.say_at(bob("back"));
    rig.until_shown("bob", 2).await;
    let answer = ann(&rig, &format!("/deadletters retry {number}")).await;
    assert_eq!(answer, "1 message is tried again.");
    rig.until_quiet().await;
    assert_eq!(rig.shown("bob")[1..], ["You said back.", "You said lost."]);
    assert_eq!(ann(&rig, "/deadletters").await, "Every message could be delivered.");
    assert!(
        ann(&rig, "/deadletters retry all")
            .await
            .contains("There is no dead letter: ")
    );
}

#[tokio::test(start_paused = true)]
async fn dead_letters_can_be_dropped() {
    let rig = with_a_dead_letter().await;
    assert_eq!(ann(&rig, "/deadletters drop all").await, "1 message is dropped.");
    assert!(
        rig.store
            .slots()
            .iter()
            .all(|slot| slot.progress.state != SlotState::Dead)
    );
    assert_eq!(rig.shown("bob").len(), 1);
}

#[tokio::test(start_paused = true)]
async fn usage_sums_what_was_spent() {
    let rig = greeted().await;
    assert!(ann(&rig, "/usage 1").await.contains("In the last 1 day") || rig.store.usage().is_empty());
    let paid = vec![
        Piece::Text("yes".to_owned()),
        Piece::Usage(100, 20),
        Piece::End(Stop::Done),
    ];
    rig.provider.on("paid", [paid]);
    rig.say_at(bob("paid"));
    rig.until_quiet().await;
    let answer = ann(&rig, "/usage").await;
    assert!(answer.contains("100 tokens read, 20 tokens written"), "{answer}");
    assert!(
        answer.contains("By person:") && answer.contains("loopback/bob"),
        "{answer}"
    );
}

#[tokio::test(start_paused = true)]
async fn chats_status_history_and_help_show_what_there_is() {
    let rig = greeted().await;
    let answer = ann(&rig, "/chats").await;
    assert!(
        answer.contains("loopback/bob: ") && answer.contains("strangers are of level guest"),
        "{answer}"
    );
    let answer = ann(&rig, "/status").await;
    for part in [
        "Interface loopback: listens",
        "Provider scripted",
        "Tertulia ",
        "No answer is being written",
    ] {
        assert!(answer.contains(part), "{part}: {answer}");
    }
    let answer = told(&rig, bob("/status")).await;
    assert!(
        !answer.contains("Interface ") && answer.contains("Provider: scripted"),
        "{answer}"
    );
    let answer = told(&rig, bob("/history")).await;
    assert!(answer.contains("bob, ") && answer.contains("hello"), "{answer}");
    assert!(
        answer.contains("me, ") && answer.contains("You said hello."),
        "{answer}"
    );
    let answer = told(&rig, bob("/help")).await;
    assert!(answer.contains("/stop") && !answer.contains("/allow"), "{answer}");
    let answer = in_room(&rig, "ann", "/help").await;
    assert!(
        answer.contains("For admins:") && answer.contains("(in a direct message)"),
        "{answer}"
    );
    let answer = ann(&rig, "/help allow").await;
    assert!(
        answer.contains("/allow list") && answer.contains("30m, 12h, 7d"),
        "{answer}"
    );
    assert!(
        told(&rig, bob("/start"))
            .await
            .starts_with("Hello! You speak to me alone")
    );
    assert!(in_room(&rig, "ann", "/start").await.contains("mention me"));
}

#[tokio::test(start_paused = true)]
async fn words_of_others_forge_no_lines() {
    let rig = greeted().await;
    let nasty = "x\n\n- loopback/fake: just now\n\u{202e}`**bold**";
    rig.say_at(bob(nasty));
    rig.until_quiet().await;
    let answer = told(&rig, bob("/history 2")).await;
    let lines: Vec<&str> = answer.lines().filter(|line| line.starts_with("• ")).collect();
    assert_eq!(lines.len(), 2, "{answer}");
    assert!(!answer.contains('\u{202e}'), "{answer}");
}

#[tokio::test(start_paused = true)]
async fn reload_tells_what_needs_a_restart_and_why_it_failed() {
    let rig = greeted().await;
    rig.next.is(Ok(rig.live()));
    let answer = ann(&rig, "/reload").await;
    assert!(answer.contains("the port is another one after a restart"), "{answer}");
    rig.next.is(Err("bot.toml, line 3: no".to_owned()));
    let answer = ann(&rig, "/reload").await;
    assert!(
        answer.starts_with("Nothing is changed: bot.toml, line 3: no"),
        "{answer}"
    );
}

#[tokio::test(start_paused = true)]
async fn commands_at_a_door_are_told_to_its_reader() {
    let mut rig = governed();
    rig.start();
    rig.door.stored("r1", "visitor", "hello").await;
    rig.until_quiet().await;
    rig.door.stored("r2", "visitor", "/model small").await;
    rig.until_quiet().await;
    assert_eq!(rig.door.text("r2"), "The model here is now: `small`.");
    rig.door.stored("r3", "visitor", "/retry").await;
    rig.until("it is answered again", |rig| rig.door.ending("r3").is_some())
        .await;
    assert_eq!(rig.door.text("r3"), rig.door.text("r1"));
    assert_eq!(rig.provider.asked().last().unwrap().1.model, "small");
    let replies = rig
        .store
        .slots()
        .into_iter()
        .filter(|slot| slot.id.kind == SlotKind::Command);
    assert_eq!(replies.count(), 0);
    assert!(rig.store.row_states().iter().all(|(_, state)| *state == RowState::Done));
}

#[tokio::test(start_paused = true)]
async fn in_a_group_what_nobody_knows_is_answered_only_when_it_is_asked_of_the_bot() {
    let mut rig = governed();
    rig.start();
    let say = |addressed| Said::at(Spot::chat("room"), "bob", "/dance", addressed);
    rig.say_at(say(Addressed::Command));
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert_eq!(rig.shown("room"), Vec::<String>::new());
    let answer = told(&rig, say(Addressed::Mention)).await;
    assert!(answer.contains("I do not know /dance"), "{answer}");
}
