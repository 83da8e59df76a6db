//! What belongs together, and groups that move.

use tertulia_interface::Interface;
use tertulia_message::{Addressed, Inbound, Signal, What};
use tertulia_testkit::telegram_double::Said;

use crate::intake::text;
use crate::stage::{Listening, double, eventually};

#[tokio::test]
async fn an_album_over_two_batches_is_one() {
    let double = double().await;
    let (ann, club) = (double.person("Ann"), double.supergroup("Club"));
    for _ in 0..98 {
        double.say(ann, club, "chatter");
    }
    let picture = || Said::photo(vec![1, 2, 3]);
    double.album(
        ann,
        club,
        vec![picture().caption("@double_bot look"), picture(), picture(), picture()],
    );
    let listening = Listening::start(&double);
    listening.hears(102).await;
    let events = listening.ear.events();
    let album: Vec<&Inbound> = events.iter().filter(|event| !event.files.is_empty()).collect();
    assert_eq!(album.len(), 4);
    assert!(album[0].join.is_some());
    for item in &album {
        assert_eq!(
            (item.join.as_ref(), item.addressed),
            (album[0].join.as_ref(), Addressed::Mention)
        );
    }
    assert_eq!(text(album[0]), "look");
    listening.stop().await;
    assert_eq!(double.violations(), []);
}

#[tokio::test]
async fn the_bot_is_seen_typing_in_general() {
    let double = double().await;
    let (ann, forum) = (double.person("Ann"), double.forum("Friends"));
    let listening = Listening::start(&double);
    double.say(ann, forum, "@double_bot hello");
    listening.hears(1).await;
    let path = listening.ear.events()[0].path.clone();
    listening.telegram.signal(&path, "", Signal::Typing).await;
    eventually("it is seen", || double.action(forum).as_deref() == Some("typing")).await;
    listening.stop().await;
    assert_eq!(double.violations(), []);
}

#[tokio::test]
async fn a_paste_that_comes_slowly_is_one() {
    let double = double().await;
    let ann = double.person("Ann");
    let listening = Listening::start(&double);
    eventually("it waits for news", || double.counts().polls > 0).await;
    double.say(ann, ann, &"x".repeat(4096));
    let polls = double.counts().polls;
    eventually("it asks for the rest", || double.counts().polls > polls).await;
    double.say(ann, ann, "and the end");
    listening.hears(2).await;
    let events = listening.ear.events();
    assert!(events[0].join.is_some() && events[0].join == events[1].join);
    listening.stop().await;
    assert_eq!(double.violations(), []);
}

#[tokio::test]
async fn a_split_paste_is_one_and_keeps_nobody_waiting() {
    let double = double().await;
    let (ann, bob) = (double.person("Ann"), double.person("Bob"));
    let listening = Listening::start(&double);
    double.say(ann, ann, &"x".repeat(4096));
    double.say(bob, bob, "hello");
    listening.hears(1).await;
    assert_eq!(
        text(&listening.ear.events()[0]),
        "hello",
        "the paste waits for its rest"
    );
    assert!(double.unconfirmed() > 0);
    double.say(ann, ann, "/stop here is the end");
    listening.hears(3).await;
    let events = listening.ear.events();
    assert_eq!(text(&events[2]), "…/stop here is the end");
    assert!(events[1].join.is_some() && events[1].join == events[2].join);
    eventually("it is confirmed", || double.unconfirmed() == 0).await;
    listening.stop().await;
    assert_eq!(double.violations(), []);
}

#[tokio::test]
async fn a_migration_is_told_once() {
    let double = double().await;
    let (ann, club) = (double.person("Ann"), double.group("Club"));
    double.say(ann, club, "before");
    let listening = Listening::start(&double);
    let new = double.migrate(club);
    double.say(ann, new, "behind");
    listening.hears(3).await;
    let events = listening.ear.events();
    let moves: Vec<(&str, &What)> = events
        .iter()
        .filter(|event| matches!(event.what, What::Moved { .. }))
        .map(|event| (event.path.as_str(), &event.what))
        .collect();
    let to = format!("telegram_bot/{new}").parse().unwrap();
    assert_eq!(moves, [(format!("telegram_bot/{club}").as_str(), &What::Moved { to })]);
    assert_eq!(events.len(), 3);
    listening.stop().await;
}

#[tokio::test]
async fn topics_have_paths_and_general_is_the_group() {
    let double = double().await;
    let (ann, forum) = (double.person("Ann"), double.forum("Forum"));
    double.say(ann, forum, "hi");
    let topic = double.topic(forum, ann, "Games");
    double.say(ann, (forum, topic), "@double_bot hi");
    let listening = Listening::start(&double);
    listening.hears(2).await;
    let events = listening.ear.events();
    assert_eq!(events[1].path.as_str(), format!("telegram_bot/{forum}/{topic}"));
    assert_eq!(
        (events[1].addressed, events[1].reply_to.as_ref()),
        (Addressed::Mention, None)
    );
    assert_eq!(events[0].path.as_str(), format!("telegram_bot/{forum}"));
    assert_eq!(events[0].addressed, Addressed::None);
    listening.stop().await;
}
