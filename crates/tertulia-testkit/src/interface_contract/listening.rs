//! What comes in is on disk before it is confirmed, and comes again until then.

use std::sync::Arc;

use tertulia_message::{Addressed, What};

use super::{Listening, Mood, Recorder, Stage, asked, eventually, shown};
use crate::chat_double::{Said, Spot};

pub(super) async fn events_arrive_as_they_were(stage: &dyn Stage) {
    let recorder = Arc::new(Recorder::new(Mood::Take));
    let listening = Listening::start(stage, &recorder);
    let mut said = Said::at(Spot::thread("a/b", "t %"), "p", "hello", Addressed::Mention);
    said.reply_to = Some("1".to_owned());
    let id = stage.double().say(stage.now(), said);
    stage.double().change(stage.now(), &id, "hello again");
    stage.double().redact(stage.now(), &id);
    stage.double().move_chat(stage.now(), "a/b", "c");
    eventually("four events are handed in", || recorder.events().len() == 4).await;
    listening.stop().await;
    let events = recorder.events();
    let whats: Vec<_> = events.iter().map(|event| event.what.clone()).collect();
    let (text, of) = ("hello".to_owned(), id.clone());
    let changed = "hello again".to_owned();
    assert_eq!(whats.first(), Some(&What::Message { text }));
    assert_eq!(whats.get(1), Some(&What::Edit { of, text: changed }));
    assert_eq!(whats.get(2), Some(&What::Redact { of: id.clone() }));
    assert!(matches!(whats.get(3), Some(What::Moved { to }) if to.as_str() == "loopback/c"));
    let paths: Vec<_> = events.iter().map(|event| event.path.to_string()).collect();
    assert_eq!(
        paths,
        [
            "loopback/a%2Fb/t%20%25",
            "loopback/a%2Fb/t%20%25",
            "loopback/a%2Fb/t%20%25",
            "loopback/a%2Fb"
        ]
    );
    let first = events
        .first()
        .map(|event| (event.id.clone(), event.sender.to_string(), event.addressed));
    assert_eq!(first, Some((id, "loopback/p".to_owned(), Addressed::Mention)));
    assert!(
        events
            .iter()
            .all(|event| event.account.identity == stage.double().rules().identity)
    );
}

pub(super) async fn nothing_is_confirmed_while_the_store_refuses(stage: &dyn Stage) {
    let recorder = Arc::new(Recorder::new(Mood::Refuse));
    (0..3).for_each(|_| drop(asked(stage)));
    let listening = Listening::start(stage, &recorder);
    eventually("the batch is offered again", || recorder.offered() >= 3).await;
    assert_eq!(stage.double().confirmed(), 0);
    assert!(recorder.marks().is_empty());
    recorder.change(Mood::Take);
    eventually("the store has them", || recorder.events().len() == 3).await;
    eventually("they are confirmed", || stage.double().confirmed() == 3).await;
    listening.stop().await;
    let ids: Vec<_> = recorder.events().into_iter().map(|event| event.id).collect();
    assert_eq!(ids, ["1", "2", "3"]);
    assert!(stage.double().violations().is_empty());
}

pub(super) async fn a_restart_goes_on_from_the_mark(stage: &dyn Stage) {
    let refusing = Arc::new(Recorder::new(Mood::Refuse));
    (0..3).for_each(|_| drop(asked(stage)));
    let listening = Listening::start(stage, &refusing);
    eventually("the batch is offered", || refusing.offered() >= 1).await;
    listening.stop().await;
    let recorder = Arc::new(Recorder::new(Mood::Take));
    for expected in [3, 4] {
        let listening = Listening::start(stage, &recorder);
        eventually("all is handed in", || recorder.events().len() == expected).await;
        listening.stop().await;
        assert!(!recorder.marks().is_empty(), "the mark moves with the events");
        asked(stage);
    }
    assert!(stage.double().violations().is_empty());
}

/// The commit is done, but the interface dies before it learns so.
pub(super) async fn a_crash_after_the_commit_loses_nothing(stage: &dyn Stage) {
    let recorder = Arc::new(Recorder::new(Mood::TakeAndHang));
    asked(stage);
    let listening = Listening::start(stage, &recorder);
    eventually("it is stored", || recorder.events().len() == 1).await;
    listening.stop().await;
    assert_eq!(stage.double().confirmed(), 0);
    recorder.change(Mood::Take);
    asked(stage);
    let listening = Listening::start(stage, &recorder);
    eventually("the next one comes", || recorder.events().len() == 2).await;
    eventually("both are confirmed", || stage.double().confirmed() == 2).await;
    listening.stop().await;
    assert_eq!(
        stage.double().counts().redelivered,
        0,
        "the stored mark is where it goes on"
    );
}

pub(super) async fn a_denial_is_shown(stage: &dyn Stage) {
    let recorder = Arc::new(Recorder::new(Mood::Deny("members only".to_owned())));
    asked(stage);
    let listening = Listening::start(stage, &recorder);
    eventually("the sender is told", || shown(stage) == ["members only"]).await;
    eventually("it is confirmed", || stage.double().confirmed() == 1).await;
    listening.stop().await;
}

/// Idle, waiting for the store, and waiting for a store that hangs.
pub(super) async fn stop_ends_it_in_every_state(stage: &dyn Stage) {
    let recorder = Arc::new(Recorder::new(Mood::Take));
    Listening::start(stage, &recorder).stop().await;
    for mood in [Mood::Take, Mood::Refuse, Mood::TakeAndHang] {
        recorder.change(mood);
        let offered = recorder.offered();
        asked(stage);
        let listening = Listening::start(stage, &recorder);
        eventually("something is offered", || recorder.offered() > offered).await;
        listening.stop().await;
    }
}
