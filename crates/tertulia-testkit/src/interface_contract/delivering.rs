//! Posts, edits and deletes: receipts, repetition and looking up.

use tertulia_message::{Act, Found};

use super::{Mishap, Stage, act_at, asked, done, edit, outbound, post, shown};
use crate::chat_double::Kind;

pub(super) async fn acts_give_receipts(stage: &dyn Stage) {
    let (interface, question) = (stage.interface(), asked(stage));
    let here = stage.scene().here;
    let act = |key, act| act_at(&*interface, &here, &question, key, act);
    let id = done(act("k", post("one")).await);
    assert_eq!(shown(stage), ["one"]);
    assert_eq!(stage.truth().answered(), Some(question.clone()));
    assert_eq!(done(act("k.1", edit(&id, "two")).await), id);
    assert_eq!(shown(stage), ["two"]);
    assert_eq!(done(act("k.2", Act::Delete { id: id.clone() }).await), id);
    assert!(shown(stage).is_empty());
}

pub(super) async fn acts_can_be_repeated(stage: &dyn Stage) {
    let (interface, question) = (stage.interface(), asked(stage));
    let here = stage.scene().here;
    let act = |key, act| act_at(&*interface, &here, &question, key, act);
    let id = done(act("k", post("one")).await);
    for key in ["k.1", "k.2"] {
        assert_eq!(done(act(key, edit(&id, "one")).await), id);
    }
    assert_eq!(stage.truth().tally().unchanged_edits, 2);
    for key in ["k.3", "k.4"] {
        done(act(key, Act::Delete { id: id.clone() }).await);
    }
}

pub(super) async fn repeated_posts_are_as_the_limits_say(stage: &dyn Stage, kind: Kind) {
    let (interface, question) = (stage.interface(), asked(stage));
    let here = stage.scene().here;
    let act = |key| act_at(&*interface, &here, &question, key, post("one"));
    let first = done(act("k").await);
    let second = done(act("k").await);
    assert_eq!(first == second, kind == Kind::Keyed, "{kind:?}");
    let other = done(act("l").await);
    assert_ne!(first, other);
}

pub(super) async fn posts_are_found_as_the_platform_can(stage: &dyn Stage, kind: Kind) {
    let (interface, question) = (stage.interface(), asked(stage));
    let here = stage.scene().here;
    let mishaps = [Mishap::UnsureNotExecuted, Mishap::UnsureExecuted];
    assert!(stage.plan(&mishaps), "every line can break");
    let (Ok(answer), Ok(other_part)) = (
        outbound(&here, &question, "k", post("one")),
        outbound(&here, &question, "l", post("one")),
    ) else {
        return;
    };
    for is_there in [false, true] {
        assert!(interface.deliver(&answer).await.is_err());
        assert_eq!(shown(stage).len(), usize::from(is_there));
        let found = interface.find(&answer).await;
        let fits = match &found {
            Found::CannotTell => kind == Kind::Blind,
            Found::Absent => kind != Kind::Blind && !is_there,
            Found::Found(id) => kind != Kind::Blind && is_there && !id.is_empty(),
        };
        assert!(fits, "{kind:?} gave {found:?}");
    }
    assert!(!matches!(interface.find(&other_part).await, Found::Found(_)));
}
