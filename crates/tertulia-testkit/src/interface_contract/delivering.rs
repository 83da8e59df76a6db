//! Posts, edits and deletes: receipts, repetition and looking up.

use tertulia_message::{Act, Found};

use super::{Stage, act, asked, done, edit, outbound, post, shown};
use crate::chat_double::{CallKind, Fault, Faults, Kind};

pub(super) async fn acts_give_receipts(stage: &dyn Stage) {
    let (interface, question) = (stage.interface(), asked(stage));
    let id = done(act(&*interface, &question, "k", post("one")).await);
    assert_eq!(shown(stage), ["one"]);
    assert_eq!(done(act(&*interface, &question, "k.1", edit(&id, "two")).await), id);
    assert_eq!(shown(stage), ["two"]);
    let answered = stage.double().records().last().and_then(|record| record.in_reply_to);
    assert_eq!(answered.map(|id| id.to_string()), Some(question.clone()));
    assert_eq!(
        done(act(&*interface, &question, "k.2", Act::Delete { id: id.clone() }).await),
        id
    );
    assert!(shown(stage).is_empty());
}

pub(super) async fn acts_can_be_repeated(stage: &dyn Stage) {
    let (interface, question) = (stage.interface(), asked(stage));
    let id = done(act(&*interface, &question, "k", post("one")).await);
    for key in ["k.1", "k.2"] {
        assert_eq!(done(act(&*interface, &question, key, edit(&id, "one")).await), id);
    }
    assert_eq!(stage.double().counts().unchanged_edits, 2);
    for key in ["k.3", "k.4"] {
        done(act(&*interface, &question, key, Act::Delete { id: id.clone() }).await);
    }
}

pub(super) async fn repeated_posts_are_as_the_limits_say(stage: &dyn Stage, kind: Kind) {
    let (interface, question) = (stage.interface(), asked(stage));
    let first = done(act(&*interface, &question, "k", post("one")).await);
    let second = done(act(&*interface, &question, "k", post("one")).await);
    assert_eq!(first == second, kind == Kind::Keyed, "{kind:?}");
    let other = done(act(&*interface, &question, "l", post("one")).await);
    assert_ne!(first, other);
}

pub(super) async fn posts_are_found_as_the_platform_can(stage: &dyn Stage, kind: Kind) {
    let (interface, question) = (stage.interface(), asked(stage));
    stage
        .double()
        .plan(Faults::none().nth(CallKind::Post, 1, Fault::UnsureNotExecuted).nth(
            CallKind::Post,
            2,
            Fault::UnsureExecuted,
        ));
    let Ok(answer) = outbound("loopback/a", &question, "k", post("one")) else {
        return;
    };
    for expected in [Found::Absent, Found::Found("2".to_owned())] {
        assert!(interface.deliver(&answer).await.is_err());
        let expected = if kind == Kind::Blind {
            Found::CannotTell
        } else {
            expected
        };
        assert_eq!(interface.find(&answer).await, expected, "{kind:?}");
    }
    let Ok(other_part) = outbound("loopback/a", &question, "l", post("one")) else {
        return;
    };
    assert!(!matches!(interface.find(&other_part).await, Found::Found(_)));
}
