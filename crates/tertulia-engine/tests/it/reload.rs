//! The configuration is read again while everything runs.

use std::sync::Arc;
use std::time::Duration;

use tertulia_core::preferences::Persona;
use tertulia_core::provider::Stop;
use tertulia_core::record::ToolEffect;
use tertulia_engine::Live;
use tertulia_message::{Level, PersonId};
use tertulia_testkit::chat_double::{Expected, Kind, Said};

use crate::rig::{Piece, Rig, Scripted, TestTool, call, words};

/// As at the start, but another provider answers and the first one is gone.
fn other_provider(rig: &Rig, other: &Arc<Scripted>) -> Live {
    Live {
        providers: [("other".to_owned(), rig.part(other))].into(),
        tools: Vec::new(),
        base: Persona {
            provider: Some("other".to_owned()),
            ..Persona::default()
        },
        ..rig.live()
    }
}

#[tokio::test(start_paused = true)]
async fn another_access_holds_at_once() {
    let mut rig = Rig::new(Kind::Findable);
    let ann = PersonId::new("loopback", "ann");
    let bob = PersonId::new("loopback", "bob");
    rig.settings.access.interfaces.clear();
    rig.settings.access.people = [(ann, Level::User)].into();
    rig.start();
    rig.say("a", "hello");
    rig.until_shown("a", 1).await;
    let mut live = rig.live();
    live.settings.access.people = [(bob, Level::User)].into();
    rig.next.is(Ok(live));
    let notes = rig.handle().reload().await.unwrap();
    assert_eq!(notes, ["the port is another one after a restart"]);
    rig.say("a", "still me?");
    rig.say_at(Said::direct("b", "bob", "and me?"));
    let shown = rig.until_shown("b", 1).await;
    assert_eq!(shown, ["You said and me?."]);
    assert!(rig.shown("a")[1].contains("private bot"), "{:?}", rig.shown("a"));
    assert_eq!(rig.store.row_states().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn another_base_and_other_personas_hold_for_the_next_turn() {
    let rig = Rig::started(Kind::Findable);
    rig.door.asking("r1", "talk", "tertulia:poet", "hello").await;
    rig.until("it is answered", |rig| rig.door.ending("r1").is_some()).await;
    let mut live = rig.live();
    live.base.system = Some("be brief".to_owned());
    let poet = Persona {
        model: Some("big".to_owned()),
        system: Some("be a poet".to_owned()),
        ..Persona::default()
    };
    live.personas = [("poet".to_owned(), poet)].into();
    rig.next.is(Ok(live));
    rig.handle().reload().await.unwrap();
    rig.door.asking("r2", "talk", "tertulia:poet", "hello").await;
    rig.until("it is answered", |rig| rig.door.ending("r2").is_some()).await;
    for model in ["tertulia", "tertulia:nobody", "llama:poet"] {
        rig.door.asking(model, "talk", model, "hello").await;
        rig.until("it is answered", |rig| rig.door.ending(model).is_some())
            .await;
    }
    let asked: Vec<(String, bool, bool)> = rig
        .provider
        .asked()
        .into_iter()
        .map(|(_, request)| {
            let has = |words: &str| request.system.contains(words);
            (request.model.clone(), has("be a poet"), has("be brief"))
        })
        .collect();
    let asked: Vec<(&str, bool, bool)> = asked.iter().map(|(model, a, b)| (model.as_str(), *a, *b)).collect();
    let base = ("", false, true);
    assert_eq!(asked, [("", false, false), ("big", true, false), base, base, base]);
}

#[tokio::test(start_paused = true)]
async fn what_is_wrong_changes_nothing() {
    let rig = Rig::started(Kind::Findable);
    let refused = rig.handle().reload().await.unwrap_err();
    assert!(refused.contains("failed"), "reading it panicked: {refused}");
    rig.next.is(Err("line 3: no such key".to_owned()));
    assert_eq!(rig.handle().reload().await.unwrap_err(), "line 3: no such key");
    let mut live = rig.live();
    live.base.provider = Some("nobody".to_owned());
    live.settings.access.interfaces.clear();
    rig.next.is(Ok(live));
    let refused = rig.handle().reload().await.unwrap_err();
    assert!(refused.contains("nobody"), "{refused}");
    rig.say("a", "hello");
    assert_eq!(rig.until_shown("a", 1).await, ["You said hello."]);
    rig.next.is(Ok(rig.live()));
    rig.handle().reload().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn one_reading_at_a_time_and_the_last_one_holds() {
    let rig = Rig::started(Kind::Findable);
    rig.next.takes(Duration::from_secs(5));
    rig.next.is(Err("not yet".to_owned()));
    let (first, second) = (rig.handle(), rig.handle());
    let change = async {
        tokio::time::sleep(Duration::from_secs(7)).await;
        rig.next.is(Ok(rig.live()));
    };
    let (first, second, ()) = tokio::join!(first.reload(), second.reload(), change);
    assert_eq!((first.is_err(), second.is_ok()), (true, true));
    assert_eq!(rig.next.most_reading(), 1);
}

#[tokio::test(start_paused = true)]
async fn twenty_turns_go_on_with_the_provider_they_began_with() {
    let rig = Rig::started(Kind::Findable);
    let other = Arc::new(Scripted::default());
    other.on("", [words("the other one's")]);
    let slow = vec![
        Piece::Text("begun".into()),
        Piece::Wait(Duration::from_secs(20)),
        Piece::Text(" and ended".into()),
        Piece::End(Stop::Done),
    ];
    rig.provider.on("long", [slow]);
    for nth in 0..20 {
        rig.say(&format!("chat {nth}"), "long");
    }
    rig.until("all stream", |rig| rig.provider.open() == 20).await;
    rig.next.is(Ok(other_provider(&rig, &other)));
    rig.handle().reload().await.unwrap();
    assert_eq!(rig.provider.open(), 20);
    for nth in 0..20 {
        rig.say(&format!("chat {nth}"), "next");
    }
    rig.until_quiet().await;
    for nth in 0..20 {
        let shown = rig.shown(&format!("chat {nth}"));
        assert_eq!(shown, ["begun and ended", "the other one's"], "chat {nth}");
    }
    assert_eq!((rig.provider.asked().len(), other.asked().len()), (20, 20));
    assert_eq!(rig.judge(&|_| Expected::Any).answered, 40);
}

#[tokio::test(start_paused = true)]
async fn a_turn_keeps_its_provider_and_tools_in_its_second_round() {
    let mut rig = Rig::new(Kind::Findable);
    let tool = Arc::new(TestTool::new("look", ToolEffect::Reads, Duration::from_secs(20)));
    rig.tools = vec![tool.clone()];
    rig.start();
    let other = Arc::new(Scripted::default());
    let ask = || vec![call(0, "look", "{}"), Piece::End(Stop::ToolCalls)];
    rig.provider.on("tool", [ask(), ask(), words("seen twice")]);
    rig.say("a", "tool");
    rig.until("the tool runs", |_| tool.begun() == 1).await;
    rig.next.is(Ok(other_provider(&rig, &other)));
    rig.handle().reload().await.unwrap();
    assert_eq!(rig.until_shown("a", 1).await, ["seen twice"]);
    assert_eq!((tool.done(), other.asked().len()), (2, 0));
    rig.until("the old one is let go", |rig| Arc::strong_count(&rig.provider) == 1)
        .await;
}

#[tokio::test(start_paused = true)]
async fn an_unfinished_turn_whose_provider_is_gone_goes_on_with_the_base() {
    let mut rig = Rig::started(Kind::Findable);
    rig.provider
        .on("long", [vec![Piece::Text("so".into()), Piece::Silence]]);
    rig.say("a", "long");
    rig.until("it streams", |rig| rig.shown("a").len() == 1).await;
    rig.stop().await.unwrap();
    let other = Arc::new(Scripted::default());
    other.on("long", [words("finished by the other")]);
    rig.begins_with = Some(other_provider(&rig, &other));
    rig.restart();
    rig.until_quiet().await;
    assert_eq!(rig.shown("a"), ["finished by the other"]);
}
