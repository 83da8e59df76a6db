//! What comes in is on disk before it is confirmed, and comes again until then.

use std::sync::Arc;

use super::{Listening, Mood, Recorder, Stage, asked, eventually, shown};

pub(super) async fn events_arrive_as_they_were(stage: &dyn Stage) {
    let recorder = Arc::new(Recorder::new(Mood::Take));
    let listening = Listening::start(stage, &recorder);
    let expected = stage.people().act_out();
    eventually("all of it is handed in", || recorder.events().len() == expected.len()).await;
    listening.stop().await;
    let events = recorder.events();
    for (event, told) in events.iter().zip(&expected) {
        assert_eq!((&event.what, event.path.as_str()), (&told.what, told.path.as_str()));
        assert_eq!(event.sender.to_string(), told.sender, "{event:?}");
        if let Some((id, addressed)) = &told.said {
            assert_eq!((&event.id, event.addressed), (id, *addressed));
        }
        assert_eq!(event.account.identity, stage.truth().identity());
    }
}

pub(super) async fn nothing_is_confirmed_while_the_store_refuses(stage: &dyn Stage) {
    let recorder = Arc::new(Recorder::new(Mood::Refuse));
    let asked: Vec<String> = (0..3).map(|_| asked(stage)).collect();
    let listening = Listening::start(stage, &recorder);
    eventually("the batch is offered again", || recorder.offered() >= 3).await;
    assert_eq!(unconfirmed(stage), 3);
    assert!(recorder.marks().is_empty());
    recorder.change(Mood::Take);
    eventually("the store has them", || recorder.events().len() == 3).await;
    eventually("they are confirmed", || unconfirmed(stage) == 0).await;
    listening.stop().await;
    let ids: Vec<_> = recorder.events().into_iter().map(|event| event.id).collect();
    assert_eq!(ids, asked);
    assert!(stage.truth().violations().is_empty());
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
    assert!(stage.truth().violations().is_empty());
}

/// The commit is done, but the interface dies before it learns so.
pub(super) async fn a_crash_after_the_commit_loses_nothing(stage: &dyn Stage) {
    let recorder = Arc::new(Recorder::new(Mood::TakeAndHang));
    asked(stage);
    let listening = Listening::start(stage, &recorder);
    eventually("it is stored", || recorder.events().len() == 1).await;
    listening.stop().await;
    assert_eq!(unconfirmed(stage), 1);
    recorder.change(Mood::Take);
    asked(stage);
    let listening = Listening::start(stage, &recorder);
    eventually("the next one comes", || recorder.events().len() == 2).await;
    eventually("both are confirmed", || unconfirmed(stage) == 0).await;
    listening.stop().await;
    let again = stage.truth().tally().redelivered.unwrap_or_default();
    assert_eq!(again, 0, "the stored mark is where it goes on");
}

pub(super) async fn a_denial_is_shown(stage: &dyn Stage) {
    let recorder = Arc::new(Recorder::new(Mood::Deny("members only".to_owned())));
    asked(stage);
    let listening = Listening::start(stage, &recorder);
    eventually("the sender is told", || shown(stage) == ["members only"]).await;
    eventually("it is confirmed", || unconfirmed(stage) == 0).await;
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

fn unconfirmed(stage: &dyn Stage) -> usize {
    stage.truth().unconfirmed()
}
