//! Nothing is lost and nothing comes twice.

use std::sync::Arc;

use serde_json::json;
use tertulia_message::{Inbound, What};

use crate::ear::Mood;
use crate::stage::{Listening, double, eventually};

pub(crate) fn text(event: &Inbound) -> &str {
    match &event.what {
        What::Message { text } | What::Edit { text, .. } => text,
        _ => "",
    }
}

#[tokio::test]
async fn what_is_stored_is_confirmed_by_the_next_call() {
    let double = double().await;
    let ann = double.person("Ann");
    let message = double.say(ann, ann, "hello");
    let listening = Listening::start(&double);
    listening.hears(1).await;
    eventually("it is confirmed", || double.unconfirmed() == 0).await;
    double.change(ann, message, "hello!");
    listening.hears(2).await;
    let events = listening.ear.events();
    assert_eq!(events.iter().map(text).collect::<Vec<_>>(), ["hello", "hello!"]);
    let id = format!("{ann}/{message}");
    assert_eq!(events[0].id, id);
    assert!(matches!(&events[1].what, What::Edit { of, .. } if *of == id));
    assert!(listening.ear.mark("cursor").is_some() && listening.ear.mark("polled_at").is_some());
    listening.stop().await;
    assert_eq!(double.violations(), []);
}

#[tokio::test]
async fn nothing_is_confirmed_while_the_store_refuses() {
    let double = double().await;
    let ann = double.person("Ann");
    double.say(ann, ann, "hello");
    let listening = Listening::start(&double);
    listening.ear.mood(Mood::Refuse);
    eventually("it is offered again", || listening.ear.offered() >= 2).await;
    assert_eq!(double.unconfirmed(), 1);
    listening.ear.mood(Mood::Take);
    eventually("it is confirmed", || double.unconfirmed() == 0).await;
    assert_eq!(listening.ear.events().len(), 1);
    listening.stop().await;
}

#[tokio::test]
async fn a_crash_behind_the_commit_doubles_nothing() {
    let double = double().await;
    let ann = double.person("Ann");
    double.say(ann, ann, "one");
    let first = Listening::start(&double);
    first.ear.mood(Mood::TakeAndHang);
    first.hears(1).await;
    let ear = Arc::clone(&first.ear);
    first.stop().await;
    ear.mood(Mood::Take);
    double.say(ann, ann, "two");
    let second = Listening::with(&double, ear);
    second.hears(2).await;
    eventually("it is confirmed", || double.unconfirmed() == 0).await;
    assert!(double.counts().redelivered >= 1);
    assert_eq!(second.ear.events().iter().map(text).collect::<Vec<_>>(), ["one", "two"]);
    second.stop().await;
    assert_eq!(double.violations(), []);
}

#[tokio::test]
async fn what_nobody_knows_is_skipped_and_confirmed() {
    let double = double().await;
    let ann = double.person("Ann");
    double.update("brand_new_kind", json!({"x": 1}));
    double.update("message", json!({"message_id": "seven"}));
    double.update(
        "callback_query",
        json!({"id": "77", "from": {"id": ann}, "chat_instance": "1"}),
    );
    double.say(ann, ann, "hello");
    let listening = Listening::start(&double);
    listening.hears(1).await;
    eventually("it is confirmed", || double.unconfirmed() == 0).await;
    eventually("whoever pressed is answered", || {
        double.calls("answerCallbackQuery") == 1
    })
    .await;
    assert_eq!(listening.ear.events().len(), 1);
    listening.stop().await;
}

#[tokio::test]
async fn a_refusal_is_told_as_a_reply() {
    let double = double().await;
    let ann = double.person("Ann");
    let listening = Listening::start(&double);
    listening.ear.mood(Mood::Deny("I do not know you".to_owned()));
    double.say(ann, ann, "hello");
    eventually("it is told", || double.bot_shows(ann) == ["I do not know you"]).await;
    listening.stop().await;
    assert_eq!(double.violations(), []);
}
