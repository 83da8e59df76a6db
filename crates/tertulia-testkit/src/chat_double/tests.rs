//! The platform forbids what platforms forbid.

use std::time::Duration;

use super::{CallKind, ChatDouble, Edited, Fault, Faults, Kind, NewEdit, NewPost, Refusal, Rules, Said, Spot};

const T: Duration = Duration::ZERO;

fn post(text: &str, key: &str, formatted: bool) -> NewPost {
    NewPost {
        spot: Spot::chat("a"),
        text: text.into(),
        formatted,
        buttons: Vec::new(),
        key: Some(key.into()),
        in_reply_to: Some("1".into()),
    }
}

fn edit(message: &str, text: &str, key: &str) -> NewEdit {
    NewEdit {
        spot: Spot::chat("a"),
        message: message.into(),
        text: text.into(),
        formatted: false,
        buttons: Vec::new(),
        key: Some(key.into()),
    }
}

fn asked(kind: Kind) -> ChatDouble {
    let double = ChatDouble::new(Rules::of(kind));
    assert_eq!(double.say(T, Said::direct("a", "p", "hello")), "1");
    double
}

#[test]
fn a_key_is_good_for_one_act_on_a_keyed_platform_only() {
    let keyed = asked(Kind::Keyed);
    let first = keyed.post(T, &post("one", "k", false)).unwrap();
    assert_eq!(keyed.post(T, &post("two", "k", false)).unwrap(), first);
    assert_eq!(keyed.edit(T, &edit(&first, "three", "k")), Ok(Edited::NotModified));
    assert_eq!(keyed.edit(T, &edit(&first, "three", "k.1")), Ok(Edited::Changed));
    assert_eq!(keyed.find(T, &post("one", "k", false)), Ok(Some(first.clone())));
    let blind = asked(Kind::Blind);
    assert_eq!(blind.post(T, &post("one", "k", false)).unwrap(), first);
    assert_ne!(blind.post(T, &post("one", "k", false)).unwrap(), first);
    assert_eq!(blind.find(T, &post("one", "k", false)), Err(Refusal::CannotTell));
}

#[test]
fn a_post_is_found_whether_or_not_the_bot_learnt_of_it() {
    let double = asked(Kind::Findable);
    double.plan(Faults::none().nth(CallKind::Post, 1, Fault::UnsureNotExecuted).nth(
        CallKind::Post,
        2,
        Fault::UnsureExecuted,
    ));
    for found in [None, Some("2".to_owned())] {
        assert_eq!(double.post(T, &post("one", "k", false)), Err(Refusal::Unsure));
        assert_eq!(double.find(T, &post("one", "k", false)), Ok(found));
    }
    assert_eq!(double.find(T, &post("one", "another part", false)), Ok(None));
    assert_eq!(double.violations().len(), 1, "a blank in a key");
}

#[test]
fn only_own_messages_can_be_changed() {
    let double = asked(Kind::Blind);
    let own = double.post(T, &post("one", "k", false)).unwrap();
    assert_eq!(double.edit(T, &edit(&own, "one", "l")), Ok(Edited::NotModified));
    assert_eq!(double.edit(T, &edit("1", "two", "m")), Err(Refusal::NoMessage));
    assert_eq!(double.edit(T, &edit("nothing", "two", "m")), Err(Refusal::NoMessage));
    let spot = Spot::chat("a");
    assert_eq!(double.delete(T, &spot, "1"), Err(Refusal::NoMessage));
    for _ in 0..2 {
        assert_eq!(double.delete(T, &spot, &own), Ok(()));
    }
    assert_eq!(double.edit(T, &edit(&own, "two", "n")), Err(Refusal::NoMessage));
    assert_eq!(
        double.transcript("a", None),
        [(Some("p".to_owned()), "hello".to_owned())]
    );
    assert_eq!(double.counts().unchanged_edits, 1);
}

#[test]
fn formatting_can_be_refused_where_plain_text_is_taken() {
    let double = asked(Kind::Blind);
    let any = |_: &super::Call| true;
    double.plan(Faults::none().when(9, any, Fault::Malformed));
    assert_eq!(
        double.post(T, &post("one", "k", true)),
        Err(Refusal::Malformed("formatting"))
    );
    double.post(T, &post("one", "k", false)).unwrap();
}

#[test]
fn an_unknown_chat_is_gone() {
    let double = ChatDouble::new(Rules::of(Kind::Blind));
    let mut stray = post("one", "k", false);
    stray.in_reply_to = None;
    assert_eq!(double.post(T, &stray), Err(Refusal::Gone));
    double.open_chat("a");
    double.post(T, &stray).unwrap();
}

#[test]
fn a_person_can_change_and_delete_what_they_said() {
    let double = asked(Kind::Blind);
    assert!(double.change(T, "1", "hello again"));
    assert!(!double.change(T, "7", "nothing"));
    assert!(double.redact(T, "1"));
    assert!(!double.redact(T, "1"));
    let events: Vec<_> = double
        .updates(T, None, 9)
        .iter()
        .map(|update| update.event.id().to_owned())
        .collect();
    assert_eq!(events, ["1", "event-1", "event-2"]);
}

#[test]
fn drafts_are_counted_and_have_the_limits_of_posts() {
    let double = asked(Kind::Blind);
    let spot = Spot::chat("a");
    assert_eq!(double.preview(T, &spot, "on"), Ok(()));
    assert_eq!(double.preview(T, &spot, &"x".repeat(201)), Err(Refusal::TooLong));
    assert_eq!(double.counts().previews, 1);
    assert_eq!(double.violations().len(), 1);
}
