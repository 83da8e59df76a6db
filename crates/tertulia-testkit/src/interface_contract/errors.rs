//! Every refusal becomes the error that tells the caller what to do.

use std::time::Duration;

use tertulia_message::{Block, DeliverError, Found, Inline, Markup, Post, RateScope, Signal};

use super::{Act, Stage, act, act_at, asked, done, edit, outbound, path, post};
use crate::chat_double::{CallKind, Fault, Faults};

pub(super) async fn errors_are_what_the_platform_says(stage: &dyn Stage) {
    let (interface, question) = (stage.interface(), asked(stage));
    let cases: [(Fault, Fits); 7] = [
        (Fault::Lost, |error| matches!(error, DeliverError::Lost(_))),
        (Fault::UnsureExecuted, |error| matches!(error, DeliverError::Unsure(_))),
        (Fault::UnsureNotExecuted, |error| {
            matches!(error, DeliverError::Unsure(_))
        }),
        (Fault::TooLong, |error| matches!(error, DeliverError::TooLong)),
        (Fault::Malformed, |error| matches!(error, DeliverError::Malformed(_))),
        (limit(RateScope::Path), |error| is_limit(error, RateScope::Path)),
        (limit(RateScope::Account), |error| is_limit(error, RateScope::Account)),
    ];
    for (fault, fits) in cases {
        stage.double().plan(Faults::none().next(CallKind::Post, fault.clone()));
        let refused = act(&*interface, &question, "k", formatted()).await;
        assert!(refused.as_ref().is_err_and(fits), "{fault:?} became {refused:?}");
        stage.double().plan(Faults::none());
        tokio::time::sleep(LIMIT * 2).await;
    }
    closed_chats(stage, &question).await;
}

async fn closed_chats(stage: &dyn Stage, question: &str) {
    let interface = stage.interface();
    let refused = act(&*interface, question, "k", edit("1", "not mine")).await;
    assert!(
        matches!(refused, Err(DeliverError::Malformed(_))),
        "an edit of a person's message gave {refused:?}"
    );
    let gone = act_at(&*interface, "loopback/unknown", question, "k", post("one")).await;
    assert!(
        matches!(gone, Err(DeliverError::Gone(_))),
        "an unknown chat gave {gone:?}"
    );
    for (fault, refusal) in [
        (Fault::Gone, "gone"),
        (Fault::Refused, "refused"),
        (Fault::Moved("b".into()), "moved"),
    ] {
        stage.double().open_chat("a");
        stage.double().plan(Faults::none().next(CallKind::Post, fault));
        for _ in 0..2 {
            let refused = act_at(&*interface, "loopback/a/t", question, "k", post("one")).await;
            let fits = match &refused {
                Err(DeliverError::Gone(_)) => refusal == "gone",
                Err(DeliverError::Refused(_)) => refusal == "refused",
                Err(DeliverError::Moved(to)) => refusal == "moved" && to.as_str() == "loopback/b/t",
                _ => false,
            };
            assert!(fits, "{refusal} became {refused:?}");
        }
    }
    done(act_at(&*interface, "loopback/b/t", question, "k", post("one")).await);
    assert!(stage.double().violations().is_empty());
}

pub(super) async fn foreign_paths_are_refused(stage: &dyn Stage) {
    let (interface, question) = (stage.interface(), asked(stage));
    for place in ["foreign/a", "loopback/a/t/deeper", "loopback/unknown"] {
        let refused = act_at(&*interface, place, &question, "k", post("one")).await;
        let fits = matches!(refused, Err(DeliverError::Gone(_) | DeliverError::Malformed(_)));
        assert!(fits, "{place} gave {refused:?}");
        let (Ok(path), Ok(outbound)) = (path(place), outbound(place, &question, "k", post("one"))) else {
            return;
        };
        interface.signal(&path, &question, Signal::Typing).await;
        assert!(
            !matches!(interface.find(&outbound).await, Found::Found(_)),
            "found in {place}"
        );
    }
    let unknown = act(&*interface, "no such id", "k", post("one")).await;
    assert!(matches!(unknown, Err(DeliverError::Malformed(_))), "{unknown:?}");
}

type Fits = fn(&DeliverError) -> bool;

const LIMIT: Duration = Duration::from_millis(20);

fn limit(scope: RateScope) -> Fault {
    Fault::RateLimited { after: LIMIT, scope }
}

fn is_limit(error: &DeliverError, expected: RateScope) -> bool {
    matches!(error, DeliverError::RateLimited { after, scope } if *scope == expected && *after >= LIMIT)
}

fn formatted() -> Act {
    let strong = Inline::Strong(vec![Inline::Text("one".to_owned())]);
    Act::Post(Post::of(Markup {
        blocks: vec![Block::Paragraph(vec![strong])],
    }))
}
